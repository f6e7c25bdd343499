package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
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
				return nil, fmt.Errorf("the request field %s of %s holds no fields, but %q asks for one of it", strings.Join(b.path, "."),
					input.FullName(), path)
			}
		}
		f, ok := shape.Of(md).Lookup(name)
		if !ok || shape.KindOf(md) != shape.Object {
			return nil, fmt.Errorf("%s has no field %q: name a field of the request%s", md.FullName(), name, instead(variable))
		}
		b.path, b.steps = append(b.path, f.Name), append(b.steps, f.Descriptor)
	}
	if fd := b.field(); !fillable(fd) {
		return nil, fmt.Errorf("the field %s is %s, which no text of a URI fills: only single strings, integers, bools and enums are",
			fd.FullName(), formOf(fd))
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

// bindAll finds the request fields that the variables of a template, and the URI itself, fill.
func bindAll(input protoreflect.MessageDescriptor, option *bridgev1.Resource, variables []string) ([]*binding, error) {
	for _, name := range slices.Sorted(maps.Keys(option.GetFields())) {
		if !slices.Contains(variables, name) {
			return nil, fmt.Errorf("fields names %q, which is no variable of the template", name)
		}
	}
	var bindings []*binding
	claimed := claims{}
	add := func(variable, path, what string) error {
		b, err := bind(input, variable, path)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if err := claimed.add(b, what); err != nil {
			return err
		}
		bindings = append(bindings, b)
		return nil
	}
	for _, name := range variables {
		if err := add(name, cmp.Or(option.GetFields()[name], name), fmt.Sprintf("variable %q", name)); err != nil {
			return nil, err
		}
	}
	if path := option.GetUriField(); path != "" {
		if err := add("", path, "uri_field"); err != nil {
			return nil, err
		}
		if fd := bindings[len(bindings)-1].field(); fd.Kind() != protoreflect.StringKind {
			return nil, fmt.Errorf("uri_field: the field %s is %s, but a URI is a string", fd.FullName(), formOf(fd))
		}
	}
	return bindings, nil
}

// claims are the fields that the bindings of one address fill, and the members of choices that they set, each with what
// fills it.
type claims map[string]claim

type claim struct{ member, what string }

// add notes what a binding fills, unless that cannot be beside what others fill.
func (c claims) add(b *binding, what string) error {
	path := strings.Join(b.path, ".")
	if other, ok := c[path]; ok {
		return fmt.Errorf("%s fills the request field %s, and so does %s: let each fill another one", what, path, other.what)
	}
	choices := map[string]string{}
	for i, step := range b.steps {
		o := step.ContainingOneof()
		if o == nil || o.IsSynthetic() {
			continue
		}
		member := strings.Join(b.path[:i+1], ".")
		choice := strings.Join(append(slices.Clone(b.path[:i]), "oneof "+string(o.Name())), ".")
		if other, ok := c[choice]; ok && other.member != member {
			return fmt.Errorf("%s sets %s, and %s sets %s, but of the oneof %s a request has one member alone: make a resource for each",
				what, member, other.what, other.member, o.FullName())
		}
		choices[choice] = member
	}
	for choice, member := range choices {
		c[choice] = claim{member, what}
	}
	c[path] = claim{path, what}
	return nil
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
