package schema

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// invitation is the dialect of input: what a caller should send. It remembers the messages it has read, and how it has
// described them.
type invitation struct {
	reader    *teller
	read      cache[protoreflect.FullName, []argument]
	described cache[described, []member]
	stubs     stubs
}

// described is one description of a message's fields.
type described struct {
	message protoreflect.FullName
	view    view
}

var (
	objectType = []string{"object"}
	arrayType  = []string{"array"}
	stringType = []string{"string"}
)

func (in *invitation) fields(md protoreflect.MessageDescriptor, v view) []member {
	return in.described.get(described{md.FullName(), v}, func() []member {
		args := in.arguments(md)
		members := make([]member, len(args))
		for i := range args {
			members[i] = in.member(&args[i], v)
		}
		return members
	})
}

func (in *invitation) namer() namer {
	return namer{names: in.names, values: in.reader.sent, marks: true}
}

func (in *invitation) names(md protoreflect.MessageDescriptor) (required, others []string) {
	for _, a := range in.arguments(md) {
		if a.required {
			required = append(required, a.Name)
		} else {
			others = append(others, a.Name)
		}
	}
	return required, others
}

func (in *invitation) stub(md protoreflect.MessageDescriptor, named int) string {
	return in.stubs.of(md, in.namer(), named)
}

func (in *invitation) whole(md protoreflect.MessageDescriptor) string {
	return shortened(sentences(in.reader.Message(md).Constraints), maxText)
}

func (in *invitation) member(a *argument, v view) member {
	fd := a.Descriptor
	m := member{
		property: property{name: a.Name}, field: fd, nested: expandable(fd),
		required: a.required, demanded: fd.Cardinality() == protoreflect.Required,
		silent: v.room == 0 && a.comment != "",
	}
	said := a.telling(v)
	if v.room > 0 && v.room < ordinary && said.comment != trim(a.comment, ordinary) {
		m.trimmed = v.room
	}
	if m.nested != nil {
		in.nest(&m, said)
		return m
	}
	if fd.IsMap() {
		names := in.namer()
		if a.enum != nil {
			names.values = func(protoreflect.EnumDescriptor) []string { return a.enum.names }
		}
		entries := names.entries(fd, names.hinted)
		m.node = (&node{types: objectType, object: true, description: said.with(entries)}).seal()
		return m
	}
	value := in.value(fd)
	if fd.Kind() == protoreflect.EnumKind {
		value, m.cut = enumInput(a.enum, v.enum)
	}
	if len(a.only) > 0 {
		value.enum = a.only
	}
	described := value
	if fd.IsList() {
		described = &node{types: arrayType, items: value}
	}
	described.description = said.with(described.description)
	if v.room >= ordinary {
		described.description = withValues(described.description, a.enum)
	}
	m.node = described.seal()
	return m
}

// expandable returns the type of a field, or of the items of a list, that is an ordinary message; nil for others.
func expandable(fd protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	if md := fd.Message(); md != nil && !fd.IsMap() && shape.KindOf(md) == shape.Object {
		return md
	}
	return nil
}

// telling returns what is told of an argument in a view.
func (a *argument) telling(v view) telling {
	comment := trim(a.comment, v.room)
	said := telling{saying{comment, a.note}, a.formOf(comment)}
	if !v.root {
		said.note = a.brief
	}
	return said
}

// nest describes a member whose value, or the items of whose list, can be expanded. Of the condition with which a comment
// opens, the name of the field says as much.
func (in *invitation) nest(m *member, said telling) {
	if conditional(said.comment) {
		said.comment = ""
	}
	if m.field.IsList() {
		m.node, m.said = &node{types: arrayType, description: said.with("")}, telling{form: in.whole(m.nested)}
		return
	}
	said.form = join(said.form, in.whole(m.nested))
	m.said = said
}

// value describes one value of fd, for a list an item, without the names of an enum.
func (in *invitation) value(fd protoreflect.FieldDescriptor) *node {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return in.message(fd.Message())
	case protoreflect.EnumKind, protoreflect.StringKind:
		return &node{types: stringType}
	case protoreflect.BoolKind:
		return &node{types: []string{"boolean"}}
	case protoreflect.BytesKind:
		return &node{types: stringType, description: "Base64."}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return &node{types: []string{"number"}}
	}
	if is64(fd.Kind()) {
		return &node{types: stringType, description: "Decimal 64-bit integer."}
	}
	return &node{types: []string{"integer"}}
}

func (in *invitation) message(md protoreflect.MessageDescriptor) *node {
	switch shape.KindOf(md) {
	case shape.Timestamp:
		return &node{types: stringType, format: "date-time"}
	case shape.Duration:
		return &node{types: stringType, description: "Seconds, e.g. 3.5s."}
	case shape.FieldMask:
		return &node{types: stringType, description: "Comma-separated field paths, e.g. displayName,labels."}
	case shape.Wrapper:
		return in.value(md.Fields().ByNumber(1))
	case shape.Struct:
		return &node{types: objectType, object: true, description: "Any JSON object."}
	case shape.Value:
		return &node{anyOf: anything(), description: "Any JSON value."}
	case shape.ListValue:
		return &node{types: arrayType, items: &node{anyOf: anything()}}
	case shape.Any:
		return anyInput()
	}
	return &node{types: objectType, object: true}
}

// anything is how a profile without untyped nodes says that any JSON will do.
func anything() []*node {
	return []*node{
		{types: stringType},
		{types: []string{"number"}},
		{types: []string{"boolean"}},
		{types: objectType, object: true},
		{types: arrayType, items: &node{types: stringType}},
	}
}

func anyInput() *node {
	return &node{
		types:       objectType,
		description: "A message of any type: its fields beside " + shape.AnyTypeAlias + ".",
		properties: []property{{shape.AnyTypeAlias, &node{
			types: stringType, description: "E.g. type.googleapis.com/package.Message.",
		}}},
	}
}

// maxEnum is how many names an enum keyword may have; a longer list becomes words.
const maxEnum = 100

// enumInput describes an enum by at most that many names; cut says which enum is not listed whole.
func enumInput(e *enum, most int) (n *node, cut string) {
	if len(e.names) == 0 {
		return &node{types: stringType, description: noValue}, ""
	}
	if len(e.names) <= most {
		return &node{types: stringType, enum: e.names}, ""
	}
	return &node{types: stringType, description: "One of the names of " + e.name + ": " + list(e.names) + "."}, e.cut()
}

// noValue is said of an enum of which no value may be sent.
const noValue = "No value may be set."

// withValues adds what the comments on an enum's values say, if all of it fits. A nil enum has none.
func withValues(description string, e *enum) string {
	if e == nil || len(e.names) > maxEnum {
		return description
	}
	room := maxText - utf8.RuneCountInString(description)
	for _, text := range e.texts {
		if room -= utf8.RuneCountInString(text) + 1; room < 0 {
			return description
		}
	}
	return join(description, strings.Join(e.texts, " "))
}
