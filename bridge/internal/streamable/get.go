package streamable

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// headerLastEvent is the canonical name of the header with which a client comes back to a stream.
const headerLastEvent = "Last-Event-Id"

// get opens the stream of a legacy session for what belongs to no request, or resumes the answer to a POST whose
// connection has ended before it (2025-11-25 basic/transports, "Listening for Messages from the Server" and
// "Resumability and Redelivery").
func (h *Handler) get(x *exchange, r *http.Request) {
	if refused := h.checkGet(r); refused != nil {
		x.refuse(refused)
		return
	}
	conn, denied := h.gate.Open(r.Context(), headersOf(r.Header), "")
	if denied != nil {
		h.deny(x, denied)
		return
	}
	x.peer = peerOf(r)
	conn.SetPeer(x.peer)
	last, given := first(r.Header, headerLastEvent)
	id, known := parseID(conn.SessionID(), last)
	switch {
	case !given || last == "", known && id.kind == kindListen:
		h.listening(r.Context(), x, conn)
	case !known:
		x.refuse(refuse(http.StatusBadRequest,
			"the Last-Event-ID is not from a stream of this session: send the id of the last event received, or none to open the session's stream"))
	default:
		h.resuming(r.Context(), x, conn, id)
	}
}

// checkGet holds a GET against what can be known without its session.
func (h *Handler) checkGet(r *http.Request) *refusal {
	switch {
	case !accepts(r.Header["Accept"], mediaEvents):
		return refuse(http.StatusNotAcceptable, "Accept excludes the stream's media type: send Accept: text/event-stream")
	case r.ContentLength != 0:
		return refuse(http.StatusBadRequest, "a GET has no body: send JSON-RPC messages in a POST")
	case h.closed.Err() != nil:
		return stopping()
	}
	return nil
}

// reader is a GET that reads a stream.
type reader struct {
	x      *exchange
	conn   *lifecycle.Conn
	stream *stream
	ctx    context.Context // ends when there is nothing more to read, or nobody who does
	over   context.Context // ends with the call whose answer is read; nil where it is not in flight here
}

// listening serves the stream of what belongs to no request, until Drain.
func (h *Handler) listening(ctx context.Context, x *exchange, conn *lifecycle.Conn) {
	switch {
	case h.drained.Err() != nil:
		x.refuse(stopping())
		return
	case !h.streams.take():
		x.refuse(busy("streams", h.streams.most))
		return
	}
	defer h.streams.giveBack()
	h.attach(ctx, h.drained, x, conn, "listen", h.announce)
}

// resuming serves the rest of the answer to a POST, until Close. Where the call is in flight here, Close ends the call,
// and it is the end of the call that ends the stream, with its last word. It lasts as long as a call, and so takes a place
// among the calls, those of the streams that last for ever may all be taken; or one of those kept besides, since the call that
// it reads may be one of many that hold all others until their clients have read what they ask.
func (h *Handler) resuming(ctx context.Context, x *exchange, conn *lifecycle.Conn, id eventID) {
	from := h.room(true)
	if from == nil {
		x.refuse(busy("requests", h.calls.most))
		return
	}
	defer from.giveBack()
	end, over := h.closed, h.live.over(streamKey{conn.SessionID(), id.stream})
	if over != nil {
		end = context.WithoutCancel(end)
	}
	h.attach(ctx, end, x, conn, fmt.Sprintf("stream %d", id.stream), func(rd *reader) {
		rd.over = over
		h.resume(rd, id)
	})
}

// attach has serve send a stream of the session, under the name of which the session has one at a time. It ends with end.
func (h *Handler) attach(ctx, end context.Context, x *exchange, conn *lifecycle.Conn, name string, serve func(*reader)) {
	limitNoReading(x.w)
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	life := h.lifetimeOf(ctx, end, true)
	defer life.release()
	ctx, detach, denied := conn.Attach(life.ctx, name)
	if denied != nil {
		h.deny(x, denied)
		return
	}
	defer detach()
	s := h.newStream(x, leave)
	s.alive = func(ctx context.Context) bool { return h.touch(ctx, conn) }
	defer s.close()
	serve(&reader{x: x, conn: conn, stream: s, ctx: ctx})
	switch {
	case lifecycle.Replaced(ctx):
		s.part(h.retry)
	case lifecycle.Cancelled(ctx):
		s.cut(telemetry.CutSession)
	case errors.Is(context.Cause(ctx), server.ErrStopped):
		s.cut(telemetry.CutShutdown)
	}
}

