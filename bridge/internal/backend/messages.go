package backend

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// invokeMessages makes the call with dynamic messages. Fields and extensions that the descriptors do not know pass
// through as unknown fields, as they do with raw bytes.
func (b *Backend) invokeMessages(ctx context.Context, method protoreflect.MethodDescriptor, request []byte, seen *evidence) ([]byte, error) {
	in, out := dynamicpb.NewMessage(method.Input()), dynamicpb.NewMessage(method.Output())
	if err := proto.Unmarshal(request, in); err != nil {
		seen.unsent = true
		return nil, status.Error(codes.Internal, fmt.Sprintf("the request is no valid %s: %v", method.Input().FullName(), err))
	}
	if err := b.config.Conn.Invoke(ctx, b.path(method), in, out, seen.options(b.options)...); err != nil {
		return nil, err
	}
	reply, err := proto.Marshal(out)
	if err != nil {
		seen.replied = true
		return nil, status.Error(codes.Internal, fmt.Sprintf("the reply is no valid %s: %v", method.Output().FullName(), err))
	}
	return reply, nil
}
