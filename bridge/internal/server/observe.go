package server

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/redact"
	"github.com/mcpgrpc/bridge/bridge/internal/task"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// observation is what a request leaves behind for those who run the bridge, or a
// task: a span and a duration, and a line in a log that is enabled for debug. Each
// request has one that has come as far as the gate, whether or not it is
// admitted, but for one over HTTP whose session is not there. A notification has
// none, and neither has what cannot be read.
type observation struct {
	operation *telemetry.Operation // nil records nothing
	outcome   telemetry.Outcome
	// content says that the arguments and the result are recorded.
	content bool
	// target is the tool or prompt of the request, as the client named it.
	target string
	// started is when the request came; zero where no line is logged.
	started time.Time
}

// Refused records a request that the gate has refused before it could be
// admitted: one over HTTP whose metadata or headers are at fault. Other messages
// are ignored. ctx is that of the HTTP request, p who sent it. The context returned
// is at the request's place in its client's trace, for what is logged of it.
func (s *Server) Refused(ctx context.Context, p lifecycle.Peer, msg jsonrpc.Message, e *jsonrpc.Error) context.Context {
	if msg.Kind != jsonrpc.KindRequest {
		return ctx
	}
	meta, _ := mcp.ParseMeta(msg.Object()) // what is wrong with it the client is told by the gate
	if s.telemetry == nil {
		return telemetry.At(ctx, meta.Trace.Parent, meta.Trace.State)
	}
	c := &Call{server: s, id: msg.ID, name: msg.Method, request: request{ctx: ctx, params: msg.Object()}}
	described := c.describe(&lifecycle.Scope{Meta: meta}, p)
	ctx, operation := s.telemetry.Start(ctx, &described)
	operation.End(telemetry.Outcome{Code: e.Code, Message: e.Message})
	return ctx
}

// observe begins the observation of a request. Without telemetry it only puts
// the request at its place in the client's trace.
func (c *Call) observe(scope *lifecycle.Scope) {
	s, r := c.server, &c.request
	logs := s.log.Enabled(r.ctx, slog.LevelDebug)
	if s.telemetry == nil && !logs {
		trace := r.trace(scope)
		r.ctx = telemetry.At(r.ctx, trace.Parent, trace.State)
		return
	}
	if logs {
		r.started = time.Now()
	}
	described := c.describe(scope, r.conn.Peer())
	r.target = described.Tool + described.Prompt // there is but one of them
	r.ctx, r.operation = s.telemetry.Start(r.ctx, &described)
	r.content = c.name == mcp.MethodToolsCall && r.operation.Content()
}

// unadmitted is the scope of a request that the gate has refused: what can be
// known without it.
func (c *Call) unadmitted() *lifecycle.Scope {
	meta, _ := mcp.ParseMeta(c.request.params) // what is wrong with it the client is told by the gate
	return &lifecycle.Scope{Meta: meta, SessionID: c.request.conn.SessionID()}
}

// describe says what telemetry needs to know of the request.
func (c *Call) describe(scope *lifecycle.Scope, peer lifecycle.Peer) telemetry.Request {
	d := telemetry.Request{
		ID: c.id.String(), Version: string(scope.Version), SessionID: scope.SessionID,
		Transport: peer.Transport, Protocol: peer.Protocol, ProtocolVersion: peer.ProtocolVersion,
		ClientAddress: peer.Address, ClientPort: peer.Port,
		TraceParent: scope.Meta.Trace.Parent, TraceState: scope.Meta.Trace.State,
	}
	if _, ok := methods[c.name]; ok || c.name == mcp.MethodInitialize {
		d.Method = c.name
	}
	if c.server.telemetry.Baggage() {
		d.Baggage = mcp.ParseBaggage(c.request.params)
	}
	d.Continues = c.request.retry.continues()
	c.aim(&d)
	return d
}

// aim notes what the request is about, for the methods that are about one thing.
func (c *Call) aim(d *telemetry.Request) {
	switch c.name {
	case mcp.MethodToolsCall:
		d.Tool = c.param("name")
		d.Known = isTool(c.server.catalog(), d.Tool)
	case mcp.MethodPromptsGet:
		d.Prompt = c.param("name")
		_, d.Known = c.server.catalog().Prompt(d.Prompt)
	case mcp.MethodResourcesRead, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe:
		d.ResourceURI = c.param("uri")
	}
}

