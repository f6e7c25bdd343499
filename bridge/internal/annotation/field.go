package annotation

import (
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
	// OutputOnly, InputOnly, Immutable, Identifier and NonEmptyDefault are the google.api.field_behavior values of these names;
	// the last says that a field which is not set gets a value of the server's choice.
	OutputOnly, InputOnly, Immutable, Identifier, NonEmptyDefault bool
	// Deprecated is the standard option of the field itself, or of the message or the enum that is its type, in a map that of
	// the values. An option of a file does not count.
	Deprecated bool
}

func fieldOf(fd protoreflect.FieldDescriptor, options optionsFunc, known func() predefined) Field {
	t := propertyText(options(fd))
	constraint, b := behaviorOf(fd, options, known)
	return Field{Title: t.title, Description: t.or(fd), Constraint: constraint, Behavior: b}
}

func behaviorOf(fd protoreflect.FieldDescriptor, options optionsFunc, known func() predefined) (*Constraint, Behavior) {
	b := Behavior{Required: fd.Cardinality() == protoreflect.Required, Deprecated: typeDeprecated(fd)}
	said := options(fd)
	if len(said) == 0 {
		return nil, b
	}
	if o, ok := fd.Options().(*descriptorpb.FieldOptions); ok {
		b.Deprecated, b.Redacted = b.Deprecated || o.GetDeprecated(), o.GetDebugRedact()
	}
	for _, v := range said.all(extensionFieldBehavior) {
		for _, number := range v.enums() {
			b.apply(number)
		}
	}
	constraint, required := ruling(fd, rulesOf(fd, options), known)
	b.Required = b.Required || required
	return constraint, b
}

// typeDeprecated says whether the message or the enum of a field's values is deprecated by an option of its own.
func typeDeprecated(fd protoreflect.FieldDescriptor) bool {
	if fd.IsMap() {
		fd = fd.MapValue()
	}
	switch {
	case fd.Message() != nil:
		o, _ := fd.Message().Options().(*descriptorpb.MessageOptions)
		return o.GetDeprecated()
	case fd.Enum() != nil:
		o, _ := fd.Enum().Options().(*descriptorpb.EnumOptions)
		return o.GetDeprecated()
	}
	return false
}

// Numbers of google/api/field_behavior.proto: the extension of FieldOptions, then the values of FieldBehavior.
const (
	extensionFieldBehavior = 1052

	behaviorRequired        = 2
	behaviorOutputOnly      = 3
	behaviorInputOnly       = 4
	behaviorImmutable       = 5
	behaviorNonEmptyDefault = 7
	behaviorIdentifier      = 8
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
	case behaviorNonEmptyDefault:
		b.NonEmptyDefault = true
	case behaviorIdentifier:
		b.Identifier = true
	}
}
