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
}

// Refusal is the answer to an HTTP request that is not admitted.
type Refusal struct {
	// Status is the HTTP status.
	Status int
	// Error is for the body, with the id of the request if there is one.
	Error *jsonrpc.Error
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
	meta, err := parseMeta(msg.Params)
	if err != nil {
		return nil, refuseRequest(err)
	}
	if h.modern() || perRequest(&meta) {
		return g.modernPost(h, msg, meta, principal)
	}
	return g.legacyPost(ctx, h, msg, meta, principal)
}

// modern reports whether the header names a version of the modern era, served or
// yet to come. One of another shape says nothing about the era; the metadata does.
func (h *Headers) modern() bool {
	return h.HasProtocolVersion && ofModernEra(h.ProtocolVersion)
}

// legacyPost finds the session of a legacy POST; initialize has none yet.
func (g *Gate) legacyPost(ctx context.Context, h Headers, msg *jsonrpc.Message, meta mcp.Meta, principal string) (*Conn, *Refusal) {
	if refusal := h.checkLegacy(); refusal != nil {
		return nil, refusal
	}
	c := &Conn{gate: g, post: true, principal: principal, meta: meta}
	if !h.HasSessionID && msg.Kind == jsonrpc.KindRequest && msg.Method == mcp.MethodInitialize {
		return c, nil
	}
	record, refusal := g.find(ctx, h, principal)
	if refusal != nil {
		return nil, refusal
	}
	c.record, c.conversation = record, record.ID
	return c, nil
}

// checkLegacy refuses a version header that names no version we serve. Absent,
// it is the session's, which need not have said it before 2025-06-18.
func (h *Headers) checkLegacy() *Refusal {
	if !h.HasProtocolVersion {
		return nil
	}
	if _, ok := legacyFeatures(mcp.Version(h.ProtocolVersion)); ok {
		return nil
	}
	return refuseRequest(jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
		"MCP-Protocol-Version %q is not served; served are %v", jsonrpc.Echo(h.ProtocolVersion), SupportedVersions()))
}

// find returns the session that the headers name, if it is the principal's. A
// foreign session is as unknown as one that never was, so that ids cannot be
// tried out.
func (g *Gate) find(ctx context.Context, h Headers, principal string) (session.Record, *Refusal) {
	if !h.HasSessionID {
		return session.Record{}, refuseRequest(jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"the Mcp-Session-Id header is missing: send initialize, then the id from its answer; or name protocol version %s in MCP-Protocol-Version and _meta", modernVersion))
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

// End ends a legacy session at the client's wish (HTTP DELETE) and cancels what
// is in flight in it; nil says that it is done. The modern era has no sessions
// to end (405); otherwise the rules of Post hold.
func (g *Gate) End(ctx context.Context, h Headers, principal string) *Refusal {
	if h.modern() {
		return &Refusal{Status: http.StatusMethodNotAllowed, Error: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"from protocol version %s on there are no sessions to end: use POST alone", modernVersion)}
	}
	if refusal := h.checkLegacy(); refusal != nil {
		return refusal
	}
	record, refusal := g.find(ctx, h, principal)
	if refusal != nil {
		return refusal
	}
	if err := g.sessions.Delete(ctx, record.ID); err != nil {
		return g.refuseSession(err)
	}
	g.inFlight.end(record.ID)
	return nil
}

// refuseRequest refuses a request that its client must put right.
func refuseRequest(e *jsonrpc.Error) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Error: e}
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
		return &Refusal{Status: http.StatusInternalServerError, Error: jsonrpc.Errorf(jsonrpc.CodeInternal, "sessions cannot be reached: try again later"), Cause: err}
	}
}

// fullSaidEvery is how often at most a log is told that the session store is full.
const fullSaidEvery = time.Minute

// refuseFull is the refusal of a session that the store has no room for.
func (g *Gate) refuseFull(err error) *Refusal {
	r := &Refusal{
		Status: http.StatusServiceUnavailable,
		Error: jsonrpc.Errorf(jsonrpc.CodeInternal,
			"too many sessions are open: try again later, or name protocol version %s in MCP-Protocol-Version and _meta, which needs none", modernVersion),
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