// param returns a parameter of the request that is a string; "" for any other.
func (c *Call) param(name string) string {
	value, _ := c.request.params.Find(name)
	text, _ := jsonrpc.Unquote(value)
	return text
}

// isTool reports whether tools/list names a tool.
func isTool(offered *catalog.Catalog, name string) bool {
	if offered.Searching() {
		return name == catalog.SearchMethods || name == catalog.DescribeMethod || name == catalog.CallMethod
	}
	_, ok := offered.Tool(name)
	return ok
}

// observed ends the observation. Arguments and results are never logged.
func (c *Call) observed() {
	r := &c.request
	r.operation.End(r.outcome)
	if r.started.IsZero() {
		return
	}
	c.server.log.LogAttrs(r.ctx, slog.LevelDebug, "served",
		slog.String("method", jsonrpc.Echo(c.name)),
		slog.String("target", jsonrpc.Echo(r.target)),
		slog.String("error_type", r.outcome.ErrorType()),
		slog.Duration("duration", time.Since(r.started)))
}

// observe begins the observation of a task, as a part of that of the request which
// began it and whose span is in ctx. The context returned has the span of the task.
func (w *work) observe(ctx context.Context) context.Context {
	if w.server.log.Enabled(ctx, slog.LevelDebug) {
		w.seen.started = time.Now()
	}
	w.seen.target = w.tool.Definition.Name
	ctx, w.seen.operation = w.server.telemetry.StartTask(ctx, w.seen.target)
	w.seen.content = w.seen.operation.Content()
	return ctx
}

// observed ends the observation of a task.
func (w *work) observed(ctx context.Context) {
	w.seen.operation.End(w.seen.outcome)
	if w.seen.started.IsZero() {
		return
	}
	w.server.log.LogAttrs(ctx, slog.LevelDebug, "task ended",
		slog.String("target", w.seen.target),
		slog.String("error_type", w.seen.outcome.ErrorType()),
		slog.Duration("duration", time.Since(w.seen.started)))
}

// endOf is the outcome of a task that was ended before it was done: by its client,
// or else by its time or the bridge's end.
func endOf(ctx context.Context) telemetry.Outcome {
	cause := context.Cause(ctx)
	if errors.Is(cause, task.ErrCancelled) {
		return telemetry.Outcome{Cancelled: true}
	}
	return telemetry.Outcome{Code: jsonrpc.CodeInternal, Message: cause.Error()}
}

// unanswered notes that the request has no answer from here: its client has
// cancelled it, which is the usual end of a stream, or has left, or its transport
// closes, which then tells the client itself.
func (r *request) unanswered(streams bool) {
	switch {
	case streams:
	case errors.Is(context.Cause(r.ctx), ErrStopped):
		r.outcome = telemetry.Outcome{Code: jsonrpc.CodeInternal, Message: ErrStopped.Error()}
	default:
		r.outcome.Cancelled = true
	}
}

// failed notes that a tool has failed, with the text for the model, which begins
// with the name of a gRPC code. What follows that may be the backend's.
func (r *request) failed(text []byte) {
	r.outcome.ToolError = true
	code, _, _ := strings.Cut(string(text), ":")
	if strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" {
		r.outcome.Status = code
	}
}

// tracedMeta returns the _meta of a tool's failure: that of all results, and the
// id of the trace in which the call is to be found, where there is one.
func (s *Server) tracedMeta(r *request) []byte {
	return merged(s.metas[r.scope.Features], mcp.TraceIDMeta(telemetry.TraceID(r.ctx)))
}

// merged returns one _meta with the members of two; nil is one without any.
func merged(a, b []byte) []byte {
	switch {
	case b == nil:
		return a
	case a == nil:
		return b
	}
	return joined(a, b)
}

// noteArguments records the arguments of a tool, by what was made of them: what
// does not fit the method's request is nowhere recorded.
func (r *request) noteArguments(t *target, wire []byte) {
	if !r.content {
		return
	}
	if text, err := redact.JSON(t.method.Input(), wire, t.codec.Types()); err == nil {
		r.operation.Arguments(text)
	}
}

// noteResult records what the backend has answered to a tool.
func (r *request) noteResult(t *target, wire []byte) {
	if !r.content {
		return
	}
	if text, err := redact.JSON(t.method.Output(), wire, t.codec.Types()); err == nil {
		r.operation.Result(text)
	}
}
