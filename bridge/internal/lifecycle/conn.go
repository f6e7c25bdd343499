package lifecycle

import (
	"context"
	"sync"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// Conn is what the gate knows of the sender of a message: on stdio the stream,
// on HTTP one POST and, in the legacy era, its session. Safe for concurrent use.
type Conn struct {
	gate *Gate
	// conversation names the requests in flight among which ids are unique and
	// can be cancelled; "" where the transport alone cancels.
	conversation string
	// post says that this is a POST, which has one message and no later ones.
	post      bool
	principal string
	// meta is the metadata of the POST's message.
	meta mcp.Meta
	// stateless is the scope of a modern POST; nil otherwise.
	stateless *Scope

	mu sync.Mutex
	// record is how far the legacy handshake has come; without a version it has
	// not begun. On a stream it is never in the store and has no id.
	record session.Record
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

// Close ends a stream: what is in flight on it is cancelled. A POST's Conn needs
// no closing, and closing it does nothing.
func (c *Conn) Close() {
	if !c.post {
		c.gate.inFlight.end(c.conversation)
	}
}

// scope decides the era of a request and describes it.
func (c *Conn) scope(msg *jsonrpc.Message) (*Scope, *jsonrpc.Error) {
	if c.stateless != nil {
		return c.stateless, nil
	}
	if c.post {
		return c.legacyScope(msg.Method, c.meta)
	}
	meta, err := parseMeta(msg.Params)
	if err != nil {
		return nil, err
	}
	if perRequest(&meta) || meta.ProtocolVersion == "" && modernOnly(msg.Method) && !c.begun() {
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

// open notes the version agreed in initialize and what [keep] returned and, on
// HTTP, creates the session.
func (c *Conn) open(ctx context.Context, version mcp.Version, info, capabilities []byte) error {
	record := session.Record{
		Principal:    c.principal,
		Version:      string(version),
		ClientInfo:   info,
		Capabilities: capabilities,
	}
	if c.post {
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
	c.record.Initialized = true
	if !c.post {
		return nil
	}
	return c.gate.refuseSession(c.gate.sessions.Update(ctx, c.record))
}
