package schema

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// enum is what may be sent for a field of an enum.
type enum struct {
	name    string
	comment string
	names   []string // in declaration order, of aliases the first
	texts   []string // "NAME: what it means.", for those of which something is said
}

// enumOf reads the enum of a field: the values that may be seen, that the rules of the field admit and, where it has to be
// set, that are not the unspecified one.
func (in *invitation) enumOf(fd protoreflect.FieldDescriptor, said annotation.Field) *enum {
	ed := fd.Enum()
	read := in.reader.Enum(ed)
	e := &enum{name: string(ed.Name()), comment: annotation.Sentence(read.Description)}
	seen := make(map[protoreflect.EnumNumber]bool, len(read.Values))
	for _, v := range read.Values {
		name := string(v.Descriptor.Name())
		if seen[v.Descriptor.Number()] || !admitsValue(fd, said, v.Descriptor) {
			continue
		}
		seen[v.Descriptor.Number()] = true
		e.names = append(e.names, name)
		text := strings.TrimRight(annotation.Sentence(v.Description), ".")
		if unspecified(v.Descriptor) {
			text = "not set" // whatever the comment makes of it
		}
		if text != "" && !shape.IsNullValue(ed) {
			e.texts = append(e.texts, closed(name+": "+text, "."))
		}
	}
	if len(e.names) == 0 {
		e.names = enumNames(ed)[:1]
	}
	return e
}

// admitsValue holds a value against what is said of a field.
func admitsValue(fd protoreflect.FieldDescriptor, said annotation.Field, v protoreflect.EnumValueDescriptor) bool {
	if said.Required && !fd.HasPresence() && !fd.IsList() && unspecified(v) {
		return false
	}
	c := said.Constraint
	if c != nil && fd.IsList() {
		c = c.Items
	}
	if c == nil {
		return true
	}
	spelt := []string{string(v.Name()), fmt.Sprint(v.Number())}
	is := func(value string) bool { return slices.Contains(spelt, value) }
	switch {
	case c.Const != nil && !is(*c.Const), len(c.In) > 0 && !slices.ContainsFunc(c.In, is), slices.ContainsFunc(c.NotIn, is):
		return false
	}
	return true
}

// unspecified says whether a value is the one that stands for none.
func unspecified(v protoreflect.EnumValueDescriptor) bool {
	return v.Number() == 0 && strings.HasSuffix(string(v.Name()), "_UNSPECIFIED")
}

// cut says how much longer the enum is than what is listed of it.
func (e *enum) cut() string { return fmt.Sprintf("%s (%d values)", e.name, len(e.names)) }

// enumNames returns the names of an enum's values in declaration order, of aliases the first: the one that is emitted.
func enumNames(ed protoreflect.EnumDescriptor) []string {
	values := ed.Values()
	seen := make(map[protoreflect.EnumNumber]bool, values.Len())
	var names []string
	for i := range values.Len() {
		if v := values.Get(i); !seen[v.Number()] {
			seen[v.Number()] = true
			names = append(names, string(v.Name()))
		}
	}
	return names
}
