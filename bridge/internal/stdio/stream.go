package stdio

import (
	"context"
	"io"
	"runtime/debug"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// call is an admitted message; *server.Call is one.
type call interface {
	// Finished reports whether nothing is left to run.
	Finished() bool
	// Context ends when the call is cancelled.
	Context() context.Context
	// Run serves the call, once, and returns what to send; an empty body is nothing.
	Run() server.Reply
}

// admission admits messages in the order of their arrival.
type admission func(ctx context.Context, msg jsonrpc.Message) call

// stream is the conversation with one client. Its fields belong to the goroutine of serve, channels and out apart.
type stream struct {
	cfg    Config
	admit  admission
	out    *output
	calls  *lane
	prompt *lane // of the requests in promptMethods
}

// lane is room for requests that wait for each other and for no others.
type lane struct {
	running chan struct{} // a place is taken by each request that runs
	pending chan struct{} // a place is taken by each request that is admitted and has not ended
	drained int           // places of pending that drain has taken
}

func newLane(running, pending int) *lane {
	return &lane{running: make(chan struct{}, running), pending: make(chan struct{}, pending)}
}

func serve(ctx context.Context, cfg Config, admit admission, r io.Reader, w io.Writer) error {
	s := &stream{
		cfg:    cfg,
		admit:  admit,
		out:    writeLines(w, cfg.WriteTimeout),
		calls:  newLane(cfg.MaxRunning, cfg.MaxPending),
		prompt: newLane(cfg.MaxPending, cfg.MaxPending),
	}
	in := readLines(r, cfg.MaxLine)
	calls, cancel := context.WithCancel(ctx)
	defer cancel()
	err := s.converse(ctx, calls, in)
	if err == nil {
		s.finish(ctx)
	}
	cancel()
	if stuck := s.close(ctx, in); err == nil {
		err = stuck
	}
	return err
}

// converse takes lines until there are no more (nil), until ctx ends (nil), or until reading or writing fails. Requests
// run in calls.
func (s *stream) converse(ctx, calls context.Context, in *input) error {
	for {
		select {
		case l, open := <-in.lines:
			if !open {
				return in.err
			}
			s.take(calls, l)
		case <-s.out.dead:
			return s.out.failure()
		case <-ctx.Done():
			return nil
		}
	}
}

// finish gives calls in flight the grace that they have at the end of the input.
func (s *stream) finish(ctx context.Context) {
	if s.cfg.Grace < 0 {
		return
	}
	grace, cancel := context.WithTimeout(ctx, s.cfg.Grace)
	defer cancel()
	s.drain(grace)
}

// close waits for the calls, which are cancelled, and ends writer and reader, each within its bound.
func (s *stream) close(ctx context.Context, in *input) error {
	stopped := s.drainWithin(ctx, callStop)
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

// drainWithin is drain with a bound of its own, also when ctx has ended.
func (s *stream) drainWithin(ctx context.Context, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d)
	defer cancel()
	return s.drain(ctx)
}

// drain waits until no request is pending, or until ctx ends, and reports the former.
func (s *stream) drain(ctx context.Context) bool { return s.prompt.drain(ctx) && s.calls.drain(ctx) }

// drain is that of one lane. It takes all the places of pending, so that none is left to a further request.
func (l *lane) drain(ctx context.Context) bool {
	for ; l.drained < cap(l.pending); l.drained++ {
		select {
		case l.pending <- struct{}{}:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// promptMethods lists the requests that are answered from what is at hand. They have a lane of their own and wait for no call, so
// that a client which asks whether the server lives (2025-11-25, ping: "MUST respond promptly") hears that it does.
var promptMethods = map[string]bool{
	mcp.MethodInitialize: true,
	mcp.MethodPing:       true,
	mcp.MethodDiscover:   true,
	mcp.MethodToolsList:  true,
}

// take decodes and admits one line, and starts its request if it is a call. It waits for no call.
func (s *stream) take(ctx context.Context, l line) {
	defer s.rescue(ctx, jsonrpc.ID{})
	if l.tooLong {
		s.refuse(ctx, jsonrpc.ID{}, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"a line of more than %d bytes: send a smaller message", s.cfg.MaxLine))
		return
	}
	msg, malformed := jsonrpc.Decode(l.text, jsonrpc.DefaultLimits)
	if malformed != nil {
		s.refuse(ctx, msg.ID, malformed)
		return
	}
	switch {
	case msg.Kind != jsonrpc.KindRequest:
		s.reply(ctx, s.admit(ctx, msg).Run())
	case promptMethods[msg.Method]:
		if s.wait(ctx) {
			s.start(ctx, msg, s.prompt)
		}
	case s.calls.reserve():
		s.start(ctx, msg, s.calls)
	default: // rather than wait: a cancellation, which makes room, may be next
		s.refuse(ctx, msg.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"%d requests have not been answered yet, which is the most: this one was not carried out; wait for answers and send it again", s.cfg.MaxPending))
	}
}

// reserve takes a place in pending if there is one.
func (l *lane) reserve() bool {
	select {
	case l.pending <- struct{}{}:
		return true
	default:
		return false
	}
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
func (s *stream) start(ctx context.Context, msg jsonrpc.Message, l *lane) {
	started := false
	defer func() {
		if !started {
			<-l.pending
		}
	}()
	defer s.rescue(ctx, msg.ID)
	c := s.admit(ctx, msg)
	if c.Finished() {
		s.reply(ctx, c.Run())
		return
	}
	started = true
	go s.run(context.WithoutCancel(ctx), c, msg.ID, l) // what is ready when the stream ends still goes out, while there is a writer
}

// run runs an admitted request when there is a place in running of its lane. One that is cancelled while it waits is run as well,
// since only that ends it with the gate. ctx bounds the handing over of its answer.
func (s *stream) run(ctx context.Context, c call, id jsonrpc.ID, l *lane) {
	defer func() { <-l.pending }()
	defer s.rescue(ctx, id)
	select {
	case l.running <- struct{}{}:
		defer func() { <-l.running }()
	case <-c.Context().Done():
	}
	s.reply(ctx, c.Run())
}

func (s *stream) reply(ctx context.Context, r server.Reply) {
	if len(r.Body) > 0 {
		s.out.send(ctx, r.Body)
	}
}

// refuse answers what is no message. Where its id is not known the answer has none: MCP ids are never null, and its schema
// (2025-11-25, JSONRPCErrorResponse) lets an error go without.
func (s *stream) refuse(ctx context.Context, id jsonrpc.ID, e *jsonrpc.Error) {
	s.out.send(ctx, jsonrpc.AppendError(nil, id, e))
}

// rescue is deferred around everything that serves a message: a panic ends that message alone. It is logged with its
// stack, of which the client sees nothing.
func (s *stream) rescue(ctx context.Context, id jsonrpc.ID) {
	p := recover()
	if p == nil {
		return
	}
	s.cfg.Logger.Error("panic while serving a message", "panic", p, "stack", string(debug.Stack()))
	if id.IsZero() {
		return // a notification is never answered
	}
	s.refuse(ctx, id, jsonrpc.Errorf(jsonrpc.CodeInternal, "internal error: the message failed inside the server; its log has the details"))
}
