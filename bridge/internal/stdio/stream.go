package stdio

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// stream is the conversation with one client. Its fields belong to the goroutine of serve, channels, out and open apart.
type stream struct {
	cfg      Config
	peer     peer
	out      *output
	calls    *lane
	prompt   *lane // of the requests in promptMethods
	streams  *lane // of subscriptions/listen
	open     unanswered
	listens  context.Context // of these, which end by other reasons than calls
	listened chan struct{}
}

func serve(ctx context.Context, cfg Config, p peer, r io.Reader, w io.Writer) error {
	s := &stream{
		cfg:      cfg,
		peer:     p,
		out:      writeLines(w, cfg.WriteTimeout),
		calls:    newLane(cfg.MaxRunning, cfg.MaxPending),
		prompt:   newLane(cfg.MaxPending, cfg.MaxPending),
		streams:  newLane(cfg.MaxStreams, cfg.MaxStreams),
		listened: make(chan struct{}),
	}
	in := readLines(r, cfg.MaxLine, func() { s.out.hurry(lastRead) })
	// Not ended by ctx itself, which would leave the calls without the reason.
	calls, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	listens, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	s.listens = listens
	go s.listen(listens)
	err := s.converse(ctx, calls, in)
	if err == nil {
		s.finish(ctx)
	}
	if err == nil || s.out.failure() == nil {
		cut(server.ErrStopped) // who still waits is told
	}
	if err == nil && ctx.Err() != nil {
		end(server.ErrStopped)
	}
	cut(nil)
	end(nil)
	if stuck := s.close(ctx, in); err == nil {
		err = stuck
	}
	if errors.Is(err, ErrBlocked) {
		cfg.Telemetry.StreamCut(telemetry.CutSlow)
	}
	return err
}

// converse takes lines until there are no more (nil), until ctx ends (nil), or until reading or writing fails. Requests
// run in calls.
func (s *stream) converse(ctx, calls context.Context, in *input) error {
	answers, release := outlast(ctx, ioStop) // for what was taken right before the end
	defer release()
	for {
		select {
		case l, open := <-in.lines:
			if !open {
				return in.err
			}
			s.take(answers, calls, l)
		case <-s.out.dead:
			return s.out.failure()
		case <-ctx.Done():
			return nil
		}
	}
}

// listen has the server send what belongs to no request, until ctx ends.
func (s *stream) listen(ctx context.Context) {
	defer close(s.listened)
	defer s.rescue(ctx, jsonrpc.ID{}, s.send)
	err := s.peer.Listen(ctx, sink{s.out})
	if err != nil && !errors.Is(err, server.ErrStopped) && ctx.Err() == nil && s.out.failure() == nil {
		s.cfg.Logger.ErrorContext(ctx, "changes are announced no more on this stream", "error", err)
	}
}

// finish gives calls in flight the grace that they have when no more of them are taken, be it that the input has ended or ctx.
// Streams have none: they end only when they are told to.
func (s *stream) finish(ctx context.Context) {
	if s.cfg.Grace < 0 {
		return
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Grace)
	defer cancel()
	_ = s.prompt.drain(grace) && s.calls.drain(grace) // what is left is cancelled
}

// close waits for the calls, which are cancelled, answers those that do not stop, and ends writer and reader, each within its
// bound.
func (s *stream) close(ctx context.Context, in *input) error {
	stopped := s.drainWithin(ctx, callStop)
	if !stopped {
		s.answerStuck(ctx)
	}
	s.out.stop()
	in.stop()
	if !stopped { // because of the writer alone, perhaps: it holds nobody up any more
		stopped = s.drainWithin(ctx, ioStop)
	}
	if err := s.out.failure(); err != nil {
		return err
	}
	if !stopped {
		return ErrStuck
	}
	return nil
}

// drainWithin waits at most for d until nothing runs any more, also when ctx has ended, and reports whether that is so.
func (s *stream) drainWithin(ctx context.Context, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d)
	defer cancel()
	if !s.prompt.drain(ctx) || !s.calls.drain(ctx) || !s.streams.drain(ctx) {
		return false
	}
	select {
	case <-s.listened:
		return true
	case <-ctx.Done():
		return false
	}
}

// send hands the body of an answer to the writer; an empty one is nothing. What cannot be sent is lost with the stream.
func (s *stream) send(ctx context.Context, body []byte) {
	if len(body) > 0 {
		_ = s.out.send(ctx, body)
	}
}

// rescue is deferred around everything that serves a message: a panic ends that message alone. It is logged with its
// stack, of which the client sees nothing.
func (s *stream) rescue(ctx context.Context, id jsonrpc.ID, to answer) {
	p := recover()
	if p == nil {
		return
	}
	s.cfg.Logger.ErrorContext(ctx, "panic while serving a message", "panic", p, "stack", string(debug.Stack()))
	if id.IsZero() {
		to(ctx, nil) // a notification is never answered
		return
	}
	to(ctx, refusal(id, jsonrpc.Internal()))
}

// refusal is the answer to what is not served. Where its id is not known the answer has none: MCP ids are never null, and its
// schema (2025-11-25, JSONRPCErrorResponse) lets an error go without.
func refusal(id jsonrpc.ID, e *jsonrpc.Error) []byte { return jsonrpc.AppendError(nil, id, e) }
