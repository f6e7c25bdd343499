package schema

import (
	"cmp"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// objectBody describes a message that JSON writes as an object and that is worth a name: an ordinary one, Empty or Any.
func (g *Generator) objectBody(md protoreflect.MessageDescriptor, side richSide) *richBody {
	b := &richBody{target: md}
	switch kind := shape.KindOf(md); {
	case side == richOut && kind == shape.Object:
		b.fields = g.results(md)
	case side == richIn && kind == shape.Any:
		b.fields, b.rules = anyFields(nil), anyRule
	case side == richIn && kind == shape.Struct:
		b.rules = "Any JSON object."
	case side == richIn:
		said := g.reader.Message(md)
		b.fields, b.rules = g.arguments(md)
		b.rules = shortened(join(b.rules, constraintWords(said.Constraints)), maxRules)
		b.about = cmp.Or(commonTypes[md.FullName()], said.Description)
		b.closed = md.ExtensionRanges().Len() == 0
	}
	return b
}

// arguments describes the fields of md that a caller may set, in the order of declaration, and the choices among them. A
// member of a choice is not required in itself.
func (g *Generator) arguments(md protoreflect.MessageDescriptor) (fields []richField, rules string) {
	if shape.KindOf(md) != shape.Object {
		return nil, ""
	}
	chosen := map[protoreflect.OneofDescriptor][]int{}
	var choices []protoreflect.OneofDescriptor
	for _, f := range shape.Of(md).Fields() {
		said := g.reader.Field(f.Descriptor)
		if !g.reader.invites(f.Descriptor, said) {
			continue
		}
		if od := f.Descriptor.ContainingOneof(); od != nil && !od.IsSynthetic() {
			if chosen[od] == nil {
				choices = append(choices, od)
			}
			chosen[od] = append(chosen[od], len(fields))
		}
		fields = append(fields, richField{g.named(f.Descriptor, f.Name), g.argument(f.Descriptor, said), said.Required})
	}
	for _, od := range choices {
		rules = join(rules, choose(fields, chosen[od], g.reader.Choice(od)))
	}
	return fields, rules
}

// maxRules is how much is said of a message as a whole, in characters, beside a comment.
const maxRules = 512

// maxChosen is how many members of a oneof are named.
const maxChosen = 16

// choose says that of some fields only one may be set, and that one has to be where any of them is marked so.
func choose(fields []richField, members []int, required bool) string {
	var names []string
	for _, i := range members {
		names = append(names, fields[i].name)
		required = required || fields[i].required
	}
	if len(members) == 1 {
		fields[members[0]].required = required
		return ""
	}
	for _, i := range members {
		fields[i].required = false
	}
	if required {
		return "Set exactly one of: " + listSome(names, maxChosen) + "."
	}
	return "Set at most one of: " + listSome(names, maxChosen) + "."
}

// argument describes a whole field.
func (g *Generator) argument(fd protoreflect.FieldDescriptor, said annotation.Field) *richNode {
	c := orNone(said.Constraint)
	var n *richNode
	switch {
	case fd.IsMap():
		keywords, words := entryRules(fd.MapKey(), c)
		n = &richNode{types: `"object"`, values: g.invited(fd.MapValue(), c.Values, false), rest: keywords}
		n.said.note = constraintWords(words)
	case fd.IsList():
		n = &richNode{types: `"array"`, items: g.invited(fd, c.Items, false), rest: itemRules(c)}
		n.said.note = constraintWords(c.Words)
	default:
		n = g.invited(fd, c, said.Required && !fd.HasPresence())
	}
	n.said.comment = cmp.Or(unlabelled(said), said.Title, n.said.comment)
	a := argument{patterns: patterns(said)}
	n.detail = join(n.detail, a.formOf(""))
	if d := g.defaultOf(fd); d != "" && n.target != nil {
		n.said.note = join("Default: "+d+".", n.said.note)
	} else if d != "" {
		n.rest = append(n.rest, `"default":`+d)
	}
	n.said.note = shortened(join(a.behavior(said.Behavior), n.said.note), maxText-16)
	return n
}

// invited describes one value of fd under a constraint, nil for none: for a list an item. set leaves out the value
// of an enum that stands for none.
func (g *Generator) invited(fd protoreflect.FieldDescriptor, c *annotation.Constraint, set bool) *richNode {
	c = orNone(c)
	var n *richNode
	var words []string
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return g.invitedMessage(fd.Message(), c)
	case protoreflect.EnumKind:
		n, words = g.invitedEnum(fd.Enum(), c, set), nil
	case protoreflect.BoolKind:
		n = &richNode{types: `"boolean"`, rest: rawConst(c)}
	case protoreflect.StringKind:
		n = &richNode{types: `"string"`}
		n.rest, words = stringRules(c)
	case protoreflect.BytesKind:
		n = &richNode{types: `"string"`}
		n.rest, words = bytesRules(c)
	default:
		n = &richNode{types: numberType(fd.Kind())}
		n.rest, words = numberRules(fd.Kind(), c)
	}
	n.said.note = constraintWords(append(words, c.Words...))
	return n
}

// orNone is c, or a constraint that demands nothing.
func orNone(c *annotation.Constraint) *annotation.Constraint {
	if c == nil {
		return &annotation.Constraint{}
	}
	return c
}

func numberType(k protoreflect.Kind) string {
	switch {
	case k == protoreflect.FloatKind || k == protoreflect.DoubleKind:
		return `"number"`
	case is64(k):
		return `["integer","string"]`
	}
	return `"integer"`
}

// invitedMessage describes a message. Of the well-known types those that are no objects stand wherever they are used.
func (g *Generator) invitedMessage(md protoreflect.MessageDescriptor, c *annotation.Constraint) *richNode {
	c = orNone(c)
	n := &richNode{}
	switch shape.KindOf(md) {
	case shape.Wrapper:
		return g.invited(md.Fields().ByNumber(1), c, false)
	case shape.Timestamp:
		n.types, n.rest = `"string"`, []string{`"format":"date-time"`}
	case shape.Duration:
		n.types, n.rest = `"string"`, []string{""}
		n.detail, n.rest[0] = g.duration()
	case shape.FieldMask:
		n.types, n.detail = `"string"`, "Comma-separated field paths, e.g. displayName,labels."
	case shape.Value:
		n.detail = "Any JSON value."
	case shape.ListValue:
		n.types, n.items = `"array"`, &richNode{}
	case shape.Struct:
		n.types, n.detail = `"object"`, "Any JSON object."
	case shape.Any:
		if len(c.In) > 0 {
			n = anyOf(c.In)
			n.said.note = constraintWords(c.Words)
			return n
		}
		n.target = md
	default:
		n.target = md
	}
	n.said.note = constraintWords(append(otherRules(c), c.Words...))
	return n
}

// anyRule says how the payload of an Any is written.
const anyRule = "A message of any type: its fields beside " + shape.AnyTypeAlias + "."

// anyFields are those of an Any, whose payload has one of the types, nil for any.
func anyFields(types []string) []richField {
	n := &richNode{types: `"string"`, detail: "E.g. type.googleapis.com/package.Message."}
	if types != nil {
		n.detail, n.rest = "", []string{`"enum":` + string(appendStrings(nil, types))}
	}
	return []richField{{shape.AnyTypeAlias, n, true}}
}

// anyOf describes an Any of some types in place.
func anyOf(types []string) *richNode {
	b := &richBody{fields: anyFields(types)}
	b.finish(richIn)
	return &richNode{types: `"object"`, detail: anyRule, rest: []string{strings.TrimPrefix(b.forms[0].pieces[0].text, ",")}}
}
