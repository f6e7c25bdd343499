package backend

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoiface"
	"google.golang.org/protobuf/types/dynamicpb"
)

// invokeMessages makes the call with dynamic messages. Fields and extensions that the descriptors do not know pass
// through as unknown fields, as they do with raw bytes, and so does a required field's absence.
func (b *Backend) invokeMessages(
	ctx context.Context, method protoreflect.MethodDescriptor, request []byte, seen *evidence,
) ([]byte, error) {
	out := answer{dynamicpb.NewMessage(method.Output())}
	in, err := dynamicRequest(method, request)
	if err != nil {
		seen.unsent = true
		return nil, err
	}
	if err := b.config.Conn.Invoke(ctx, b.path(method), in, out, seen.options(b.options)...); err != nil {
		return nil, err
	}
	reply, err := replies.Marshal(out.Message)
	if err != nil {
		seen.replied = true
		return nil, status.Error(codes.Internal, fmt.Sprintf("the reply is no valid %s: %v", method.Output().FullName(), err))
	}
	return reply, nil
}

// replies writes a reply: maps in the order of their keys, so that equal replies are equal bytes.
var replies = proto.MarshalOptions{AllowPartial: true, Deterministic: true}

// dynamicRequest parses a request.
func dynamicRequest(method protoreflect.MethodDescriptor, request []byte) (*dynamicpb.Message, error) {
	m := dynamicpb.NewMessage(method.Input())
	if err := parse(proto.UnmarshalOptions{AllowPartial: true}, request, m); err != nil {
		return nil, status.Error(codes.Internal, fmt.Sprintf("the request is no valid %s: %v", method.Input().FullName(), err))
	}
	return m, nil
}

// answer is a dynamic message that keeps as unknown fields what protobuf refuses to parse. The refusal is of the whole
// message, for one string that is not UTF-8; whoever reads the bytes later need not be so strict.
type answer struct{ *dynamicpb.Message }

// ProtoReflect returns the message itself, so that parsers find its ProtoMethods.
func (a answer) ProtoReflect() protoreflect.Message { return a }

// Interface returns the message itself.
func (a answer) Interface() protoreflect.ProtoMessage { return a }

// ProtoMethods has proto.Unmarshal, and with it any codec, use read.
func (a answer) ProtoMethods() *protoiface.Methods { return &protoiface.Methods{Unmarshal: a.read} }

// read parses the message, or keeps it whole where it is at least a sequence of fields.
func (a answer) read(in protoiface.UnmarshalInput) (protoiface.UnmarshalOutput, error) {
	read := protoiface.UnmarshalOutput{Flags: protoiface.UnmarshalInitialized}
	options := proto.UnmarshalOptions{AllowPartial: true, Resolver: in.Resolver, RecursionLimit: in.Depth}
	err := parse(options, in.Buf, a.Message)
	if err == nil || !fields(in.Buf) {
		return read, err
	}
	proto.Reset(a.Message)
	a.SetUnknown(append([]byte(nil), in.Buf...)) // which is the codec's to reuse
	return read, nil
}

// fields reports whether wire is a sequence of fields, whatever is in them.
func fields(wire []byte) bool {
	for len(wire) > 0 {
		_, _, n := protowire.ConsumeField(wire)
		if n < 0 {
			return false
		}
		wire = wire[n:]
	}
	return true
}

// parse is options.Unmarshal, from which a panic is an error: protobuf-go 1.36 panics on a map entry whose key occurs a
// second time with another wire type, and the bytes are a backend's.
func parse(options proto.UnmarshalOptions, wire []byte, m proto.Message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be parsed: %v", p)
		}
	}()
	return options.Unmarshal(wire, m)
}
