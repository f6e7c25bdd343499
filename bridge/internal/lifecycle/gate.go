package lifecycle

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// Defaults of Config.
const (
	// DefaultMaxInFlight is the default of Config.MaxInFlight.
	DefaultMaxInFlight = 1024
	// DefaultMaxStreams is the default of Config.MaxStreams.
	DefaultMaxStreams = 32
	// DefaultMaxSubscriptions is the default of Config.MaxSubscriptions.
	DefaultMaxSubscriptions = 256
)

// Config is what a Gate needs to know.
type Config struct {
	// Info is the server's name for itself.
	Info mcp.Implementation
	// Instructions returns what is sent to a client for its model when it
	// initializes or asks server/discover; "" for none. A nil function stands
	// for none at all.
	Instructions func() string
	// Sessions keeps the legacy sessions of the HTTP transport; nil means a
	// session.Memory with its defaults.
	Sessions session.Store
	// Mailbox keeps the answers of legacy clients on HTTP for who asked; nil means
	// a session.MemoryMailbox with its defaults.
	Mailbox session.Mailbox
	// MaxInFlight bounds the requests that one stream, or one legacy session,
	// may have in flight; default DefaultMaxInFlight. Modern POSTs belong to
	// no conversation: what bounds them is how many connections the HTTP server
	// takes.
	MaxInFlight int
	// MaxStreams bounds the streams that one conversation may have attached at
	// once (see [Conn.Attach]); default DefaultMaxStreams.
	MaxStreams int
	// MaxSubscriptions bounds the resources that one conversation may be
	// subscribed to; default DefaultMaxSubscriptions.
	MaxSubscriptions int
	// HeaderParams returns the arguments of a tool that modern clients repeat in
	// headers; it returns nil for none and for a tool that is not there. A nil
	// function stands for none at all. It is called for each modern tools/call.
	HeaderParams func(tool string) []mcp.HeaderParam
}

// Gate admits messages. Safe for concurrent use.
type Gate struct {
	info         mcp.Implementation
	instructions func() string
	sessions     session.Store
	mailbox      session.Mailbox
	local        session.Mailbox // of stdio streams
	inFlight     *registry
	attached     *attachments
	streams      atomic.Uint64
	headerParams func(tool string) []mcp.HeaderParam

	maxSubscriptions int

	fullSaid atomic.Pointer[time.Time] // when a log was last told that there is no room for sessions
}

// NewGate returns a Gate with no conversation.
func NewGate(cfg Config) *Gate {
	if cfg.Sessions == nil {
		cfg.Sessions = session.NewMemory(session.MemoryOptions{})
	}
	if cfg.Mailbox == nil {
		cfg.Mailbox = session.NewMemoryMailbox(session.MailboxOptions{})
	}
	if cfg.HeaderParams == nil {
		cfg.HeaderParams = func(string) []mcp.HeaderParam { return nil }
	}
	if cfg.Instructions == nil {
		cfg.Instructions = func() string { return "" }
	}
	return &Gate{
		info:             cfg.Info,
		instructions:     cfg.Instructions,
		sessions:         cfg.Sessions,
		mailbox:          cfg.Mailbox,
		local:            session.NewMemoryMailbox(session.MailboxOptions{}),
		inFlight:         newRegistry(orDefault(cfg.MaxInFlight, DefaultMaxInFlight)),
		attached:         newAttachments(orDefault(cfg.MaxStreams, DefaultMaxStreams)),
		headerParams:     cfg.HeaderParams,
		maxSubscriptions: orDefault(cfg.MaxSubscriptions, DefaultMaxSubscriptions),
	}
}

// orDefault returns the value of an option, zero and less being none.
func orDefault(value, usual int) int {
	if value <= 0 {
		return usual
	}
	return value
}

// MaxInFlight returns how many requests one conversation may have in flight.
func (g *Gate) MaxInFlight() int { return g.inFlight.max }

// Discover returns the answer to server/discover without the capabilities and
// what is said of every result.
func (g *Gate) Discover() mcp.DiscoverResult {
	return mcp.DiscoverResult{
		SupportedVersions: SupportedVersions(),
		Instructions:      g.instructions(),
	}
}

// ResultMeta returns the _meta object by which the server names itself in the
// results for a peer with the given features; nil where it does not.
func (g *Gate) ResultMeta(f mcp.Features) []byte { return g.info.ResultMeta(f) }

// Stream returns the Conn of a new stdio stream. It may be used by many
// goroutines at once; close it when the stream ends.
func (g *Gate) Stream() *Conn {
	return &Conn{gate: g, conversation: fmt.Sprintf("stream %d", g.streams.Add(1))}
}

// end cancels what is in flight in a conversation and ends what is attached to it.
func (g *Gate) end(conversation string) {
	g.inFlight.end(conversation)
	g.attached.end(conversation)
}

// Begin admits the request msg, or says why not: the wrong phase of the
// handshake or an id that is in flight (-32600), missing metadata (-32602), a
// version that is not served (-32022). The context ends when the client
// cancels the request (see [Cancelled]) and with ctx. The caller calls the
// function when the request has been answered, once.
//
// Requests of one stream must come to Begin in the order of their arrival.
func (g *Gate) Begin(ctx context.Context, c *Conn, msg *jsonrpc.Message) (context.Context, *Scope, func(), *jsonrpc.Error) {
	scope, err := c.scope(msg)
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if c.conversation == "" {
		return ctx, scope, func() { cancel(nil) }, nil
	}
	key := callKey{c.conversation, msg.ID}
	if err := g.inFlight.add(key, cancel); err != nil {
		cancel(nil)
		return nil, nil, nil, err
	}
	return ctx, scope, func() { g.inFlight.remove(key); cancel(nil) }, nil
}

// Notify notes the notification msg: notifications/initialized ends the
// handshake, notifications/cancelled cancels a request in flight. All others,
// those that are malformed, and those that come at the wrong time are ignored,
// because a notification has no answer. The Refusal, for the HTTP transport,
// says that the session is gone or its store has failed.
func (g *Gate) Notify(ctx context.Context, c *Conn, msg *jsonrpc.Message) *Refusal {
	if c.stateless != nil {
		return nil
	}
	switch msg.Method {
	case mcp.MethodInitialized:
		return c.initialized(ctx)
	case mcp.MethodCancelled:
		if id, ok := mcp.ParseCancelled(msg.Params); ok {
			g.inFlight.cancel(callKey{c.conversation, id})
		}
	}
	return nil
}
