package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// ErrStop is what the receive function of [Backend.Stream] returns when it has enough: the call is cancelled at the
// backend, and that is no failure.
var ErrStop = errors.New("enough was received")

// Stream calls a method of any kind. It sends all requests, each in wire format, while it receives, and half-closes. receive
// is called for each reply, from the goroutine of Stream; the reply is valid until it returns, and nothing is read
// meanwhile, so that flow control holds up the backend. An error of receive cancels the call at the backend, and is what the
// Failure unwraps to; [ErrStop] is no failure. One of its context's, at the end of that context or of the deadline, makes the
// Failure that the end itself makes. Deadline, limits, metadata and quota are those of [Backend.Unary], the limit of a message
// for each. A call is not made again once receive was called.
func (b *Backend) Stream(
	ctx context.Context, method protoreflect.MethodDescriptor, requests [][]byte, receive func(reply []byte) error,
) *Failure {
	largest := []byte(nil)
	for _, request := range requests {
		if len(request) > len(largest) {
			largest = request
		}
	}
	if f := b.refuse(largest); f != nil {
		return f
	}
	release, f := b.begin(ctx)
	if f != nil {
		return f
	}
	defer func() { release() }() // which is another one after each attempt
	seen := &evidence{started: time.Now(), request: len(largest)}
	call, cancel := context.WithTimeout(ctx, b.allowed(ctx))
	defer cancel()
	seen.deadline, _ = call.Deadline()
	sent, f := b.outgoing(call)
	if f != nil {
		return f
	}
	c := conversation{b, method, requests, receive, nil}
	f = c.attempt(ctx, sent, seen)
	for n := 1; f != nil && b.again(sent, method, f, n, &release); n++ {
		seen = seen.next()
		if next := c.attempt(ctx, sent, seen); next != nil {
			f = next.after(f)
			f.Attempts = n + 1
		} else {
			f = nil
		}
	}
	if f == nil || seen.streamed {
		return f
	}
	return b.givenUp(ctx, method, f)
}

// conversation is a call of several messages.
type conversation struct {
	*Backend
	method   protoreflect.MethodDescriptor
	requests [][]byte
	receive  func([]byte) error
	refused  error // what receive returned
}

// attempt makes the call once. caller is the context before the backend's own deadline was added.
func (c *conversation) attempt(caller, call context.Context, seen *evidence) *Failure {
	err := c.converse(call, seen)
	switch {
	case err == nil, errors.Is(c.refused, ErrStop):
		c.config.Throttle.succeeded()
		return nil
	case c.refused == nil:
		return c.explain(caller, c.method, err, seen)
	}
	f := &Failure{Code: codes.Canceled, Execution: Unknown}
	if code := seen.ended(caller, status.FromContextError(c.refused).Code()); code != codes.OK {
		f = c.interrupted(caller, code, seen)
		f.Retryable = f.retryable(c.repeatable(c.method), false)
	} else {
		f.Message = clean(fmt.Sprintf("the call was given up after a reply: %v", c.refused), maxMessage)
	}
	f.cause = c.refused
	return f
}

// converse opens the stream, sends beside and receives until the end, which is no error. What sends has ended on return.
func (c *conversation) converse(ctx context.Context, seen *evidence) error {
	messages, err := c.messages()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		seen.unsent = true
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	desc := grpc.StreamDesc{
		StreamName:    string(c.method.Name()),
		ServerStreams: c.method.IsStreamingServer(), ClientStreams: c.method.IsStreamingClient(),
	}
	seen.over = make(chan struct{})
	s, err := c.config.Conn.NewStream(ctx, &desc, c.path(c.method), seen.options(c.options)...)
	if err != nil {
		return err
	}
	defer c.settled(seen)
	sent := make(chan error, 1)
	go func() {
		err := sendAll(s, len(c.requests), messages)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			err = nil // the call ended before: receiving tells why, or this side knows
		}
		if err != nil {
			cancel()
		}
		sent <- err
	}()
	err = c.receiveAll(s, seen)
	cancel()
	if unsendable := <-sent; unsendable != nil && err != nil && c.refused == nil {
		return unsendable
	}
	return err
}

// settled waits until gRPC has told all that it tells of a stream that has ended: where its context ends, it does so on a
// goroutine of its own. Connections of other makes need not say when.
func (c *conversation) settled(seen *evidence) {
	if _, channel := c.config.Conn.(*grpc.ClientConn); channel {
		<-seen.over
	}
}

// messages returns what makes the i-th request: of bytes, or where the connection wants messages, one of those that have been
// parsed before anything is sent.
func (c *conversation) messages() (func(i int) any, error) {
	if !c.config.Messages {
		return func(i int) any { return &frame{data: c.requests[i]} }, nil
	}
	parsed := make([]any, len(c.requests))
	for i, request := range c.requests {
		m, err := dynamicRequest(c.method, request)
		if err != nil {
			return nil, err
		}
		parsed[i] = m
	}
	return func(i int) any { return parsed[i] }, nil
}

// sendAll sends n messages and half-closes. Its error is io.EOF where gRPC ended the call before, and else that of a message
// that could not be sent at all.
func sendAll(s grpc.ClientStream, n int, message func(i int) any) error {
	for i := range n {
		if err := s.SendMsg(message(i)); err != nil {
			return err
		}
	}
	return s.CloseSend()
}

// receiveAll hands over each reply; a method without a stream of them has one.
func (c *conversation) receiveAll(s grpc.ClientStream, seen *evidence) error {
	several := c.method.IsStreamingServer()
	for {
		reply, err := c.receiveOne(s, seen)
		switch {
		case several && errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.EOF):
			seen.replied = true
			return status.Error(codes.Internal, noReply)
		case err != nil:
			return err
		}
		seen.streamed = true
		c.refused = c.receive(reply.ReadOnlyData())
		reply.Free()
		if c.refused != nil || !several {
			return c.refused
		}
	}
}

func (c *conversation) receiveOne(s grpc.ClientStream, seen *evidence) (mem.Buffer, error) {
	if !c.config.Messages {
		out := frame{received: mem.SliceBuffer(nil)}
		err := s.RecvMsg(&out)
		return out.received, err
	}
	m := dynamicpb.NewMessage(c.method.Output())
	if err := s.RecvMsg(answer{m}); err != nil {
		return nil, err
	}
	reply, err := replies.Marshal(m)
	if err != nil {
		seen.replied = true
		return nil, status.Error(codes.Internal, fmt.Sprintf("the reply is no valid %s: %v", c.method.Output().FullName(), err))
	}
	return mem.SliceBuffer(reply), nil
}
