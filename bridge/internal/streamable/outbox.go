package streamable

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// outbox takes what a POST has to say before its answer: the first of it makes the answer a stream. In a session it all
// goes through the journal too, with ids, so that the client can come back for it. It is a server.Sink.
type outbox struct {
	h     *Handler
	x     *exchange
	conn  *lifecycle.Conn
	leave func() // as that of the stream
	// stream is made when the answer becomes one, which most never do; nil before.
	stream *stream
	// resumable says that the client can come back for what it has not seen: the journal has it, under session and number.
	resumable bool
	session   string
	number    uint64
	polling   bool // the client is told at once with what to come back
	audience  *audience

	mu    sync.Mutex // keeps the order of the journal and of the stream the same
	begun bool
	ended bool // the last event has been put
}

// newOutbox returns the outbox of a request. leave is called when its client can be sent nothing more.
func (h *Handler) newOutbox(x *exchange, conn *lifecycle.Conn, leave func(), a *audience) *outbox {
	o := &outbox{h: h, x: x, conn: conn, leave: leave, audience: a}
	if id := conn.SessionID(); id != "" && !conn.DisconnectCancels() {
		o.resumable, o.session, o.number, o.polling = true, id, newStream(), conn.Features().Polling
	}
	return o
}

// Send implements server.Sink.
func (o *outbox) Send(ctx context.Context, message []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return errLost
	}
	o.begin(ctx)
	return o.put(ctx, message, false)
}

// started reports whether the answer is a stream. A nil outbox never starts.
func (o *outbox) started() bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.begun
}

// settle ends what can be said where nothing was, since the answer is to be sent whole, and reports whether it is a stream
// already. A nil outbox never is.
func (o *outbox) settle() (stream bool) {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = o.ended || !o.begun
	return o.begun
}

// start makes the answer a stream before there is anything to say.
func (o *outbox) start(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begin(ctx)
}

// finish sends the last messages, which may be none, and ends the stream, for a client that comes back too. After the first
// time it does nothing.
func (o *outbox) finish(ctx context.Context, last ...[]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	o.ended = true
	if len(last) == 0 {
		last = [][]byte{nil}
	}
	for i, message := range last {
		_ = o.put(ctx, message, i == len(last)-1) // who is gone is gone
	}
}

// release ends what the answer needs of its HTTP exchange, which ends now. It may be called without a stream.
func (o *outbox) release() {
	if o.started() {
		o.h.live.unwritten(streamKey{o.session, o.number})
		o.stream.close()
	}
}

// part ends the answer and leaves the stream to the client that comes back for it, after d. Nothing is written any more.
func (o *outbox) part(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.stream.part(d)
	}
	o.stream.lost.Store(true)
}

// begin makes the answer a stream; the caller holds mu.
func (o *outbox) begin(ctx context.Context) {
	if o.begun {
		return
	}
	o.begun = true
	o.stream = o.h.newStream(o.x, o.leave)
	if o.resumable {
		o.stream.alive = func(ctx context.Context) bool { o.h.touch(ctx, o.conn); return true } // the call goes on without its session
		if err := o.h.journal.Open(context.WithoutCancel(ctx), o.session, o.number); err != nil {
			o.h.log.WarnContext(ctx, "a stream cannot be kept for its client to come back to", "error", err)
			o.resumable = false
		}
	}
	if o.resumable {
		o.h.live.begin(streamKey{o.session, o.number}, o.stream, o.audience)
	}
	o.stream.open()
	if o.resumable && o.polling {
		_ = o.stream.prime(formatID(o.session, eventID{kindCall, o.number, 0}), o.h.retry) // the message behind it tells whether it can be sent
	}
}

// put keeps a message and sends it; the caller holds mu. An empty one is no event, but may end the stream.
func (o *outbox) put(ctx context.Context, message []byte, last bool) error {
	id, kept := o.keep(ctx, message, last)
	var err error
	if len(message) > 0 {
		err = o.stream.event(id, message)
	}
	if kept {
		return nil
	}
	return err
}

// keep puts a message into the journal and returns its id.
func (o *outbox) keep(ctx context.Context, message []byte, last bool) (id string, kept bool) {
	if !o.resumable {
		return "", false
	}
	n, err := o.h.journal.Append(context.WithoutCancel(ctx), o.session, o.number, message, last)
	if err != nil {
		if !errors.Is(err, session.ErrNoStream) { // else the session has ended
			o.h.log.WarnContext(ctx, "a message is not kept for a client that comes back", "error", err)
		}
		return "", false
	}
	return formatID(o.session, eventID{kindCall, o.number, n}), true
}
