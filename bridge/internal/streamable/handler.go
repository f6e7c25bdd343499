package streamable

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
	"github.com/mcpgrpc/bridge/bridge/session"
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
	// DefaultKeepAlive is the time between two comments on a stream: 15 s.
	DefaultKeepAlive = 15 * time.Second
	// DefaultEventTimeout is how long a client may leave an event of a stream unread: 30 s.
	DefaultEventTimeout = 30 * time.Second
	// DefaultRetry is how long a client is told to wait before it comes back to a stream: 500 ms.
	DefaultRetry = 500 * time.Millisecond
	// DefaultMaxStreams is how many streams of notifications there are at once: 1024.
	DefaultMaxStreams = 1024
	// DefaultMaxCalls is how many POSTs, and GETs that resume one, are served at once: 4096.
	DefaultMaxCalls = 4096
	// spareShare is the part of Config.MaxCalls of which there are places besides, for answers and notifications of sessions.
	spareShare = 8
)

// Server serves decoded messages; *server.Server does.
type Server interface {
	// Admit takes one message that the gate has let in; what the call has to say before its reply goes to out.
	Admit(ctx context.Context, c *lifecycle.Conn, msg jsonrpc.Message, out server.Sink) *server.Call
	// Listen sends what belongs to no request to a legacy client, until ctx ends.
	Listen(ctx context.Context, c *lifecycle.Conn, out server.Sink) error
	// Refused is told of a message that the gate has refused for what it says itself, and returns the context of its place in
	// its client's trace.
	Refused(ctx context.Context, p lifecycle.Peer, msg jsonrpc.Message, e *jsonrpc.Error) context.Context
}

// Gate decides for whom a message is served; *lifecycle.Gate does.
type Gate interface {
	// Post finds the conversation of a POSTed message, or says why there is none.
	Post(ctx context.Context, h lifecycle.Headers, msg *jsonrpc.Message, principal string) (*lifecycle.Conn, *lifecycle.Refusal)
	// Batch finds the session of a POSTed batch, or says why there is none.
	Batch(ctx context.Context, h lifecycle.Headers, batch []jsonrpc.Message, principal string) (*lifecycle.Conn, *lifecycle.Refusal)
	// Open finds the session of which a GET opens or resumes a stream, or says why there is none.
	Open(ctx context.Context, h lifecycle.Headers, principal string) (*lifecycle.Conn, *lifecycle.Refusal)
	// End ends the legacy session that the headers of a DELETE name, or says why not.
	End(ctx context.Context, h lifecycle.Headers, principal string) *lifecycle.Refusal
}

// Config is what New needs. Server and Gate are required. A limit or time below zero means what 0 does.
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
	// DefaultBodyTimeout. It is a second from the moment on when the request is refused, or the server is drained.
	BodyTimeout time.Duration
	// WriteTimeout is how long a client may leave its answer unread, from the moment it is there; then the connection
	// is closed. 0 is DefaultWriteTimeout.
	WriteTimeout time.Duration
	// OrphanTimeout is how long a call of the legacy era goes on when its client has disconnected, which there is no
	// cancellation; 0 is DefaultOrphanTimeout.
	OrphanTimeout time.Duration
	// KeepAlive is the time between two comments on a stream, which keep it open; 0 is DefaultKeepAlive. It is half of
	// EventTimeout at most: under HTTP/2 the deadline of one event ends the stream, unless another one is written before it.
	// In the same rhythm it is seen whether the session of a GET still is there, which counts as use of it.
	KeepAlive time.Duration
	// EventTimeout is how long a client may leave an event of a stream unread; then the connection is closed. 0 is
	// DefaultEventTimeout.
	EventTimeout time.Duration
	// Retry is how long a client is told to wait before it comes back to a stream that was closed before its end; 0 is
	// DefaultRetry.
	Retry time.Duration
	// MaxStreams is how many streams of notifications there are at once, by GET and by subscriptions/listen together; 0 is
	// DefaultMaxStreams. One more is refused. A GET that resumes the answer to a POST is none of them.
	MaxStreams int
	// MaxCalls is how many POSTs are served at once, from before their bodies are read on, together with the GETs that resume
	// one; 0 is DefaultMaxCalls. One more is refused. A call that goes on without its client counts. An eighth of them are
	// served besides that belong to a session and have no request in them: the answer that a call waits for finds a place
	// when calls have taken all others.
	MaxCalls int
	// Journal keeps what was sent on the streams of legacy sessions, for clients that come back; nil is a
	// session.MemoryJournal with its defaults.
	Journal session.Journal
	// Forward returns the headers that some backend may be sent, by their canonical names (see
	// [http.CanonicalHeaderKey]). They go to lifecycle.Peer.Forwarded with each POST; a request with one that cannot be
	// metadata, or with too many, is refused with 400. Pages of AllowedOrigins may send them. It is asked for each request:
	// it must not wait, and what it returns is not changed by either side. Nil is none.
	Forward func() []string
	// Logger takes refusals (debug) and panics (error); nil logs nowhere. Bodies and header values are not logged.
	Logger *slog.Logger
	// Telemetry counts the streams that are cut short, whose clients are slow, or whose sessions or whose server end; nil
	// counts nothing.
	Telemetry *telemetry.Telemetry
}

