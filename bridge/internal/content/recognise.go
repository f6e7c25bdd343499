package content

import (
	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

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
		if resembles(md, ours.ProtoReflect().Descriptor()) {
			return kind(k)
		}
	}
	return 0
}

// resembles reports whether theirs is ours: it has the name, at least one of the fields, and no field whose number is ours
// and whose type is not. None of our types contains itself, so this ends.
func resembles(theirs, ours protoreflect.MessageDescriptor) bool {
	if theirs.FullName() != ours.FullName() || theirs.IsPlaceholder() {
		return false
	}
	shared := 0
	for i := range theirs.Fields().Len() {
		fd := theirs.Fields().Get(i)
		own := ours.Fields().ByNumber(fd.Number())
		if own == nil {
			continue
		}
		if fd.Kind() != own.Kind() || fd.Cardinality() != own.Cardinality() || fd.IsMap() {
			return false
		}
		if own.Message() != nil && !resembles(fd.Message(), own.Message()) {
			return false
		}
		shared++
	}
	return shared > 0
}
