package stdio

import (
	"bytes"
	"context"
	"errors"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// answer takes what a message is answered with, once for each message. An empty body says that it has no answer.
type answer func(ctx context.Context, body []byte)

// take decodes one line and has its message served, or its messages. It waits for no call. ctx is that of the stream, and
// the messages are served in calls.
func (s *stream) take(ctx, calls context.Context, l line) {
	switch {
	case l.tooLong:
		s.send(ctx, refusal(jsonrpc.ID{}, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"a line of more than %d bytes: send a smaller message", s.cfg.MaxLine)))
	case bytes.HasPrefix(l.text, []byte("[")) && s.peer.Batches():
		s.takeBatch(ctx, calls, l.text)
	default:
		msg, malformed := jsonrpc.Decode(l.text, jsonrpc.DefaultLimits)
		if malformed != nil {
			s.send(ctx, refusal(msg.ID, malformed))
			return
		}
		s.serve(ctx, calls, msg, s.send)
	}
}

// serve admits one message and starts its request if it is a call.
func (s *stream) serve(ctx, calls context.Context, msg jsonrpc.Message, to answer) {
	switch {
	case msg.Kind != jsonrpc.KindRequest || orderedMethods[msg.Method]:
		s.serveNow(ctx, calls, msg, to)
	case promptMethods[msg.Method]:
		if !s.wait(ctx) {
			to(ctx, nil)
			return
		}
		s.start(ctx, calls, msg, s.prompt, to)
	case msg.Method == mcp.MethodSubscriptionsListen:
		if s.streams.reserve() {
			s.start(ctx, s.listens, msg, s.streams, to)
			return
		}
		to(ctx, refusal(msg.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"%d requests listen on this stream, which is the most: cancel one, or listen for more with one", s.cfg.MaxStreams)))
	case s.calls.reserve():
		s.start(ctx, calls, msg, s.calls, to)
	default: // rather than wait: a cancellation, which makes room, may be next
		to(ctx, refusal(msg.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"%d requests have not been answered yet, which is the most: this one was not carried out; wait for answers and send it again",
			s.cfg.MaxPending)))
	}
}

// serveNow serves a message before the next one is looked at.
func (s *stream) serveNow(ctx, calls context.Context, msg jsonrpc.Message, to answer) {
	defer s.rescue(ctx, msg.ID, to)
	to(ctx, s.peer.Admit(calls, msg, sink{s.out}).Run().Body)
}

// wait waits for a place among the prompt requests, which are missing only while the client leaves as many answers unread;
// meanwhile nothing is read. It reports false when the stream ends first.
func (s *stream) wait(ctx context.Context) bool {
	select {
	case s.prompt.pending <- struct{}{}:
		return true
	case <-s.out.dead:
	case <-ctx.Done():
	}
	return false
}

// start admits a request, which has a place in pending of its lane, and runs it: at once when that is no work, else on a
// goroutine of its own, which drain waits for.
func (s *stream) start(ctx, calls context.Context, msg jsonrpc.Message, l *lane, to answer) {
	started := false
	defer func() {
		if !started {
			<-l.pending
		}
	}()
	defer s.rescue(ctx, msg.ID, to)
	c := s.peer.Admit(calls, msg, sink{s.out})
	if c.Finished() {
		to(ctx, c.Run().Body)
		return
	}
	started = true
	once := s.open.add(c, msg.ID, to)
	go s.run(context.WithoutCancel(ctx), c, msg.ID, l, once) // what is ready when the stream ends still goes out, while there is a writer
}

// run runs an admitted request when there is a place in running of its lane. One that is cancelled while it waits is run as well,
// since only that ends it with the gate. ctx bounds the handing over of its answer.
func (s *stream) run(ctx context.Context, c call, id jsonrpc.ID, l *lane, to onlyAnswer) {
	defer func() { <-l.pending }()
	defer s.rescue(ctx, id, func(ctx context.Context, body []byte) { to(ctx, body) })
	select {
	case l.running <- struct{}{}:
		defer func() { <-l.running }()
	case <-c.Context().Done():
	}
	streams := c.Streams()
	body := c.Run().Body
	if len(body) == 0 && !streams && errors.Is(context.Cause(c.Context()), server.ErrStopped) {
		body = refusal(id, server.CutShort())
	}
	if to(ctx, body) && streams {
		s.tearDown(ctx, id, body)
	}
}

// tearDown tells the client of a stream that the server has ended it (2026-07-28 basic/patterns/cancellation: "the server
// MUST send notifications/cancelled"). That is where it has come to a result: one that the client ends has none.
func (s *stream) tearDown(ctx context.Context, id jsonrpc.ID, body []byte) {
	if _, ended := jsonrpc.Find(body, "result"); ended {
		s.send(ctx, mcp.AppendCancelled(nil, id, "the server ends the stream"))
	}
}
