package annotation

import (
	"fmt"
	"strings"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// extensionPredefined is the number of buf.validate.predefined, an extension of FieldOptions.
const extensionPredefined protowire.Number = 1160

// predefined are the rules that a set adds to those of buf.validate: extensions of messages such as StringRules.
type predefined map[predefinedKey]protoreflect.ExtensionDescriptor

type predefinedKey struct {
	rules  protoreflect.FullName
	number protowire.Number
}

func (p predefined) add(extensions protoreflect.ExtensionDescriptors) {
	for i := range extensions.Len() {
		x := extensions.Get(i)
		if name := x.ContainingMessage().FullName(); strings.HasPrefix(string(name), "buf.validate.") {
			p[predefinedKey{name, x.Number()}] = x
		}
	}
}

// words says what a rule demands: the messages of its expressions, or the expressions, which call its value `rule`; nothing
// where it is not known. fields are those that messages may name.
func (p predefined) words(rules protoreflect.FullName, number protowire.Number, v value, fields protoreflect.FieldDescriptors) []string {
	x := p[predefinedKey{rules, number}]
	if x == nil {
		return nil
	}
	declared := &validate.PredefinedRules{}
	if unmarshal.Unmarshal(optionsOf(x).message(extensionPredefined), declared) != nil {
		return nil
	}
	var words []string
	for _, r := range declared.GetCel() {
		expression := r.GetExpression()
		if given := plainValue(x, v); given != "" && strings.Contains(expression, "rule") {
			expression += fmt.Sprintf(" (rule = %s)", given)
		}
		words = appendClause(words, capital(r.GetMessage(), fields), expression)
	}
	return words
}

// plainValue spells the value of a rule where its wire form is all it takes.
func plainValue(x protoreflect.ExtensionDescriptor, v value) string {
	if x.IsList() {
		return ""
	}
	switch x.Kind() {
	case protoreflect.Int32Kind, protoreflect.Int64Kind:
		return fmt.Sprint(int64(v.varint))
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind:
		return fmt.Sprint(v.varint)
	case protoreflect.StringKind:
		return fmt.Sprintf("%q", v.bytes)
	}
	return ""
}
