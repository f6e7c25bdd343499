package rules

import (
	"errors"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// trialMessage is a message as the validator is to see it for a trial: with these options, with no oneofs, and with no field
// but the one on trial, if any. Its fields are still found by name, because rules of the message name them.
type trialMessage struct {
	protoreflect.MessageDescriptor
	options *descriptorpb.MessageOptions
	field   *trialField // nil for none
}

// Options returns those of the trial.
func (t *trialMessage) Options() protoreflect.ProtoMessage { return t.options }

// Oneofs returns none.
func (t *trialMessage) Oneofs() protoreflect.OneofDescriptors {
	return noOneofs{t.MessageDescriptor.Oneofs()}
}

// Fields returns the one on trial.
func (t *trialMessage) Fields() protoreflect.FieldDescriptors {
	return trialFields{t.MessageDescriptor.Fields(), t.field}
}

type noOneofs struct{ protoreflect.OneofDescriptors }

// Len returns 0.
func (noOneofs) Len() int { return 0 }

type trialFields struct {
	protoreflect.FieldDescriptors
	field *trialField
}

// Len returns how many are on trial.
func (t trialFields) Len() int {
	if t.field == nil {
		return 0
	}
	return 1
}

// Get returns the one on trial.
func (t trialFields) Get(int) protoreflect.FieldDescriptor { return t.field }

// trialField is a field with other options. It has presence, so that nothing is evaluated where it is not set; the type of its
// values is without rules, whose faults would be taken for the field's.
type trialField struct {
	protoreflect.FieldDescriptor
	options *descriptorpb.FieldOptions
	parent  *trialMessage // nil for the value of a map
}

// Options returns those of the trial.
func (t *trialField) Options() protoreflect.ProtoMessage { return t.options }

// HasPresence returns true.
func (t *trialField) HasPresence() bool { return true }

// Parent returns the message of the trial.
func (t *trialField) Parent() protoreflect.Descriptor {
	if t.parent == nil {
		return t.FieldDescriptor.Parent()
	}
	return t.parent
}

// Message returns the type of the values without rules; nil where they are no messages.
func (t *trialField) Message() protoreflect.MessageDescriptor {
	md := t.FieldDescriptor.Message()
	if md == nil || md.IsMapEntry() {
		return md
	}
	return &trialMessage{MessageDescriptor: md}
}

// MapValue returns the field of a map's values, its type without rules; nil where the field is no map.
func (t *trialField) MapValue() protoreflect.FieldDescriptor {
	fd := t.FieldDescriptor.MapValue()
	if fd == nil {
		return nil
	}
	return &trialField{FieldDescriptor: fd}
}

// court tries rules, one at a time.
type court struct {
	validator protovalidate.Validator
	// renew makes another validator. One remembers all that it has compiled, and copies it for each message that is new to it.
	renew func() (protovalidate.Validator, error)
	tried int
}

// maxTrials is how many trials one validator is used for.
const maxTrials = 100

// message returns why rules of a message cannot be compiled.
func (c *court) message(md protoreflect.MessageDescriptor, rules *validate.MessageRules) error {
	options := &descriptorpb.MessageOptions{}
	proto.SetExtension(options, validate.E_Message, rules)
	return c.try(&trialMessage{MessageDescriptor: md, options: options})
}

// field returns why rules of a field cannot be compiled.
func (c *court) field(fd protoreflect.FieldDescriptor, rules *validate.FieldRules) error {
	options := &descriptorpb.FieldOptions{}
	proto.SetExtension(options, validate.E_Field, rules)
	md := &trialMessage{MessageDescriptor: fd.ContainingMessage()}
	md.field = &trialField{FieldDescriptor: fd, options: options, parent: md}
	return c.try(md)
}

// try compiles, which the validator does only to evaluate. What comes of the evaluation is of no interest, be it a panic: an
// empty message of a type that does not quite exist is no request.
func (c *court) try(md protoreflect.MessageDescriptor) (err error) {
	defer func() { _ = recover() }()
	if c.tried++; c.tried%maxTrials == 0 {
		if another, err := c.renew(); err == nil {
			c.validator = another
		}
	}
	if broken, ok := errors.AsType[*protovalidate.CompilationError](c.validator.Validate(dynamicpb.NewMessage(md))); ok {
		return broken
	}
	return nil
}
