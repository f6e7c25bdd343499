package annotation

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Field is what a field's descriptor says about the field beyond its type.
type Field struct {
	// Title is that of openapiv2 or gnostic; "" for none.
	Title string
	// Description is the text of openapiv2 or gnostic, else the cleaned comment, of any length; "" when there is none.
	Description string
	// Resource is the form of the names that google.api.resource_reference asks for, as patterns: "projects/{project}/topics/{topic}";
	// nil for none, or where the type is not known. For a field that holds the name of its own message's resource, that
	// message's patterns.
	Resource []string
	// Constraint are the rules of buf.validate or PGV; nil for none. It is shared: do not change it.
	Constraint *Constraint
	Behavior
}

// Behavior is what a field's options say.
type Behavior struct {
	// Required is set by google.api.field_behavior REQUIRED, by required of buf.validate and PGV, by rules that refuse the
	// zero value of a field without presence (unless they are switched off), and by the proto2 and LEGACY_REQUIRED label.
	Required bool
	// Redacted is the standard option debug_redact.
	Redacted bool
	// OutputOnly, InputOnly, Immutable and Identifier are the google.api.field_behavior values of these names.
	OutputOnly, InputOnly, Immutable, Identifier bool
	// Deprecated is the standard option of the field itself.
	Deprecated bool
}

// OfField reads fd. It never fails: what cannot be read counts as not said.
func OfField(fd protoreflect.FieldDescriptor) Field {
	return Field{Description: Comment(fd), Behavior: BehaviorOf(fd)}
}

// BehaviorOf is [OfField] without the comment, which takes most of the time.
func BehaviorOf(fd protoreflect.FieldDescriptor) Behavior {
	b := Behavior{Required: fd.Cardinality() == protoreflect.Required}
	options := optionsOf(fd)
	if len(options) == 0 {
		return b
	}
	if o, ok := fd.Options().(*descriptorpb.FieldOptions); ok {
		b.Deprecated = o.GetDeprecated()
	}
	for _, v := range options.all(extensionFieldBehavior) {
		for _, number := range v.enums() {
			b.apply(number)
		}
	}
	if validateRequires(options) {
		b.Required = true
	}
	return b
}

// Numbers of google/api/field_behavior.proto: the extension of FieldOptions, then the values of FieldBehavior.
const (
	extensionFieldBehavior = 1052

	behaviorRequired   = 2
	behaviorOutputOnly = 3
	behaviorInputOnly  = 4
	behaviorImmutable  = 5
	behaviorIdentifier = 8
)

func (b *Behavior) apply(number uint64) {
	switch number {
	case behaviorRequired:
		b.Required = true
	case behaviorOutputOnly:
		b.OutputOnly = true
	case behaviorInputOnly:
		b.InputOnly = true
	case behaviorImmutable:
		b.Immutable = true
	case behaviorIdentifier:
		b.Identifier = true
	}
}

// Numbers of buf/validate/validate.proto: the extension of FieldOptions, two fields of FieldRules, one value of Ignore.
const (
	extensionValidateField = 1159

	rulesRequired = 25
	rulesIgnore   = 27

	ignoreAlways = 3
)

// validateRequires merges the occurrences of the extension as a parser would: the last scalar wins.
func validateRequires(options record) bool {
	var required, ignored bool
	for _, v := range options.all(extensionValidateField) {
		for _, r := range record(v.bytes).all(rulesRequired) {
			required = protowire.DecodeBool(r.varint)
		}
		for _, i := range record(v.bytes).all(rulesIgnore) {
			ignored = i.varint == ignoreAlways
		}
	}
	return required && !ignored
}