// New returns the handler of the MCP endpoint, for whatever path it is mounted at. It starts nothing: no goroutine
// outlives a request, but for the calls that [Handler.Wait] waits for.
func New(cfg Config) *Handler {
	h := &Handler{
		gate:          cfg.Gate,
		hosts:         newHostList(cfg.AllowedHosts),
		origins:       newOriginList(cfg.AllowedOrigins),
		maxBody:       orDefault(cfg.MaxBody, DefaultMaxBody),
		bodyTimeout:   orDefault(cfg.BodyTimeout, DefaultBodyTimeout),
		writeTimeout:  orDefault(cfg.WriteTimeout, DefaultWriteTimeout),
		orphanTimeout: orDefault(cfg.OrphanTimeout, DefaultOrphanTimeout),
		keepAlive:     orDefault(cfg.KeepAlive, DefaultKeepAlive),
		eventTimeout:  orDefault(cfg.EventTimeout, DefaultEventTimeout),
		retry:         orDefault(cfg.Retry, DefaultRetry),
		streams:       places{most: int64(orDefault(cfg.MaxStreams, DefaultMaxStreams))},
		calls:         places{most: int64(orDefault(cfg.MaxCalls, DefaultMaxCalls))},
		spare:         places{most: int64(max(1, orDefault(cfg.MaxCalls, DefaultMaxCalls)/spareShare))},
		journal:       cfg.Journal,
		live:          newLive(),
		readings:      newReadings(),
		refused: func(ctx context.Context, _ lifecycle.Peer, _ jsonrpc.Message, _ *jsonrpc.Error) context.Context {
			return ctx
		},
		toForward: cfg.Forward,
		cut:       cfg.Telemetry.StreamCut,
		log:       cfg.Logger,
	}
	if h.toForward == nil {
		h.toForward = func() []string { return nil }
	}
	if cfg.Server != nil {
		h.admit = func(ctx context.Context, c *lifecycle.Conn, msg jsonrpc.Message, out server.Sink) call {
			return cfg.Server.Admit(ctx, c, msg, out)
		}
		h.listen, h.refused = cfg.Server.Listen, cfg.Server.Refused
	}
	h.keepAlive = min(h.keepAlive, max(h.eventTimeout/2, 1))
	if h.journal == nil {
		h.journal = session.NewMemoryJournal(session.JournalOptions{})
	}
	h.drained, h.drain = context.WithCancel(context.Background())
	h.closed, h.close = context.WithCancel(context.Background())
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	return h
}

