package streamable

import (
	"context"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// Call is what a double admits.
type Call = call

// Double serves in the place of a Server.
type Double interface {
	Admit(ctx context.Context, c *lifecycle.Conn, msg jsonrpc.Message, out server.Sink) Call
	Listen(ctx context.Context, c *lifecycle.Conn, out server.Sink) error
}

// NewWith returns a handler before a double; cfg.Server is not used.
func NewWith(cfg Config, d Double) *Handler {
	h := New(cfg)
	h.admit, h.listen = d.Admit, d.Listen
	return h
}

// CountCuts has count told of each stream that h cuts short, in the place of telemetry.
func CountCuts(h *Handler, count func(reason string)) { h.cut = count }

// Places returns how many calls and streams a handler serves now, and how many of the calls can be resumed.
func Places(h *Handler) [3]int64 {
	h.live.mu.Lock()
	defer h.live.mu.Unlock()
	return [3]int64{h.calls.taken.Load(), h.streams.taken.Load(), int64(len(h.live.calls))}
}

// EventID returns the id of an event of a call's stream.
func EventID(session string, stream, number uint64) string {
	return formatID(session, eventID{kindCall, stream, number})
}
