package streamable

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// Defaults for the zero fields of Config.
const (
	// DefaultMaxBody is the largest request body, in bytes: 1 MiB.
	DefaultMaxBody int64 = 1 << 20
	// DefaultBodyTimeout is how long a client may take to send its request: 30 s.
	DefaultBodyTimeout = 30 * time.Second
	// DefaultWriteTimeout is how long a client may leave its answer unread: 30 s.
	DefaultWriteTimeout = 30 * time.Second
	// DefaultOrphanTimeout is how long a call of the legacy era goes on when its client has disconnected: 60 s.
	DefaultOrphanTimeout = time.Minute
)

// Server serves decoded messages; *server.Server does.
type Server interface {
	// Handle serves one message that the gate has let in. An empty Body of the reply means that there is nothing to say.
	Handle(ctx context.Context, c *lifecycle.Conn, msg jsonrpc.Message) server.Reply
}

// Gate decides for whom a message is served; *lifecycle.Gate does.
type Gate interface {
	// Post finds the conversation of a POSTed message, or says why there is none.
	Post(ctx context.Context, h lifecycle.Headers, msg *jsonrpc.Message, principal string) (*lifecycle.Conn, *lifecycle.Refusal)
	// End ends the legacy session that the headers of a DELETE name, or says why not.
	End(ctx context.Context, h lifecycle.Headers, principal string) *lifecycle.Refusal
}

// Config is what New needs. Server and Gate are required.
type Config struct {
	// Server and Gate serve the messages.
	Server Server
	Gate   Gate
	// AllowedHosts adds hosts (host or host:port, see CheckHost) to the loopback ones that are always served. Entries
	// that CheckHost refuses allow nothing.
	AllowedHosts []string
	// AllowedOrigins adds web origins (scheme://host[:port], see CheckOrigin) whose pages may call the endpoint and
	// read its answers (CORS), to those whose host is served anyway. Entries that CheckOrigin refuses allow nothing.
	AllowedOrigins []string
	// MaxBody is the largest body of a request, in bytes; 0 is DefaultMaxBody.
	MaxBody int64
	// BodyTimeout is how long a client may take to send its request, from the moment its header is read; 0 is
	// DefaultBodyTimeout.
	BodyTimeout time.Duration
	// WriteTimeout is how long a client may leave its answer unread, from the moment it is there; then the connection
	// is closed. 0 is DefaultWriteTimeout.
	WriteTimeout time.Duration
	// OrphanTimeout is how long a call of the legacy era goes on when its client has disconnected, which there is no
	// cancellation; 0 is DefaultOrphanTimeout.
	OrphanTimeout time.Duration
	// Logger takes refusals (debug) and panics (error); nil logs nowhere. Bodies and header values are not logged.
	Logger *slog.Logger
}

// New returns the handler of the MCP endpoint, for whatever path it is mounted at. It starts nothing: no goroutine
// outlives a request.
func New(cfg Config) *Handler {
	h := &Handler{
		server:        cfg.Server,
		gate:          cfg.Gate,
		hosts:         newHostList(cfg.AllowedHosts),
		origins:       newOriginList(cfg.AllowedOrigins),
		maxBody:       cmp.Or(cfg.MaxBody, DefaultMaxBody),
		bodyTimeout:   cmp.Or(cfg.BodyTimeout, DefaultBodyTimeout),
		writeTimeout:  cmp.Or(cfg.WriteTimeout, DefaultWriteTimeout),
		orphanTimeout: cmp.Or(cfg.OrphanTimeout, DefaultOrphanTimeout),
		log:           cfg.Logger,
	}
	h.closed, h.close = context.WithCancel(context.Background())
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	return h
}

// Handler is the MCP endpoint. It is safe for concurrent use.
type Handler struct {
	server        Server
	gate          Gate
	hosts         hostList
	origins       originList
	maxBody       int64
	bodyTimeout   time.Duration
	writeTimeout  time.Duration
	orphanTimeout time.Duration
	log           *slog.Logger

	closed context.Context // ends with Close
	close  context.CancelFunc
}

