package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// Call is a message that has been admitted. Run it once.
type Call struct {
	server  *Server
	request request
	id      jsonrpc.ID
	name    string  // of the method
	handler handler // nil when there is nothing left to do
	done    func()  // ends the registration with the gate
	reply   Reply
}

// Admit takes one decoded message and returns without waiting for a backend.
// Messages of one stream must come in the order of their arrival.
// Notifications, responses, initialize and whatever is refused are finished
// then; any other request is registered with the gate, so that a cancellation
// right behind it finds it, and is still to be run. It never panics.
//
// ctx bounds the request; a transport cancels it where the client's leaving is
// a cancellation. The message's params must stay unchanged until Run returns.
//
// What the call has to say before its reply, and a listen stream beside it,
// goes to out; where that is nil, it is not said.
func (s *Server) Admit(ctx context.Context, c *lifecycle.Conn, msg jsonrpc.Message, out Sink) (call *Call) {
	call = &Call{server: s, id: msg.ID, name: msg.Method, request: request{ctx: ctx, conn: c, params: msg.Object(), id: msg.ID, out: out}}
	defer call.rescue()
	switch msg.Kind {
	case jsonrpc.KindRequest:
		call.admit(&msg)
	case jsonrpc.KindNotification:
		call.reply = nothing
		if refusal := s.gate.Notify(ctx, c, &msg); refusal != nil {
			call.refuse(jsonrpc.ID{}, refusal)
		}
	default: // a response
		call.reply = nothing
		if refusal := c.Answer(ctx, &msg); refusal != nil {
			call.refuse(jsonrpc.ID{}, refusal)
		}
	}
	return call
}

// Finished reports whether Run has nothing left to do.
func (c *Call) Finished() bool { return c.handler == nil }

// Context is done when the request is cancelled: a transport that lets the call
// wait for its turn may then run it at once. Of a finished call it says nothing.
func (c *Call) Context() context.Context { return c.request.ctx }

// Streams reports whether the call is subscriptions/listen: it sends on its
// stream until it is cancelled, so that a transport gives it room of its own.
func (c *Call) Streams() bool { return c.handler != nil && c.name == mcp.MethodSubscriptionsListen }

// CloseStreamAfter returns after how long a transport closes the response
// stream, for the client to come back for the rest (2025-11-25 basic/transports,
// "Sending Messages to the Server"): above zero for a tools/call whose tool says
// so and whose client knows how to come back; else zero.
func (c *Call) CloseStreamAfter() time.Duration {
	if c.handler == nil || c.name != mcp.MethodToolsCall || !c.request.scope.Features.Polling {
		return 0
	}
	params, err := mcp.ParseCallTool(c.request.params)
	if err != nil {
		return 0
	}
	if tool := calledTool(c.server.catalog(), params); tool != nil {
		return tool.CloseStreamAfter
	}
	return 0
}

// Run serves the request and ends its registration. It never panics: a fault in
// one call is that call's -32603, and is logged.
func (c *Call) Run() Reply { return c.RunApart().Whole() }

// RunApart is [Call.Run] for a transport that sends the page of a list by itself:
// the reply's Body may lack it, and then its Page is not nil.
func (c *Call) RunApart() Reply {
	if c.handler != nil {
		c.serve()
		c.handler = nil
	}
	return c.reply
}

// admit has the gate admit a request.
func (c *Call) admit(msg *jsonrpc.Message) {
	ctx, scope, done, err := c.server.gate.Begin(c.request.ctx, c.request.conn, msg)
	if err != nil {
		c.observe(c.unadmitted())
		c.fail(c.id, err, http.StatusBadRequest)
		c.observed()
		return
	}
	c.request.ctx, c.request.scope, c.done = ctx, scope, done //nolint:fatcontext // once per call
	c.request.method = msg.Method
	c.resume(scope)
	c.observe(scope)
	if msg.Method == mcp.MethodInitialize && !scope.Features.Modern {
		defer c.observed()
		defer c.rescue()
		defer done()
		c.initialize()
		return
	}
	if c.handler, err = find(msg.Method, scope.Features); err != nil {
		done()
		c.fail(c.id, err, lifecycle.Status(scope, err))
		c.observed()
	}
}

// serve runs the handler and makes the reply, which is nothing when nobody
// waits for it any more.
func (c *Call) serve() {
	defer c.observed()
	defer c.done()
	defer c.rescue()
	dst, err := c.handleWhileOpen(c.server.begin(c.id))
	switch {
	case dst == nil && err == nil, c.request.ctx.Err() != nil && (err != nil || !c.Streams()): // a stream's result may follow its end
		c.reply = nothing
		c.request.unanswered(c.Streams())
		c.abandon()
	case c.request.refusal != nil:
		c.refuse(c.id, c.request.refusal)
	case err != nil:
		c.fail(c.id, err, lifecycle.Status(c.request.scope, err))
		c.request.outcome.Message = cmp.Or(c.request.fault, c.request.outcome.Message)
	default:
		c.reply = Reply{
			Body: end(dst), Status: http.StatusOK, Page: c.request.page, PageAt: c.request.pageAt,
			Release: c.server.taken, Spent: c.spent(),
		}
	}
}

// abandon gives up the task of a call that is not answered: its client cannot know
// of it.
func (c *Call) abandon() {
	if created := c.request.created; created != nil {
		_ = c.server.tasks.Cancel(c.request.scope.Principal, created.ID) // which is there, or its time is over
	}
}

// spent reports whether the call has left nothing behind that is a part of its
// message: of a tool's in the modern era nothing is, but for a task, as it has no
// session that would remember, and its arguments have become wire bytes.
func (c *Call) spent() bool {
	return c.name == mcp.MethodToolsCall && c.request.scope.Features.Modern && c.request.created == nil
}

// refuse makes a refusal of the gate the reply.
func (c *Call) refuse(id jsonrpc.ID, r *lifecycle.Refusal) {
	switch {
	case errors.Is(r.Cause, session.ErrFull):
		c.server.log.WarnContext(c.request.ctx, "no room for sessions", "method", c.name, "error", r.Cause)
	case r.Cause != nil:
		c.server.log.ErrorContext(c.request.ctx, "session store failed", "method", c.name, "error", r.Cause)
	}
	c.fail(id, r.Error, r.Status)
	c.reply.RetryAfter = r.RetryAfter
}

// fail makes an error the reply.
func (c *Call) fail(id jsonrpc.ID, e *jsonrpc.Error, status int) {
	c.reply = failed(id, e, status)
	c.request.outcome = telemetry.Outcome{Code: e.Code, Message: e.Message}
}

// rescue makes a panic the failure of this call alone.
func (c *Call) rescue() {
	fault := recover()
	if fault == nil {
		return
	}
	c.server.log.ErrorContext(c.request.ctx, "panic in a call", "method", c.name, "panic", fault, "stack", string(debug.Stack()))
	c.handler = nil
	c.reply = nothing
	switch {
	case c.id.IsZero():
	case canAsk(c.name):
		c.fail(c.id, internal(), http.StatusInternalServerError)
	default:
		c.fail(c.id, jsonrpc.Internal(), http.StatusInternalServerError)
	}
}
