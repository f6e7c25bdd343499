package annotation

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Numbers of buf/validate/validate.proto: the extension of all messages of options, and of OneofRules.
const (
	extensionValidate protowire.Number = 1159
	oneofRequired     protowire.Number = 1
)

// wordsLimit is the longest clause, in characters, that a rule becomes.
const wordsLimit = 200

// unmarshal reads rules as the generated types have them. With no extension known, predefined rules stay unknown fields,
// whichever way the options came.
var unmarshal = proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types)}

// rulesOf returns the rules of a field: those of buf.validate, else those of PGV as buf.validate would write them; nil where
// there are none, or none that can be read.
func rulesOf(fd protoreflect.FieldDescriptor, options optionsFunc) *validate.FieldRules {
	said := options(fd)
	wire := said.message(extensionValidate)
	if wire == nil {
		if wire = said.message(extensionPGV); wire == nil || pgvOff(options(fd.ContainingMessage())) {
			return nil
		}
		wire = fromPGV(wire, true)
	}
	rules := &validate.FieldRules{}
	if unmarshal.Unmarshal(wire, rules) != nil {
		return nil
	}
	return rules
}

// ruling returns what rules demand of a field, and whether they make it required. A field without presence is validated
// with its zero value too (buf.validate.Ignore, IGNORE_UNSPECIFIED), so rules which refuse that demand that the field be set.
func ruling(fd protoreflect.FieldDescriptor, rules *validate.FieldRules, known func() predefined) (*Constraint, bool) {
	if rules == nil || rules.GetIgnore() == validate.Ignore_IGNORE_ALWAYS {
		return nil, false
	}
	b := builder{known: known, enum: fd.Enum(), fields: fd.ContainingMessage().Fields(), nested: true, list: fd.IsList()}
	if fd.IsMap() {
		b.enum = fd.MapValue().Enum()
	}
	c := b.constraint(rules)
	if rules.GetIgnore() != validate.Ignore_IGNORE_UNSPECIFIED || fd.HasPresence() {
		return c, rules.GetRequired()
	}
	if c != nil && refusesZero(fd, c) {
		return c, true
	}
	if rules.GetRequired() {
		return withoutZero(fd, c), true
	}
	return c, false
}

// builder makes constraints of rules.
type builder struct {
	known func() predefined
	// enum is that of the field, of the items of a list, or of the values of a map; nil for none.
	enum protoreflect.EnumDescriptor
	// fields are the field and those beside it.
	fields protoreflect.FieldDescriptors
	// nested admits rules for items, keys and values: those have none of their own.
	nested, list bool
}

// constraint returns nil for rules that demand nothing.
func (b builder) constraint(rules *validate.FieldRules) *Constraint {
	if rules.GetIgnore() == validate.Ignore_IGNORE_ALWAYS {
		return nil
	}
	c := &Constraint{}
	m := rules.ProtoReflect()
	if kind := m.WhichOneof(m.Descriptor().Oneofs().ByName("type")); kind != nil {
		b.typed(m.Get(kind).Message(), c)
	}
	c.Words = append(c.Words, celWords(rules.GetCel(), rules.GetCelExpression(), b.fields)...)
	if reflect.ValueOf(*c).IsZero() {
		return nil
	}
	return c
}

// typed reads the rules for one type, such as StringRules. Each field of them is looked up by its name, for the messages have
// most names in common.
func (b builder) typed(rules protoreflect.Message, c *Constraint) {
	fields := rules.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if !rules.Has(fd) {
			continue
		}
		r := rule{fd: fd, value: rules.Get(fd), enum: b.enum}
		switch special, ok := specials[fd.FullName()]; {
		case ok:
			special(c, r)
		case fd.Message() != nil && fd.Message().FullName() == "buf.validate.FieldRules":
			b.below(fd, r.value, c)
		case fd.ContainingOneof() != nil && fd.ContainingOneof().Name() == "well_known":
			c.format(r)
		default:
			if apply := common[fd.Name()]; apply != nil {
				apply(c, r)
			}
		}
	}
	for number, p := range record(rules.GetUnknown()).parts() {
		c.Words = append(c.Words, b.known().words(rules.Descriptor().FullName(), number, p.value, b.fields)...)
	}
}

// below reads the rules for items, keys or values.
func (b builder) below(fd protoreflect.FieldDescriptor, v protoreflect.Value, c *Constraint) {
	rules, ok := v.Message().Interface().(*validate.FieldRules)
	if !ok || !b.nested {
		return
	}
	next := builder{known: b.known, enum: b.enum, fields: b.fields}
	switch fd.Name() {
	case "items":
		c.Items = next.constraint(rules)
	case "values":
		c.Values = next.constraint(rules)
	case "keys":
		next.enum = nil
		c.Keys = next.constraint(rules)
	}
}

// celWords gives each rule its message, else its expression. fields are those that messages may name.
func celWords(rules []*validate.Rule, expressions []string, fields protoreflect.FieldDescriptors) []string {
	var words []string
	for _, r := range rules {
		words = appendClause(words, capital(r.GetMessage(), fields), r.GetExpression())
	}
	for _, expression := range expressions {
		words = appendClause(words, expression)
	}
	return words
}

// appendClause adds the first of the texts that has something to say.
func appendClause(words []string, texts ...string) []string {
	for _, text := range texts {
		if clause := strings.TrimRight(Cut(Clean(text), wordsLimit), "."); clause != "" {
			return append(words, clause)
		}
	}
	return words
}

// capital makes words a sentence's, whose first letter is a capital. What is no plain word, or the name of a field, is an
// identifier or of an expression, and stays.
func capital(text string, fields protoreflect.FieldDescriptors) string {
	text = Clean(text)
	first, _, _ := strings.Cut(text, " ")
	word := strings.TrimRight(first, ",.;:!?")
	strange := strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) && r != '-' && r != '\'' })
	if strange || word == "" || word == "this" || fields.ByName(protoreflect.Name(word)) != nil {
		return text
	}
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// messageConstraints reads the rules of a message as a whole.
func messageConstraints(md protoreflect.MessageDescriptor, options record) []string {
	wire := options.message(extensionValidate)
	rules := &validate.MessageRules{}
	if wire == nil || unmarshal.Unmarshal(wire, rules) != nil {
		return nil
	}
	words := celWords(rules.GetCel(), rules.GetCelExpression(), md.Fields())
	for _, one := range rules.GetOneof() {
		names := strings.Join(one.GetFields(), ", ")
		switch {
		case names == "":
		case one.GetRequired():
			words = appendClause(words, fmt.Sprintf("Exactly one of %s has to be set", names))
		default:
			words = appendClause(words, fmt.Sprintf("At most one of %s may be set", names))
		}
	}
	return words
}
