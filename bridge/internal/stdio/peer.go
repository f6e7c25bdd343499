package stdio

import (
	"context"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// peer is the server's side of the conversation with one client.
type peer interface {
	// Admit admits a message, in the order of arrival, as [server.Server.Admit] does.
	Admit(ctx context.Context, msg jsonrpc.Message, out server.Sink) call
	// Listen sends what belongs to no request, until ctx ends.
	Listen(ctx context.Context, out server.Sink) error
	// Batches reports whether the client may send arrays of messages now.
	Batches() bool
}

// call is an admitted message; *server.Call is one.
type call interface {
	// Finished reports whether nothing is left to run.
	Finished() bool
	// Streams reports whether the call sends messages until it is ended, and has a result only when it is the server that
	// ends it. Ask before Run.
	Streams() bool
	// Context ends when the call is cancelled.
	Context() context.Context
	// Run serves the call, once, and returns what to send; an empty body is nothing.
	Run() server.Reply
}

// conversation is the peer of a stream that is served in earnest.
type conversation struct {
	server *server.Server
	conn   *lifecycle.Conn
}

// Admit has the server admit a message.
func (c conversation) Admit(ctx context.Context, msg jsonrpc.Message, out server.Sink) call {
	return c.server.Admit(ctx, c.conn, msg, out)
}

// Listen has the server send what belongs to no request.
func (c conversation) Listen(ctx context.Context, out server.Sink) error {
	return c.server.Listen(ctx, c.conn, out)
}

// Batches asks the agreed version.
func (c conversation) Batches() bool { return c.conn.Batches() }