// touch keeps the session from being taken for unused, and reports false when it has ended.
func (h *Handler) touch(ctx context.Context, conn *lifecycle.Conn) bool {
	gone := conn.Touch(ctx)
	if gone != nil && gone.Cause != nil && ctx.Err() == nil {
		h.log.ErrorContext(ctx, "sessions cannot be reached", "error", gone.Cause)
	}
	return gone == nil || gone.Status != http.StatusNotFound
}

// announce sends what belongs to no request. Its stream is not kept: what has changed while no stream was open is
// announced when there is one again. A client that knows how to come back gets an id to come back with, for which it gets a
// new stream.
func (h *Handler) announce(rd *reader) {
	rd.stream.open()
	if rd.conn.Features().Polling {
		id := formatID(rd.conn.SessionID(), eventID{kind: kindListen, stream: newStream()})
		if rd.stream.prime(id, h.retry) != nil {
			return
		}
	}
	switch err := h.listen(rd.ctx, rd.conn, announcements{rd.stream}); {
	case rd.ctx.Err() != nil, err == nil:
	case errors.Is(err, server.ErrStopped):
		rd.stream.cut(telemetry.CutShutdown)
	default:
		rd.stream.cut(telemetry.CutSession) // what else ends it has ended the context
		h.log.WarnContext(rd.ctx, "a session's stream ended early", "error", err)
	}
}

// announcements is the server.Sink of a stream that is not kept.
type announcements struct{ stream *stream }

// Send implements server.Sink.
func (a announcements) Send(_ context.Context, message []byte) error {
	return a.stream.event("", message)
}

// firstLook is how long it is waited for the rest of a stream before its head is sent, which says that there is one.
const firstLook = 50 * time.Millisecond

// lastLook is how long it is waited for an event of a call that has ended. All of them are in the journal by then, but for
// those that could not be kept: where the last is among these, the journal does not know that the stream has ended.
const lastLook = time.Second

// resume sends what comes after the event that a client has seen last, until the end of the call. It takes the place of the
// HTTP request that began the stream when it is known that there is something to send: a client that is refused loses nothing.
func (h *Handler) resume(rd *reader, id eventID) {
	key := streamKey{rd.conn.SessionID(), id.stream}
	look, cancel := context.WithTimeout(rd.ctx, firstLook)
	events, ended, err := h.journal.Read(look, key.session, key.number, id.number)
	cancel()
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		h.refuseResumption(rd, err)
		return
	}
	leave := h.live.resume(key)
	defer leave()
	rd.stream.open()
	for h.forward(rd, events, key) && !ended {
		if len(events) > 0 {
			id.number = events[len(events)-1].Number
		}
		events, ended, err = h.readOn(rd, key, id.number)
		if err != nil {
			h.log.DebugContext(rd.ctx, "the rest of a stream is not sent", "error", err)
			return
		}
	}
}

// readOn waits for what comes after an event, but not for ever where the call is over.
func (h *Handler) readOn(rd *reader, key streamKey, after uint64) ([]session.Event, bool, error) {
	ctx, cancel := context.WithCancel(rd.ctx)
	defer cancel()
	if rd.over != nil {
		defer context.AfterFunc(rd.over, func() { time.AfterFunc(lastLook, cancel) })()
	}
	return h.journal.Read(ctx, key.session, key.number, after)
}

// forward sends events of the journal and reports whether their reader is still there.
func (h *Handler) forward(rd *reader, events []session.Event, key streamKey) bool {
	for _, e := range events {
		if rd.ctx.Err() != nil {
			return false
		}
		if len(e.Data) == 0 {
			continue
		}
		if rd.stream.event(formatID(key.session, eventID{kindCall, key.number, e.Number}), e.Data) != nil {
			return false
		}
	}
	return true
}

// refuseResumption answers a GET whose stream cannot be read.
func (h *Handler) refuseResumption(rd *reader, err error) {
	switch {
	case errors.Is(err, session.ErrNoStream):
		rd.x.refuse(refuse(http.StatusNotFound, "%v", session.ErrNoStream))
	case rd.ctx.Err() != nil:
		rd.x.refuse(h.overtaken(rd.ctx))
	default:
		h.log.ErrorContext(rd.ctx, "a stream cannot be read", "error", err)
		rd.x.refuse(internalError())
	}
}

// overtaken is what a GET gets whose context ends before its stream has begun.
func (h *Handler) overtaken(ctx context.Context) *refusal {
	switch {
	case lifecycle.Cancelled(ctx):
		return refuse(http.StatusNotFound, "%v", session.ErrNotFound)
	case h.closed.Err() != nil:
		return stopping()
	}
	return refuse(http.StatusConflict, "the stream was opened anew by another GET of the session, which has it now")
}
