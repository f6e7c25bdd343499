package lifecycle

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// Headers are the HTTP headers that the protocol defines, with surrounding
// white space removed and nothing decoded. A header that is present and empty
// differs from one that is absent.
type Headers struct {
	// ProtocolVersion is MCP-Protocol-Version, SessionID Mcp-Session-Id, Method
	// Mcp-Method and Name Mcp-Name.
	ProtocolVersion, SessionID, Method, Name string
	// HasProtocolVersion and its like say that the header is present.
	HasProtocolVersion, HasSessionID, HasMethod, HasName bool
	// Params are the headers Mcp-Param-*, by the rest of their names in lower
	// case; nil for none.
	Params map[string]string
}

// Refusal is the answer to an HTTP request that is not admitted.
type Refusal struct {
	// Status is the HTTP status.
	Status int
	// Error is for the body, with the id of the request if there is one.
	Error *jsonrpc.Error
	// Reason is Error's message without what the client sent, for a log; "" where
	// the message has nothing of that.
	Reason string
	// OfMessage says that the message is at fault, by its metadata or by headers
	// that do not repeat it, and not its session or the HTTP around it.
	OfMessage bool
	// RetryAfter is when the peer may have more luck, for Retry-After; zero when
	// that is not known.
	RetryAfter time.Duration
	// Cause is the fault of a session store behind a status of 500 and above,
	// for a log and not for the peer; nil otherwise. Of a store that is full it is
	// there once a minute at most: anybody can ask for sessions as often as he likes.
	Cause error
}

// Post decides the era of a message that came by POST, from its metadata and
// from MCP-Protocol-Version, and checks all that can be checked before the
// method is known to exist. In the modern era that is metadata, version and
// headers (400); in the legacy era the version header and the session (400 when
// missing; 404 when unknown, ended, or another principal's). The Conn is for
// this message alone.
func (g *Gate) Post(ctx context.Context, h Headers, msg *jsonrpc.Message, principal string) (*Conn, *Refusal) {
	meta, err := parseMeta(msg.Object())
	if err != nil {
		return nil, refuseMessage(err)
	}
	if h.modern() || perRequest(&meta) {
		return g.modernPost(h, msg, meta, principal)
	}
	return g.legacyPost(ctx, h, msg, meta, principal)
}

// legacyPost finds the session of a legacy POST; initialize has none yet.
func (g *Gate) legacyPost(ctx context.Context, h Headers, msg *jsonrpc.Message, meta mcp.Meta, principal string) (*Conn, *Refusal) {
	if !h.HasSessionID && msg.Kind == jsonrpc.KindRequest && msg.Method == mcp.MethodInitialize {
		if refusal := h.checkLegacy(); refusal != nil {
			return nil, refusal
		}
		return &Conn{gate: g, http: true, principal: principal, meta: meta}, nil
	}
	record, refusal := g.existing(ctx, h, principal)
	if refusal != nil {
		return nil, refusal
	}
	c := g.within(record)
	c.meta = meta
	return c, nil
}

// find returns the session that the headers name, if it is the principal's. A
// foreign session is as unknown as one that never was, so that ids cannot be
// tried out.
func (g *Gate) find(ctx context.Context, h Headers, principal string) (session.Record, *Refusal) {
	if !h.HasSessionID {
		return session.Record{}, refuseRequest(jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"the Mcp-Session-Id header is missing: send initialize, then the id from its answer; or name protocol version %s in "+
				"MCP-Protocol-Version and _meta", modernVersion))
	}
	record, err := g.sessions.Get(ctx, h.SessionID)
	if err == nil && record.Principal != principal {
		err = session.ErrNotFound
	}
	if err != nil {
		return session.Record{}, g.refuseSession(err)
	}
	return record, nil
}

