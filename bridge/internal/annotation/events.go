package annotation

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// IsProgress says whether a type is bridge.v1.Progress, by which a backend tells how far a call has come; nil is none.
func IsProgress(md protoreflect.MessageDescriptor) bool {
	return md != nil && Resembles(md, (*bridgev1.Progress)(nil).ProtoReflect().Descriptor())
}

// IsLog says whether a type is bridge.v1.Log, a line of a backend's log; nil is none.
func IsLog(md protoreflect.MessageDescriptor) bool {
	return md != nil && Resembles(md, (*bridgev1.Log)(nil).ProtoReflect().Descriptor())
}
