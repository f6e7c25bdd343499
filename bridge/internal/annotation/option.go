package annotation

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// extensionBridge is the number of the extensions of bridge/v1/annotations.proto, the same in all three messages.
const extensionBridge protowire.Number = 76411

// MethodOptions reads the option (bridge.v1.method) of md, however the descriptor was loaded and whoever's copy of the
// file it was compiled with. Never nil: what is not set, or cannot be read (see [Unreadable]), is empty.
func MethodOptions(md protoreflect.MethodDescriptor) *bridgev1.MethodOptions {
	o := &bridgev1.MethodOptions{}
	if readOption(md, o) != nil {
		return &bridgev1.MethodOptions{}
	}
	return o
}

// ServiceOptions reads the option (bridge.v1.service) of sd; otherwise as [MethodOptions].
func ServiceOptions(sd protoreflect.ServiceDescriptor) *bridgev1.ServiceOptions {
	o := &bridgev1.ServiceOptions{}
	if readOption(sd, o) != nil {
		return &bridgev1.ServiceOptions{}
	}
	return o
}

// FieldOptions reads the option (bridge.v1.field) of fd; otherwise as [MethodOptions].
func FieldOptions(fd protoreflect.FieldDescriptor) *bridgev1.FieldOptions {
	o := &bridgev1.FieldOptions{}
	if readOption(fd, o) != nil {
		return &bridgev1.FieldOptions{}
	}
	return o
}

// Unreadable says why the bridge.v1 option of a method, a service or a field cannot be read, nil where it can or is not
// set. Other descriptors have none.
func Unreadable(d protoreflect.Descriptor) error {
	var o proto.Message
	switch d.(type) {
	case protoreflect.MethodDescriptor:
		o = &bridgev1.MethodOptions{}
	case protoreflect.ServiceDescriptor:
		o = &bridgev1.ServiceOptions{}
	case protoreflect.FieldDescriptor:
		o = &bridgev1.FieldOptions{}
	default:
		return nil
	}
	return readOption(d, o)
}

// readOption merges the occurrences of the option into an empty message, as a parser would.
func readOption(d protoreflect.Descriptor, into proto.Message) error {
	for _, v := range optionsOf(d).all(extensionBridge) {
		err := errors.New("not a message")
		if v.bytes != nil {
			err = proto.UnmarshalOptions{Merge: true}.Unmarshal(v.bytes, into)
		}
		if err != nil {
			return fmt.Errorf("its option %d is no %s: compile it with the bridge's own bridge/v1/annotations.proto (%w)",
				extensionBridge, into.ProtoReflect().Descriptor().FullName(), err)
		}
	}
	return nil
}
