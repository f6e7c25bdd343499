package streamable

import (
	"net/http"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// refusal is an answer that carries an error: an HTTP status and the JSON-RPC error that is its body. allow is the
// Allow header of a 405.
type refusal struct {
	status int
	err    *jsonrpc.Error
	allow  string
}

// refuse makes the refusal of a request whose HTTP is at fault. Its message is written for the developer of the client:
// what is wrong and what to send instead, never what the client sent.
func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status: status, err: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, format, args...)}
}

// internalError is what a client is told of a panic; the rest is in the log.
func internalError() *refusal {
	return &refusal{
		status: http.StatusInternalServerError,
		err:    jsonrpc.Errorf(jsonrpc.CodeInternal, "internal error: the request failed inside the server; its log has the details"),
	}
}

// notAllowed refuses a method; allow lists the ones that are served.
func notAllowed(method, allow string) *refusal {
	r := refuse(http.StatusMethodNotAllowed, "method not allowed: send one JSON-RPC message in a POST; a session is ended by DELETE")
	if method == http.MethodGet {
		r = refuse(http.StatusMethodNotAllowed, "no stream is offered by GET: send one JSON-RPC message in a POST")
	}
	r.allow = allow
	return r
}
