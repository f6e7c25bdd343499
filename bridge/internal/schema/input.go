package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// invitation is the dialect of input: what a caller should send. It remembers the messages it has read.
type invitation struct {
	read map[protoreflect.FullName][]argument
}

// argument is a field that a caller may set.
type argument struct {
	shape.Field
	comment  string // of the field, else of its type
	note     string
	required bool
}

func (in *invitation) fields(md protoreflect.MessageDescriptor, t texts, depth int) []member {
	args := in.arguments(md)
	members := make([]member, len(args))
	for i, a := range args {
		members[i] = in.member(a, t, depth)
	}
	return members
}

func (in *invitation) names(md protoreflect.MessageDescriptor) []string {
	args := in.arguments(md)
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.Name
	}
	return names
}

func (in *invitation) member(a argument, t texts, depth int) member {
	fd := a.Descriptor
	m := member{property: property{name: a.Name}, required: a.required, demanded: fd.Cardinality() == protoreflect.Required}
	comment := t.trim(a.comment, depth)
	if fd.IsMap() {
		m.node = &node{types: []string{"object"}, object: true, description: describe(comment, namer(in.names).entries(fd), a.note)}
		return m
	}
	value := in.value(fd)
	if md := fd.Message(); md != nil && shape.KindOf(md) == shape.Object {
		m.nested, m.body = md, value
	}
	if fd.IsList() {
		m.node = &node{types: []string{"array"}, description: describe(comment, "", a.note), items: value}
	} else {
		m.node, m.said = value, saying{comment, a.note}
		value.description = describe(comment, value.description, a.note)
	}
	if fd.Kind() == protoreflect.EnumKind && t.at(depth) == maxText {
		m.node.description = withValues(m.node.description, fd.Enum())
	}
	return m
}

// value describes one value of fd: for a list an item.
func (in *invitation) value(fd protoreflect.FieldDescriptor) *node {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return in.message(fd.Message())
	case protoreflect.EnumKind:
		return enumInput(fd.Enum())
	case protoreflect.BoolKind:
		return &node{types: []string{"boolean"}}
	case protoreflect.StringKind:
		return &node{types: []string{"string"}}
	case protoreflect.BytesKind:
		return &node{types: []string{"string"}, description: "Base64."}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return &node{types: []string{"number"}}
	}
	if is64(fd.Kind()) {
		return &node{types: []string{"string"}, description: "Decimal 64-bit integer."}
	}
	return &node{types: []string{"integer"}}
}

// maxEnum is how many names an enum keyword may have; a longer list becomes words.
const maxEnum = 100

func enumInput(ed protoreflect.EnumDescriptor) *node {
	names := enumNames(ed)
	if len(names) <= maxEnum {
		return &node{types: []string{"string"}, enum: names}
	}
	return &node{types: []string{"string"}, description: fmt.Sprintf("One of the names of %s: %s.", ed.Name(), list(names))}
}

func (in *invitation) message(md protoreflect.MessageDescriptor) *node {
	switch shape.KindOf(md) {
	case shape.Timestamp:
		return &node{types: []string{"string"}, format: "date-time"}
	case shape.Duration:
		return &node{types: []string{"string"}, description: "Seconds, e.g. 3.5s."}
	case shape.FieldMask:
		return &node{types: []string{"string"}, description: "Comma-separated field paths, e.g. displayName,labels."}
	case shape.Wrapper:
		return in.value(md.Fields().ByNumber(1))
	case shape.Struct:
		return &node{types: []string{"object"}, object: true, description: "Any JSON object."}
	case shape.Value:
		return &node{anyOf: anything(), description: "Any JSON value."}
	case shape.ListValue:
		return &node{types: []string{"array"}, items: &node{anyOf: anything()}}
	case shape.Any:
		return anyInput()
	}
	return &node{types: []string{"object"}, object: true}
}

// anything is how a profile without untyped nodes says that any JSON will do.
func anything() []*node {
	return []*node{
		{types: []string{"string"}},
		{types: []string{"number"}},
		{types: []string{"boolean"}},
		{types: []string{"object"}, object: true},
		{types: []string{"array"}, items: &node{types: []string{"string"}}},
	}
}

func anyInput() *node {
	return &node{
		types:       []string{"object"},
		description: "A message of any type: its fields beside " + shape.AnyTypeAlias + ".",
		properties: []property{{shape.AnyTypeAlias, &node{
			types: []string{"string"}, description: "E.g. type.googleapis.com/package.Message.",
		}}},
	}
}

// withValues adds what the comments on an enum's values say, if all of it fits.
func withValues(description string, ed protoreflect.EnumDescriptor) string {
	if ed.Values().Len() > maxEnum || shape.IsNullValue(ed) {
		return description
	}
	var said []string
	room := maxText - utf8.RuneCountInString(description)
	for i := range ed.Values().Len() {
		v := ed.Values().Get(i)
		text := strings.TrimRight(annotation.Sentence(annotation.Comment(v)), ".")
		if text == "" && v.Number() == 0 && strings.HasSuffix(string(v.Name()), "_UNSPECIFIED") {
			text = "not set"
		}
		if text == "" {
			continue
		}
		said = append(said, closed(string(v.Name())+": "+text, "."))
		room -= utf8.RuneCountInString(said[len(said)-1]) + 1
		if room < 0 {
			return description
		}
	}
	return join(description, strings.Join(said, " "))
}
