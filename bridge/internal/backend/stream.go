package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// ErrStop is what the receive function of [Backend.Stream] returns when it has enough: the call is cancelled at the
// backend, and that is no failure.
var ErrStop = errors.New("enough was received")

// Stream calls a method of any kind. It sends all requests, each in wire format, while it receives, and half-closes. receive
// is called for each reply, from the goroutine of Stream; the reply is valid until it returns, and nothing is read
// meanwhile, so that flow control holds up the backend. An error of receive cancels the call at the backend, and is what the
// Failure unwraps to; [ErrStop] is no failure. Deadline, limits, metadata and quota are those of [Backend.Unary], the limit
// of a message for each.
func (b *Backend) Stream(
	ctx context.Context, method protoreflect.MethodDescriptor, requests [][]byte, receive func(reply []byte) error,
) *Failure {
	seen := evidence{started: time.Now()}
	for _, request := range append([][]byte{nil}, requests...) {
		if f := b.refuse(request); f != nil {
			return f
		}
		seen.request = max(seen.request, len(request))
	}
	release, f := b.begin(ctx)
	if f != nil {
		return f
	}
	defer release()
	call, cancel := context.WithTimeout(ctx, b.config.Deadline)
	defer cancel()
	seen.deadline, _ = call.Deadline()
	sent, f := b.outgoing(call)
	if f != nil {
		return f
	}
	var refused error
	err := b.converse(sent, method, requests, &seen, func(reply []byte) error {
		refused = receive(reply)
		return refused
	})
	switch {
	case err == nil, errors.Is(refused, ErrStop):
		return nil
	case refused != nil:
		message := clean(fmt.Sprintf("the call was given up after a reply: %v", refused), maxMessage)
		return &Failure{Code: codes.Canceled, Message: message, Execution: Unknown, cause: refused}
	}
	return b.explain(ctx, method, err, &seen)
}

// converse opens the stream, sends beside and receives until the end, which is no error. What sends has ended on return.
func (b *Backend) converse(
	ctx context.Context, method protoreflect.MethodDescriptor, requests [][]byte, seen *evidence, receive func([]byte) error,
) error {
	if err := ctx.Err(); err != nil {
		seen.unsent = true
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	desc := grpc.StreamDesc{
		StreamName: string(method.Name()), ServerStreams: method.IsStreamingServer(), ClientStreams: method.IsStreamingClient(),
	}
	s, err := b.config.Conn.NewStream(ctx, &desc, b.path(method), seen.options(b.options)...)
	if err != nil {
		cancel()
		return err
	}
	sent := make(chan error, 1)
	go func() {
		err := b.sendAll(s, method, requests)
		if err != nil {
			cancel()
		}
		sent <- err
	}()
	err = b.receiveAll(s, method, receive)
	cancel()
	if failed := <-sent; failed != nil && err != nil {
		return failed
	}
	return err
}

// sendAll sends and half-closes. That the backend ended the call before is no error here: the status tells.
func (b *Backend) sendAll(s grpc.ClientStream, method protoreflect.MethodDescriptor, requests [][]byte) error {
	for _, request := range requests {
		var in any = &frame{data: request}
		if b.config.Messages {
			m, err := dynamicRequest(method, request)
			if err != nil {
				return err
			}
			in = m
		}
		if ended := s.SendMsg(in) != nil; ended {
			return nil // gRPC ended the call, and receiving tells why
		}
	}
	_ = s.CloseSend()
	return nil
}

// receiveAll hands over each reply; a method without a stream of them has one.
func (b *Backend) receiveAll(s grpc.ClientStream, method protoreflect.MethodDescriptor, receive func([]byte) error) error {
	for {
		reply, err := b.receiveOne(s, method)
		if errors.Is(err, io.EOF) && method.IsStreamingServer() {
			return nil
		}
		if err != nil {
			return err
		}
		if err := receive(reply); err != nil || !method.IsStreamingServer() {
			return err
		}
	}
}

func (b *Backend) receiveOne(s grpc.ClientStream, method protoreflect.MethodDescriptor) ([]byte, error) {
	if !b.config.Messages {
		var out frame
		err := s.RecvMsg(&out)
		return out.data, err
	}
	m := dynamicpb.NewMessage(method.Output())
	if err := s.RecvMsg(answer{m}); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{AllowPartial: true}.Marshal(m)
}
