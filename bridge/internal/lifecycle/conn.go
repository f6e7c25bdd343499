package lifecycle

import (
	"context"
	"sync"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// Conn is what the gate knows of the sender of a message: on stdio the stream,
// on HTTP one POST or GET and, in the legacy era, its session. Safe for
// concurrent use.
type Conn struct {
	gate *Gate
	// conversation names the requests in flight among which ids are unique and
	// can be cancelled, and the streams that are open; "" where the transport
	// alone cancels.
	conversation string
	// http says that this is one HTTP request, and what is remembered is in the
	// session store; batch that its messages have metadata of their own.
	http, batch bool
	principal   string
	peer        Peer // set before there is anybody to read it
	// meta is the metadata of the POST's only message.
	meta mcp.Meta
	// stateless is the scope of a modern POST; nil otherwise.
	stateless *Scope

	mu sync.Mutex
	// record is how far the legacy handshake has come; without a version it has
	// not begun. On a stream it is never in the store and has no id.
	record session.Record

	readying sync.Mutex // may be locked while mu is, and not the other way round
	// isReady says that the handshake is over.
	isReady bool
	// ready is closed when it is; nil until somebody asks.
	ready chan struct{}
}

// DisconnectCancels reports whether the closing of the connection by the client
// cancels the request: it does in the modern era (2026-07-28
// basic/transports/streamable-http, "Cancellation"), and does not in the legacy
// one.
func (c *Conn) DisconnectCancels() bool { return c.stateless != nil }

// SessionID returns the id of the legacy HTTP session; "" where there is none.
func (c *Conn) SessionID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.record.ID
}

// Key names the conversation: it is the same for all Conns of one legacy
// session, another one for each session and stream, and "" where there is none,
// in a modern POST and in an initialize by POST before its session is open.
func (c *Conn) Key() string {
	if !c.http {
		return c.conversation
	}
	return c.SessionID()
}

// Features returns what the version has that was agreed in the handshake; the
// zero value before, and where there is none.
func (c *Conn) Features() mcp.Features {
	c.mu.Lock()
	defer c.mu.Unlock()
	features, _ := legacyFeatures(mcp.Version(c.record.Version))
	return features
}

// Version returns the version that was agreed in the legacy handshake; "" before,
// and where there is none.
func (c *Conn) Version() mcp.Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	return mcp.Version(c.record.Version)
}

// Batches reports whether the agreed version has batches.
func (c *Conn) Batches() bool { return c.Features().Batches }

// Ready returns a channel that is closed when the legacy handshake is over. It
// is never closed in the modern era. Of a handshake that another HTTP request
// ends, this Conn learns only while it is attached (see [Conn.Attach]) or
// touched.
func (c *Conn) Ready() <-chan struct{} {
	c.readying.Lock()
	defer c.readying.Unlock()
	if c.ready == nil {
		c.ready = make(chan struct{})
		if c.isReady {
			close(c.ready)
		}
	}
	return c.ready
}

// becomeReady notes that the handshake is over.
func (c *Conn) becomeReady() {
	c.readying.Lock()
	defer c.readying.Unlock()
	if c.isReady {
		return
	}
	c.isReady = true
	if c.ready != nil {
		close(c.ready)
	}
}

// look asks the session store whether the handshake is over that was not when
// this Conn was made: the request that ended it may have come meanwhile, or to
// another replica.
func (c *Conn) look(ctx context.Context) {
	c.readying.Lock()
	ready := c.isReady
	c.readying.Unlock()
	if ready || !c.http {
		return
	}
	if record, err := c.gate.sessions.Get(ctx, c.SessionID()); err == nil && record.Initialized {
		c.becomeReady()
	}
}

// Close ends a stdio stream: what is in flight on it, and what is attached to
// it, is cancelled. The Conn of an HTTP request needs no closing, and closing it
// does nothing.
func (c *Conn) Close() {
	if !c.http {
		c.gate.end(c.conversation)
		_ = c.gate.local.Close(context.Background(), c.conversation) // in memory, which does not fail
	}
}

// scope decides the era of a request and describes it.
func (c *Conn) scope(msg *jsonrpc.Message) (*Scope, *jsonrpc.Error) {
	if c.stateless != nil {
		return c.stateless, nil
	}
	if c.http && !c.batch {
		return c.legacyScope(msg.Method, c.meta)
	}
	meta, err := parseMeta(msg.Object())
	if err != nil {
		return nil, err
	}
	switch {
	case c.batch && perRequest(&meta):
		return nil, errModernInBatch()
	case c.batch: // is legacy whatever its messages say
	case perRequest(&meta), meta.ProtocolVersion == "" && modernOnly(msg.Method) && !c.begun():
		return modernScope(meta, c.principal)
	}
	return c.legacyScope(msg.Method, meta)
}

// begun reports whether the legacy handshake has begun.
func (c *Conn) begun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.record.Version != ""
}

// open notes what was agreed in initialize and, on HTTP, creates the session.
func (c *Conn) open(ctx context.Context, record session.Record) error {
	record.Principal = c.principal
	if c.http {
		record.ID = session.NewID()
		if err := c.gate.sessions.Create(ctx, record); err != nil {
			return err
		}
	}
	c.record = record
	return nil
}

// initialized ends the handshake; before it has begun, or after its end, it
// does nothing.
func (c *Conn) initialized(ctx context.Context) *Refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.record.Version == "" || c.record.Initialized {
		return nil
	}
	if refusal := c.change(ctx, func(r *session.Record) { r.Initialized = true }); refusal != nil {
		return refusal
	}
	c.becomeReady()
	if c.http {
		c.gate.attached.initialized(c.record.ID)
	}
	return nil
}