// Open finds the legacy session of an HTTP GET, which opens or resumes a stream
// of it. The modern era has no such streams (405); otherwise the rules of Post
// hold. Clients may open a stream right behind the answer to initialize: what may
// be sent on it before the handshake is over, [Conn.Ready] tells.
func (g *Gate) Open(ctx context.Context, h Headers, principal string) (*Conn, *Refusal) {
	if h.modern() {
		return nil, notModern("there are no streams to open by GET: use POST alone, and %s for notifications", mcp.MethodSubscriptionsListen)
	}
	record, refusal := g.existing(ctx, h, principal)
	if refusal != nil {
		return nil, refusal
	}
	c := g.within(record)
	c.isReady = record.Initialized
	return c, nil
}

// existing finds a session by the headers of a request that cannot open one.
func (g *Gate) existing(ctx context.Context, h Headers, principal string) (session.Record, *Refusal) {
	if refusal := h.checkLegacy(); refusal != nil {
		return session.Record{}, refusal
	}
	return g.find(ctx, h, principal)
}

// within returns the Conn of a request in a session.
func (g *Gate) within(record session.Record) *Conn {
	return &Conn{gate: g, http: true, principal: record.Principal, conversation: record.ID, record: record}
}

// End ends a legacy session at the client's wish (HTTP DELETE), cancels what is
// in flight in it and ends its streams; nil says that it is done. The modern era
// has no sessions to end (405); otherwise the rules of Post hold.
func (g *Gate) End(ctx context.Context, h Headers, principal string) *Refusal {
	if h.modern() {
		return notModern("there are no sessions to end: use POST alone")
	}
	record, refusal := g.existing(ctx, h, principal)
	if refusal != nil {
		return refusal
	}
	if err := g.sessions.Delete(ctx, record.ID); err != nil {
		return g.refuseSession(err)
	}
	g.end(record.ID)
	_ = g.mailbox.Close(context.WithoutCancel(ctx), record.ID) // who waits elsewhere sees for himself that the session has ended
	return nil
}

// notModern refuses an HTTP method that the modern era does not have.
func notModern(format string, args ...any) *Refusal {
	return &Refusal{Status: http.StatusMethodNotAllowed, Error: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
		"from protocol version %s on "+format, append([]any{modernVersion}, args...)...)}
}

// refuseRequest refuses a request that its client must put right.
func refuseRequest(e *jsonrpc.Error) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Error: e}
}

// refuseMessage refuses a message for what it says itself.
func refuseMessage(e *jsonrpc.Error) *Refusal {
	r := refuseRequest(e)
	r.OfMessage = true
	if e.Code == mcp.CodeUnsupportedVersion {
		r.Reason = "unsupported protocol version"
	}
	return r
}

// refuseSession turns the error of a session store into a refusal; nil into nil.
func (g *Gate) refuseSession(err error) *Refusal {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, session.ErrNotFound):
		return &Refusal{Status: http.StatusNotFound, Error: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%v", session.ErrNotFound)}
	case errors.Is(err, session.ErrFull):
		return g.refuseFull(err)
	default:
		return &Refusal{
			Status: http.StatusInternalServerError, Error: jsonrpc.Errorf(jsonrpc.CodeInternal, "sessions cannot be reached: try again later"),
			Cause: err,
		}
	}
}

// fullSaidEvery is how often at most a log is told that the session store is full.
const fullSaidEvery = time.Minute

// refuseFull is the refusal of a session that the store has no room for.
func (g *Gate) refuseFull(err error) *Refusal {
	r := &Refusal{
		Status: http.StatusServiceUnavailable,
		Error: jsonrpc.Errorf(jsonrpc.CodeInternal,
			"too many sessions are open: try again later, or name protocol version %s in MCP-Protocol-Version and _meta, which needs none",
			modernVersion),
	}
	if full, ok := errors.AsType[*session.FullError](err); ok {
		r.RetryAfter = full.RetryAfter
	}
	now, last := time.Now(), g.fullSaid.Load()
	if (last == nil || now.Sub(*last) >= fullSaidEvery) && g.fullSaid.CompareAndSwap(last, &now) {
		r.Cause = err
	}
	return r
}
