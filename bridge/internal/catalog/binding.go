package catalog

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// binding is a field of a request that is filled from an address.
type binding struct {
	// variable is that of the template whose value the field gets; "" is the whole URI.
	variable string
	// path are the names of the properties that lead to the field, steps the fields themselves.
	path  []string
	steps []protoreflect.FieldDescriptor
}

// field returns the field that is filled.
func (b *binding) field() protoreflect.FieldDescriptor { return b.steps[len(b.steps)-1] }

// bind follows a path of names with dots between them, each in any spelling that arguments may have, from a request to a
// field that a text can fill.
func bind(input protoreflect.MessageDescriptor, variable, path string) (*binding, error) {
	b := &binding{variable: variable}
	md := input
	for name := range strings.SplitSeq(path, ".") {
		if len(b.steps) > 0 {
			if md = nested(b.field()); md == nil {
				return nil, fmt.Errorf("the request field %s of %s holds no fields, but %q asks for one of it", strings.Join(b.path, "."), input.FullName(), path)
			}
		}
		f, ok := shape.Of(md).Lookup(name)
		if !ok || shape.KindOf(md) != shape.Object {
			return nil, fmt.Errorf("%s has no field %q: name a field of the request%s", md.FullName(), name, instead(variable))
		}
		b.path, b.steps = append(b.path, f.Name), append(b.steps, f.Descriptor)
	}
	if fd := b.field(); !fillable(fd) {
		return nil, fmt.Errorf("the field %s is %s, which no text of a URI fills: only single strings, integers, bools and enums are", fd.FullName(), formOf(fd))
	}
	return b, nil
}

// instead is the other way to a field that is not called like its variable.
func instead(variable string) string {
	if variable == "" {
		return ""
	}
	return ", or give its path in fields"
}

// nested returns the message whose fields stand below a field; nil for none.
func nested(fd protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	if md := fd.Message(); md != nil && !fd.IsList() && !fd.IsMap() && shape.KindOf(md) == shape.Object {
		return md
	}
	return nil
}

// fillable says whether the text of a variable can be the value of a field.
func fillable(fd protoreflect.FieldDescriptor) bool {
	if fd.IsList() || fd.IsMap() {
		return false
	}
	switch fd.Kind() {
	case protoreflect.StringKind, protoreflect.BoolKind:
		return true
	case protoreflect.EnumKind:
		return !shape.IsNullValue(fd.Enum())
	}
	return isInteger(fd) && fd.Message() == nil
}

// formOf says of what form a field is, in the words of a .proto file.
func formOf(fd protoreflect.FieldDescriptor) string {
	switch {
	case fd.IsMap():
		return "a map"
	case fd.IsList():
		return "repeated"
	case fd.Message() != nil:
		return "a message " + string(fd.Message().FullName())
	}
	return "of type " + fd.Kind().String()
}

// appendValue writes a text as the JSON of a field. Whether it is one of the field's values is for the codec to say: it
// names the field and the mend.
func appendValue(dst []byte, fd protoreflect.FieldDescriptor, text string) []byte {
	if fd.Kind() == protoreflect.BoolKind && (text == "true" || text == "false") {
		return append(dst, text...)
	}
	return jsonrpc.AppendString(dst, text)
}

// requestOf writes the request that an address stands for, as JSON.
func requestOf(bindings []*binding, uri string, values map[string]string) []byte {
	var root tree
	for _, b := range bindings {
		text, ok := uri, true
		if b.variable != "" {
			text, ok = values[b.variable]
		}
		if ok {
			root.set(b.path, appendValue(nil, b.field(), text))
		}
	}
	return root.append(nil)
}

// tree is a JSON object in the making, or a value in it.
type tree struct {
	name  string
	value []byte // nil for an object
	below []*tree
}

// set gives the member at a path its value.
func (t *tree) set(path []string, value []byte) {
	for _, name := range path {
		t = t.member(name)
	}
	t.value = value
}

// member returns the member of a name, which may be new.
func (t *tree) member(name string) *tree {
	i := slices.IndexFunc(t.below, func(m *tree) bool { return m.name == name })
	if i < 0 {
		i = len(t.below)
		t.below = append(t.below, &tree{name: name})
	}
	return t.below[i]
}

func (t *tree) append(dst []byte) []byte {
	if t.value != nil {
		return append(dst, t.value...)
	}
	dst = append(dst, '{')
	for i, m := range t.below {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.append(append(jsonrpc.AppendString(dst, m.name), ':'))
	}
	return append(dst, '}')
}
