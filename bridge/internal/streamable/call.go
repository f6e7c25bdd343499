package streamable

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// call is a message that the server has admitted; *server.Call is.
type call interface {
	// Run serves the request. An empty Body of the reply means that there is nothing to say.
	Run() server.Reply
	// RunApart is Run where the reply may have the page of a list beside its Body.
	RunApart() server.Reply
	// CloseStreamAfter is above zero where the client is to come back for the rest after that time.
	CloseStreamAfter() time.Duration
	// Streams reports whether the call is a stream of notifications that lasts until the client leaves.
	Streams() bool
}

// job is what one POST asked for, on its way to its answer.
type job struct {
	h   *Handler
	x   *exchange
	ctx context.Context // of the calls
	// client ends when the client leaves; it is ctx where that ends with it.
	client  context.Context
	out     *outbox // nil where the client takes no stream
	stop    func()  // ends ctx by the server's own will
	release func()  // of ctx and client
	place   func()  // gives the place among the calls back
}

// newJob returns the job of a POST that the gate has let in. ctx ends when the client leaves. place is called when the
// calls have ended.
func (h *Handler) newJob(ctx context.Context, x *exchange, conn *lifecycle.Conn, place func()) *job {
	j := &job{h: h, x: x, place: place}
	var calls lifetime
	var leave func()
	if conn.DisconnectCancels() { // the client's leaving is the end of its calls, for which one context does
		calls = h.lifetimeOf(ctx, h.closed, true)
		j.client, leave, j.release = calls.ctx, calls.release, calls.release
	} else {
		j.client, leave = context.WithCancel(ctx)
		calls = h.lifetimeOf(j.client, h.closed, false)
		j.release = func() { calls.release(); leave() }
	}
	j.ctx, j.stop = calls.ctx, calls.stop
	if x.events {
		j.out = h.newOutbox(x, conn, leave, calls.audience)
	}
	return j
}

// free releases what the job holds, when its calls have ended.
func (j *job) free() {
	if j.out.started() {
		j.out.finish(j.ctx)
		j.h.live.end(streamKey{j.out.session, j.out.number})
	}
	j.release()
	j.place()
}

// sink is where the calls of the job say what comes before their replies; nil where they cannot.
func (j *job) sink() server.Sink {
	if j.out == nil {
		return nil
	}
	return j.out
}

// single admits one message, serves it, and answers.
func (j *job) single(conn *lifecycle.Conn, msg jsonrpc.Message) {
	parted := false
	defer func() {
		j.out.release()
		if !parted {
			j.free()
		}
	}()
	c := j.h.admit(j.ctx, conn, msg, j.sink())
	switch after := c.CloseStreamAfter(); {
	case c.Streams():
		j.listen(c, msg)
	case after > 0 && j.out != nil && j.out.resumable:
		parted = j.part(c, msg, after)
	default:
		j.answer(c.RunApart(), msg)
	}
}

// answer sends the reply to the message of the job.
func (j *job) answer(reply server.Reply, msg jsonrpc.Message) {
	if j.out.settle() {
		j.conclude(reply.Whole(), msg)
		return
	}
	cause := context.Cause(j.ctx)
	stopped := errors.Is(cause, server.ErrStopped)
	switch {
	case stopped && len(reply.Body) == 0 && msg.Kind == jsonrpc.KindRequest:
		j.x.refuse(cutShort())
	case cause != nil && !stopped:
		j.x.abandon() // it MUST NOT be sent any message more (2026-07-28, cancellation)
	default:
		j.x.answer(reply)
	}
}

// conclude sends the reply as the last event of the stream, and keeps it for a client that comes back.
func (j *job) conclude(reply server.Reply, msg jsonrpc.Message) {
	cause := context.Cause(j.ctx)
	if cause != nil && !errors.Is(cause, server.ErrStopped) && !j.out.resumable {
		j.x.abandon()
	}
	last := reply.Body
	if len(last) == 0 {
		last = lastWord(cause, msg)
		j.cut()
	}
	if len(last) == 0 {
		j.out.finish(j.ctx)
		return
	}
	j.out.finish(j.ctx, last)
}

// lastWord is what the client of a request gets that came to no reply for this cause: nothing where it has cancelled.
func lastWord(cause error, msg jsonrpc.Message) []byte {
	switch {
	case msg.Kind != jsonrpc.KindRequest:
		return nil
	case errors.Is(cause, server.ErrStopped):
		return jsonrpc.AppendError(nil, msg.ID, cutShort().err)
	case errors.Is(cause, errOrphaned):
		return jsonrpc.AppendError(nil, msg.ID, orphaned().err)
	}
	return nil
}

// listen serves a call that is a stream: it takes a place among those, and none among the calls.
func (j *job) listen(c call, msg jsonrpc.Message) {
	switch {
	case j.h.drained.Err() != nil:
		j.x.refuse(stopping())
		return
	case !j.h.streams.take():
		j.x.refuse(busy("streams", j.h.streams.most))
		return
	}
	defer j.h.streams.giveBack()
	defer context.AfterFunc(j.h.drained, j.stop)()
	j.place()
	j.place = func() {}
	reply := c.Run()
	j.cut()
	j.answer(reply, msg)
}

// cut counts the stream of a job that Drain or Close has ended.
func (j *job) cut() {
	if j.out.started() && errors.Is(context.Cause(j.ctx), server.ErrStopped) {
		j.out.stream.cut(telemetry.CutShutdown)
	}
}

// part serves a call whose answer ends after a time, while the call goes on, for the client to come back for the rest. It
// reports whether the call goes on by itself and releases what the job holds.
func (j *job) part(c call, msg jsonrpc.Message, after time.Duration) bool {
	j.out.start(j.ctx)
	done := make(chan struct{})
	if !j.out.resumable || !j.h.background(func() {
		defer close(done)
		defer j.free()
		defer j.rescue(msg)
		j.conclude(c.Run(), msg)
	}) {
		j.conclude(c.Run(), msg)
		return false
	}
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-done:
	case <-j.client.Done():
		j.out.part(j.h.retry)
	case <-timer.C:
		j.out.part(j.h.retry)
	}
	return true
}

// rescue is deferred around a call that goes on by itself, where net/http does not see a panic.
func (j *job) rescue(msg jsonrpc.Message) {
	if p := recover(); p != nil {
		logPanic(j.ctx, j.h.log, p)
		j.out.finish(j.ctx, jsonrpc.AppendError(nil, msg.ID, internalError().err))
	}
}
