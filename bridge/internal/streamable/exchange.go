package streamable

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// headerSession is the header that names a legacy session.
const headerSession = "Mcp-Session-Id"

// exchange is one HTTP request on its way to its one answer. It belongs to the goroutine that serves the request.
type exchange struct {
	ctx     context.Context // of the HTTP request
	w       http.ResponseWriter
	method  string        // of HTTP
	events  bool          // the client takes a stream of events
	gzip    bool          // the client takes what is compressed so
	timeout time.Duration // for the client to read the answer
	log     *slog.Logger
	peer    lifecycle.Peer
	id      jsonrpc.ID // of the JSON-RPC request, once it is known
	unread  bool       // there is, or may be, a body that is not in
	sent    bool       // the status line is out, nothing can be taken back
	bodies  *backend.Buffers
	body    *[]byte // one of bodies, with that of a POST; nil for none
	copies  bool    // nobody has what was written when Write has returned
	spare   bool    // it has a place for what asks for nothing, and none for a call
	// values are those of the headers that set has set, side by side, and used is how many there are.
	values [headersOfAnswer]string
	used   int
}

// headersOfAnswer is how many headers nearly every answer has: Cache-Control, X-Content-Type-Options, Content-Type and
// Content-Length.
const headersOfAnswer = 4

// set is Set of the answer's head, for a name in canonical form. The first values have their places in the exchange, each
// without room for another one, so that whoever adds to a header behind the handler does not write over the next.
func (x *exchange) set(name, value string) {
	if x.used == len(x.values) {
		x.w.Header().Set(name, value)
		return
	}
	at := x.used
	x.values[at] = value
	x.used++
	x.w.Header()[name] = x.values[at:x.used:x.used]
}

// answer sends what the server has to say.
func (x *exchange) answer(reply server.Reply) {
	if reply.SessionID != "" {
		x.w.Header().Set(headerSession, reply.SessionID)
	}
	x.retryAfter(reply.RetryAfter)
	if reply.Page == nil {
		x.send(statusOf(reply), reply.Body)
	} else {
		x.send(statusOf(reply), x.withPage(&reply)...)
	}
	if x.copies && reply.Release != nil {
		reply.Release(reply.Body)
	}
	if reply.Spent && x.body != nil {
		x.bodies.Put(x.body)
		x.body = nil
	}
}

// withPage returns the body of a reply with a page of a list, which is sent compressed where the client takes it and it pays.
func (x *exchange) withPage(reply *server.Reply) (body [][]byte) {
	h, page := x.w.Header(), reply.Page
	head, tail := reply.Body[:reply.PageAt], reply.Body[reply.PageAt:]
	if page.Packs() {
		h.Add("Vary", "Accept-Encoding")
	}
	if !page.Packs() || !x.gzip {
		return [][]byte{head, page.JSON(), tail}
	}
	h.Set("Content-Encoding", "gzip")
	return page.Gzip(head, tail)
}

// retryAfter says when to come again, in whole seconds (RFC 9110, section 10.2.3), where that is known.
func (x *exchange) retryAfter(d time.Duration) {
	if d > 0 {
		x.w.Header().Set("Retry-After", strconv.FormatFloat(math.Ceil(d.Seconds()), 'f', 0, 64))
	}
}

// statusOf is the HTTP status of a reply; one that says nothing, such as that of a request which another one cancelled,
// is 202, the one status that clients take without a body.
func statusOf(r server.Reply) int {
	switch {
	case len(r.Body) == 0:
		return http.StatusAccepted
	case r.Status == 0:
		return http.StatusOK
	}
	return r.Status
}

// send answers with a finished JSON body, or with none when body is empty, in a single write for each of its parts.
func (x *exchange) send(status int, body ...[]byte) {
	size := 0
	for _, part := range body {
		size += len(part)
	}
	if size > 0 {
		x.set("Content-Type", mediaJSON)
	}
	if status != http.StatusNoContent {
		x.set("Content-Length", strconv.Itoa(size))
	}
	x.sent = true
	if x.unread {
		limitReading(x.w, restTimeout)
	}
	limitWriting(x.w, x.timeout)
	x.w.WriteHeader(status)
	for _, part := range body {
		if len(part) == 0 {
			continue
		}
		if _, err := x.w.Write(part); err != nil { //nolint:gosec // G705: the type of the answer is no page's, and nosniff holds browsers to it
			x.log.DebugContext(x.ctx, "answer not delivered", "error", err)
			return
		}
	}
}

// refuse answers with an error. It carries the id of the request where that is known and no id otherwise.
func (x *exchange) refuse(r *refusal) {
	x.log.DebugContext(x.ctx, "request refused", "method", x.method, "status", r.status, "reason", cmp.Or(r.reason, r.err.Message))
	if r.allow != "" {
		x.w.Header().Set("Allow", r.allow)
	}
	x.retryAfter(r.retryAfter)
	x.send(r.status, jsonrpc.AppendError(nil, x.id, r.err))
}

// abandon ends an exchange whose client has cancelled the request by leaving. It may have closed its sending half alone
// and read on, and any status line would be an answer. net/http has one way to send none that serves HTTP/1 and HTTP/2
// alike, on a connection or in a recorder: this panic, which it takes for a word and not a fault, logs nowhere, and
// answers by closing the connection (the stream). It is not caused by what the client sent.
func (x *exchange) abandon() {
	x.log.DebugContext(x.ctx, "request abandoned: its client left", "method", x.method)
	panic(http.ErrAbortHandler) //nolint:forbidigo // see above
}

// rescue is deferred around everything that serves the exchange: a panic ends this request alone. It is logged with its
// stack, of which the client sees nothing. http.ErrAbortHandler is net/http's own and passes.
func (x *exchange) rescue() {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p) //nolint:forbidigo // a word to net/http that has to reach it
	}
	logPanic(x.ctx, x.log, p)
	if !x.sent {
		x.refuse(internalError())
	}
}

// logPanic logs a panic with the stack of its caller.
func logPanic(ctx context.Context, log *slog.Logger, p any) {
	log.ErrorContext(ctx, "panic while serving a request", "panic", p, "stack", string(debug.Stack()))
}

// headersOf takes the headers of the protocol out of a request's head. Each is there at most once (see guard).
func headersOf(head http.Header) lifecycle.Headers {
	var h lifecycle.Headers
	h.ProtocolVersion, h.HasProtocolVersion = first(head, "Mcp-Protocol-Version")
	h.SessionID, h.HasSessionID = first(head, headerSession)
	h.Method, h.HasMethod = first(head, "Mcp-Method")
	h.Name, h.HasName = first(head, "Mcp-Name")
	h.Params = paramsOf(head)
	return h
}

// paramsOf takes the headers Mcp-Param-* out of a request's head, by the rest of their names in lower case; nil for none.
func paramsOf(head http.Header) map[string]string {
	var params map[string]string
	for name := range head {
		rest, found := strings.CutPrefix(name, mcpParamPrefix)
		if !found {
			continue
		}
		if params == nil {
			params = map[string]string{}
		}
		params[strings.ToLower(rest)], _ = first(head, name)
	}
	return params
}

// first returns the value of the header with a canonical name without white space at its ends, which does not belong to
// it (RFC 9110 section 5.5) and which HTTP/2 leaves there, and whether the header is there at all.
func first(head http.Header, name string) (value string, present bool) {
	values := head[name]
	if len(values) == 0 {
		return "", false
	}
	return strings.Trim(values[0], " \t"), true
}
