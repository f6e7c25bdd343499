package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Watch calls a server-streaming method with a request in protobuf wire format and calls changed for each message of the
// stream, whatever is in it. It has no deadline but that of ctx. It returns nil when the backend ends the stream with OK
// and when ctx ends, at once in both cases and with the stream closed; else the error is a *[Failure]. A message beyond
// Config.MaxMessageBytes is one. A stream that failed is not opened again. Config.Limiter does not count it, neither among
// the calls that begin nor among those in flight: it is one for all clients, and lasts as long as they listen.
//
// opened, if it is not nil, is called once the backend has sent its headers, which says that it has the call: before the
// first call of changed, and sooner only where a backend sends them by themselves. Both are called from the goroutine of
// Watch, one call after the other. While they run nothing is read, and the backend is held up once gRPC's buffers are full.
func (b *Backend) Watch(ctx context.Context, method protoreflect.MethodDescriptor, request []byte, opened, changed func()) error {
	if !method.IsStreamingServer() || method.IsStreamingClient() {
		return &Failure{
			Code:      codes.InvalidArgument,
			Message:   fmt.Sprintf("%s cannot be watched: declare it with one request and a stream of responses", method.FullName()),
			Execution: NotExecuted,
		}
	}
	if f := b.refuse(request); f != nil {
		return f
	}
	if ctx.Err() != nil {
		return nil
	}
	call, cancel := context.WithCancel(ctx)
	defer cancel()
	seen := evidence{started: time.Now(), request: len(request)}
	seen.deadline, _ = call.Deadline()
	sent, f := b.outgoing(call)
	if f != nil {
		return f
	}
	err := b.stream(sent, method, request, opened, changed, &seen)
	if err == nil || ctx.Err() != nil || seen.ended(ctx, statusOf(err).Code()) != codes.OK {
		return nil
	}
	return b.explain(ctx, method, err, &seen)
}

// stream opens the stream and reads it to its end, which is no error.
func (b *Backend) stream(
	ctx context.Context, method protoreflect.MethodDescriptor, request []byte, opened, changed func(), seen *evidence,
) error {
	in, out, err := b.streamed(method, request)
	if err != nil {
		seen.unsent = true
		return err
	}
	desc := grpc.StreamDesc{StreamName: string(method.Name()), ServerStreams: true}
	s, err := b.config.Conn.NewStream(ctx, &desc, b.path(method), seen.options(b.options)...)
	if err != nil {
		return err
	}
	if err := s.SendMsg(in); err != nil && !errors.Is(err, io.EOF) { // after which RecvMsg tells the status
		return err
	}
	if err := s.CloseSend(); err != nil {
		return err
	}
	if opened != nil {
		if head, err := s.Header(); err == nil && head != nil { // else RecvMsg tells the status
			opened()
		}
	}
	for {
		switch err := s.RecvMsg(out()); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		changed()
	}
}

// streamed returns the request and what makes the messages to receive into: as bytes, of which those received are passed
// over, or where the connection wants messages, as dynamic ones.
func (b *Backend) streamed(method protoreflect.MethodDescriptor, request []byte) (in any, out func() any, err error) {
	if !b.config.Messages {
		return &frame{data: request}, func() any { return passed{} }, nil
	}
	m, err := dynamicRequest(method, request)
	return m, func() any { return answer{dynamicpb.NewMessage(method.Output())} }, err
}