// Handler is the MCP endpoint. It is safe for concurrent use.
type Handler struct {
	admit         func(context.Context, *lifecycle.Conn, jsonrpc.Message, server.Sink) call
	listen        func(context.Context, *lifecycle.Conn, server.Sink) error
	refused       func(context.Context, lifecycle.Peer, jsonrpc.Message, *jsonrpc.Error) context.Context
	gate          Gate
	hosts         hostList
	origins       originList
	maxBody       int64
	bodyTimeout   time.Duration
	writeTimeout  time.Duration
	orphanTimeout time.Duration
	keepAlive     time.Duration
	eventTimeout  time.Duration
	retry         time.Duration
	streams       places // of notifications
	calls         places
	spare         places // for what is no call
	journal       session.Journal
	live          *live
	readings      *readings
	bodies        backend.Buffers // of POSTs
	toForward     func() []string
	cut           func(reason string)
	log           *slog.Logger

	drained, closed context.Context // end with Drain and Close
	drain, close    context.CancelFunc

	mu      sync.Mutex     // orders close and the beginnings of running
	running sync.WaitGroup // calls whose HTTP requests have ended
}

// Drain ends the streams of notifications, those of the modern era with their result. Every later request for one is
// refused with 503. Calls go on, and are still taken, but for those whose requests are not in a second later: these are
// refused with 503, too. It does not wait, and may be called any number of times.
func (h *Handler) Drain() {
	h.drain()
	h.readings.hurry()
}

// Close ends the calls in flight, of both eras and also those whose clients have left: their contexts end, and instead
// of a result each client gets an error that says so. Streams of notifications end as by Drain. Every later request is
// refused with 503. Close does not wait for the calls to end, which http.Server.Shutdown and Wait do. It may be called any
// number of times.
func (h *Handler) Close() {
	h.Drain()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.close()
}

// Wait returns, after Close, when the calls have ended whose HTTP requests have ended before them. Those of all others
// have ended when http.Server.Shutdown returns.
func (h *Handler) Wait() { h.running.Wait() }

// background runs what Wait waits for, and reports false where Close came before it.
func (h *Handler) background(run func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed.Err() != nil {
		return false
	}
	h.running.Go(run)
	return true
}

// ServeHTTP answers one request of the endpoint. The checks run from the cheapest to the dearest, and the first that
// fails is the answer. It ends in a panic with http.ErrAbortHandler, which net/http knows, where the client has cancelled
// its request by leaving and gets no answer.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{ctx: r.Context(), w: w, method: r.Method, unread: r.ContentLength != 0, timeout: h.writeTimeout, log: h.log}
	defer x.rescue()
	limitReading(w, h.bodyTimeout)
	x.set("Cache-Control", "no-store")
	x.set("X-Content-Type-Options", "nosniff")
	if refused := h.guard(r); refused != nil {
		x.refuse(refused)
		return
	}
	h.share(w.Header(), r.Header.Get("Origin"))
	switch r.Method {
	case http.MethodPost:
		h.post(x, r)
	case http.MethodGet:
		h.get(x, r)
	case http.MethodDelete:
		h.endSession(x, r)
	case http.MethodOptions:
		h.preflight(x, r)
	default:
		x.refuse(notAllowed(h.allow()))
	}
}

// endSession serves DELETE: the client has no more use for its legacy session.
func (h *Handler) endSession(x *exchange, r *http.Request) {
	headers := headersOf(r.Header)
	if denied := h.gate.End(r.Context(), headers, ""); denied != nil {
		h.deny(x, denied)
		return
	}
	if err := h.journal.Forget(r.Context(), headers.SessionID); err != nil {
		h.log.WarnContext(x.ctx, "what was sent in a session is kept after its end", "error", err)
	}
	x.send(http.StatusNoContent, nil)
}

// deny answers with the gate's refusal. What lies behind it is for the log alone.
func (h *Handler) deny(x *exchange, denied *lifecycle.Refusal) {
	switch {
	case denied.Cause == nil:
	case errors.Is(denied.Cause, session.ErrFull):
		h.log.WarnContext(x.ctx, "no room for sessions", "error", denied.Cause)
	default:
		h.log.ErrorContext(x.ctx, "sessions cannot be reached", "error", denied.Cause)
	}
	r := &refusal{status: denied.Status, err: denied.Error, reason: denied.Reason, retryAfter: denied.RetryAfter}
	if r.status == http.StatusMethodNotAllowed {
		r.allow = h.allow()
	}
	x.refuse(r)
}
