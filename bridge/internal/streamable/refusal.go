package streamable

import (
	"net/http"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// refusal is an answer that carries an error: an HTTP status and the JSON-RPC error that is its body. allow is the
// Allow header of a 405, retryAfter that header where it is known when there is more to be had. reason is what a log has in
// the place of a message that repeats what the client sent; "" for any other.
type refusal struct {
	status     int
	err        *jsonrpc.Error
	reason     string
	allow      string
	retryAfter time.Duration
}

// restart is how long the start of the next server is taken to last.
const restart = 10 * time.Second

// refuse makes the refusal of a request whose HTTP is at fault. Its message is written for the developer of the client:
// what is wrong and what to send instead, never what the client sent.
func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status: status, err: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, format, args...)}
}

// internalError is what a client is told of a panic; the rest is in the log.
func internalError() *refusal {
	return &refusal{status: http.StatusInternalServerError, err: jsonrpc.Internal()}
}

// stopping is what a request gets that comes after Close.
func stopping() *refusal {
	return &refusal{
		status:     http.StatusServiceUnavailable,
		err:        jsonrpc.Errorf(jsonrpc.CodeInternal, "the server is stopping and did not serve the request: send it again later"),
		retryAfter: restart,
	}
}

// cutShort is what a request gets instead of its result when Close comes before it. Its status is that of every error
// with which an admitted request ends; one of 5xx might have the HTTP library of a client send the request again.
func cutShort() *refusal {
	return &refusal{status: http.StatusOK, err: server.CutShort()}
}

// orphaned is what a client gets that comes back for the result of a call which was given up.
func orphaned() *refusal {
	return &refusal{
		status: http.StatusOK,
		err: jsonrpc.Errorf(jsonrpc.CodeInternal,
			"the call was ended, since nobody was there for its result any more: whether it was carried out is not known, so look before "+
				"you send it again"),
	}
}

// notAllowed refuses a method; allow lists the ones that are served.
func notAllowed(allow string) *refusal {
	r := refuse(http.StatusMethodNotAllowed,
		"method not allowed: send JSON-RPC messages in a POST; a session's stream is opened by GET and the session ended by DELETE")
	r.allow = allow
	return r
}
