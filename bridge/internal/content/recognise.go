package content

import (
	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// kind is one of the types that are more than data. The zero value is none of them.
type kind uint8

const (
	block kind = iota + 1
	resourceContents
	promptMessage
	httpBody
)

// kinds are our types in the order of their constants.
var kinds = [...]proto.Message{
	block:            (*bridgev1.Content)(nil),
	resourceContents: (*bridgev1.ResourceContents)(nil),
	promptMessage:    (*bridgev1.PromptMessage)(nil),
	httpBody:         (*httpbody.HttpBody)(nil),
}

// isContent reports whether values of this kind become blocks.
func (k kind) isContent() bool { return k != 0 && k != promptMessage }

// kindOf recognises md; 0 when it is none of our types.
func kindOf(md protoreflect.MessageDescriptor) kind {
	for k, ours := range kinds {
		if ours == nil {
			continue
		}
		if annotation.Resembles(md, ours.ProtoReflect().Descriptor()) {
			return kind(k)
		}
	}
	return 0
}
