package interaction

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// AppendResponses appends answers to a request in wire format: into its field fd,
// of the type bridge.v1.InputResponses.
func AppendResponses(wire []byte, fd protoreflect.FieldDescriptor, in *bridgev1.InputResponses) ([]byte, error) {
	value, err := proto.Marshal(in)
	if err != nil {
		return nil, err
	}
	wire = protowire.AppendTag(wire, fd.Number(), protowire.BytesType)
	return protowire.AppendBytes(wire, value), nil
}
