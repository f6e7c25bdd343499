package streamable

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
)

// headerSession is the header that names a legacy session.
const headerSession = "Mcp-Session-Id"

// retryAfter is when a client that is turned away for want of room may try again, in seconds.
const retryAfter = "10"

// exchange is one HTTP request on its way to its one answer. It belongs to the goroutine that serves the request.
type exchange struct {
	w      http.ResponseWriter
	method string // of HTTP
	log    *slog.Logger
	id     jsonrpc.ID // of the JSON-RPC request, once it is known
	sent   bool       // the status line is out, nothing can be taken back
}

// send answers with a finished JSON body, or with none when body is empty, in a single write.
func (x *exchange) send(status int, body []byte) {
	h := x.w.Header()
	if len(body) > 0 {
		h.Set("Content-Type", mediaJSON)
	}
	if status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", retryAfter)
	}
	x.sent = true
	x.w.WriteHeader(status)
	if len(body) == 0 {
		return
	}
	if _, err := x.w.Write(body); err != nil {
		x.log.Debug("answer not delivered", "error", err)
	}
}

// refuse answers with an error. It carries the id of the request where that is known and no id otherwise.
func (x *exchange) refuse(r *refusal) {
	x.log.Debug("request refused", "method", x.method, "status", r.status, "reason", r.err.Message)
	if r.allow != "" {
		x.w.Header().Set("Allow", r.allow)
	}
	x.send(r.status, jsonrpc.AppendError(nil, x.id, r.err))
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
	x.log.Error("panic while serving a request", "panic", p, "stack", string(debug.Stack()))
	if !x.sent {
		x.refuse(internalError())
	}
}

// headersOf takes the headers of the protocol out of a request's head. Each is there at most once (see guard).
func headersOf(head http.Header) lifecycle.Headers {
	var h lifecycle.Headers
	h.ProtocolVersion, h.HasProtocolVersion = first(head, "Mcp-Protocol-Version")
	h.SessionID, h.HasSessionID = first(head, headerSession)
	h.Method, h.HasMethod = first(head, "Mcp-Method")
	h.Name, h.HasName = first(head, "Mcp-Name")
	return h
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