// Close ends the calls in flight, of both eras and also those whose clients have left: their contexts end, and instead
// of a result each client gets an error that says so. Every later message is refused with 503. Close does not wait for
// the calls to end, which http.Server.Shutdown does. It may be called any number of times.
func (h *Handler) Close() { h.close() }

// ServeHTTP answers one request of the endpoint. The checks run from the cheapest to the dearest, and the first that
// fails is the answer. It ends in a panic with http.ErrAbortHandler, which net/http knows, where the client has cancelled
// its request by leaving and gets no answer.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{w: w, method: r.Method, timeout: h.writeTimeout, log: h.log}
	defer x.rescue()
	limitReading(w, h.bodyTimeout)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if refused := h.guard(r); refused != nil {
		x.refuse(refused)
		return
	}
	h.share(w.Header(), r.Header.Get("Origin"))
	switch r.Method {
	case http.MethodPost:
		h.post(x, r)
	case http.MethodDelete:
		h.endSession(x, r)
	case http.MethodOptions:
		h.preflight(x, r)
	default:
		x.refuse(notAllowed(r.Method, h.allow()))
	}
}

// post reads one message, asks the gate for its conversation and has it served.
func (h *Handler) post(x *exchange, r *http.Request) {
	if refused := checkMedia(r.Header); refused != nil {
		x.refuse(refused)
		return
	}
	body, refused := readBody(x.w, r, h.maxBody)
	if refused != nil {
		x.refuse(refused)
		return
	}
	msg, malformed := jsonrpc.Decode(body, jsonrpc.DefaultLimits)
	x.id = msg.ID
	if malformed != nil {
		x.refuse(&refusal{status: http.StatusBadRequest, err: malformed})
		return
	}
	if msg.Kind == jsonrpc.KindResponse {
		x.id = jsonrpc.ID{} // it is one of ours, not the client's
	}
	if h.closed.Err() != nil {
		x.refuse(stopping())
		return
	}
	conn, denied := h.gate.Post(r.Context(), headersOf(r.Header), &msg, "")
	if denied != nil {
		h.deny(x, denied)
		return
	}
	h.serve(r.Context(), x, conn, msg)
}

// serve runs one admitted message and sends what comes of it; ctx ends when the client leaves.
func (h *Handler) serve(ctx context.Context, x *exchange, conn *lifecycle.Conn, msg jsonrpc.Message) {
	call, release := h.callContext(ctx, conn.DisconnectCancels())
	defer release()
	reply := h.server.Handle(call, conn, msg)
	cause := context.Cause(call)
	switch {
	case errors.Is(cause, errClosed) && len(reply.Body) == 0 && msg.Kind == jsonrpc.KindRequest:
		x.refuse(cutShort())
	case cause != nil && !errors.Is(cause, errClosed):
		x.abandon() // it MUST NOT be sent any message more (2026-07-28, cancellation)
	default:
		x.answer(reply)
	}
}

// endSession serves DELETE: the client has no more use for its legacy session.
func (h *Handler) endSession(x *exchange, r *http.Request) {
	if denied := h.gate.End(r.Context(), headersOf(r.Header), ""); denied != nil {
		h.deny(x, denied)
		return
	}
	x.send(http.StatusNoContent, nil)
}

// deny answers with the gate's refusal. What lies behind it is for the log alone.
func (h *Handler) deny(x *exchange, denied *lifecycle.Refusal) {
	if denied.Cause != nil {
		h.log.Error("sessions cannot be reached", "error", denied.Cause)
	}
	r := &refusal{status: denied.Status, err: denied.Error, retryAfter: denied.RetryAfter}
	if r.status == http.StatusMethodNotAllowed {
		r.allow = h.allow()
	}
	x.refuse(r)
}
