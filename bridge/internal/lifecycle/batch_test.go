package lifecycle_test

import (
	"context"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// agreed opens a session of a version by HTTP, without ending its handshake.
func agreed(t *testing.T, g *lifecycle.Gate, version mcp.Version) string {
	t.Helper()
	c, refusal := g.Post(context.Background(), headers(""), message(t, "1", "initialize", ""), "")
	accepted(t, refusal)
	initialize(t, g, c, version)
	return c.SessionID()
}

// TestBatch: 2025-03-26 basic, "Batching"; no other revision has it.
func TestBatch(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	march, june := agreed(t, g, mcp.V20250326), agreed(t, g, mcp.V20250618)
	oldest, november := agreed(t, g, mcp.V20241105), agreed(t, g, mcp.V20251125)
	for name, tt := range map[string]struct {
		headers, method, principal string
		status                     int
		fault                      string
	}{
		"2025-03-26":               {"session=" + march, "ping", "", 0, ""},
		"2025-03-26 by its header": {"version=2025-03-26 session=" + march, "ping", "", 0, ""},
		"2025-03-26, said to be newer": {
			"version=2025-06-18 session=" + march, "ping", "", 400, `a batch with MCP-Protocol-Version "2025-06-18", which has none`,
		},
		"2025-03-26, said to be newest":  {"version=2025-11-25 session=" + march, "ping", "", 400, "which has none"},
		"2025-03-26, said to be older":   {"version=2024-11-05 session=" + march, "ping", "", 400, "which has none"},
		"2025-06-18":                     {"session=" + june, "ping", "", 400, "send each message by itself"},
		"2025-06-18, said to be older":   {"version=2025-03-26 session=" + june, "ping", "", 400, "send each message by itself"},
		"2024-11-05":                     {"session=" + oldest, "ping", "", 400, "send each message by itself"},
		"2025-11-25":                     {"session=" + november, "ping", "", 400, "send each message by itself"},
		"2026-07-28":                     {"version=2026-07-28", "tools/list", "", 400, "send each message by itself"},
		"2026-07-28 in a session":        {"version=2026-07-28 session=" + march, "tools/list", "", 400, "send each message by itself"},
		"no session":                     {"", "ping", "", 400, "Mcp-Session-Id header is missing"},
		"no session, initialize":         {"", "initialize", "", 400, "initialize in a batch: send it alone"},
		"an unknown session":             {"session=x", "ping", "", 404, "session not found"},
		"another's session":              {"session=" + march, "ping", "bob", 404, "session not found"},
		"a version that is not served":   {"version=1 session=" + march, "ping", "", 400, "not served"},
		"initialize, within its session": {"session=" + march, "initialize", "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, refusal := g.Batch(context.Background(), headers(tt.headers), []jsonrpc.Message{*message(t, "1", tt.method, "")}, tt.principal)
			if statusOf(refusal) != tt.status || (c == nil) != (tt.status != 0) {
				t.Fatalf("got %+v, want %d", refusal, tt.status)
			}
			if refusal != nil {
				checkError(t, refusal.Error, -32600, tt.fault)
			} else if !c.Batches() || c.SessionID() != march {
				t.Errorf("got %s", c.SessionID())
			}
		})
	}
}

// TestMessagesOfABatch: each is admitted by itself, in the order of the batch.
func TestMessagesOfABatch(t *testing.T) {
	t.Parallel()
	ctx, g := context.Background(), lifecycle.NewGate(lifecycle.Config{})
	id := agreed(t, g, mcp.V20250326)
	c, refusal := g.Batch(ctx, headers("session="+id), nil, "")
	accepted(t, refusal)
	list := message(t, "1", "tools/list", `{"_meta":{"progressToken":"first"}}`)
	_, err := begin(t, g, c, list)
	checkError(t, err, -32600, "send notifications/initialized first")
	accepted(t, g.Notify(ctx, c, message(t, "", "notifications/initialized", "")))

	scope, err := begin(t, g, c, list)
	checkError(t, err, 0, "")
	other, err := begin(t, g, c, message(t, "2", "tools/list", `{"_meta":{"progressToken":"second"}}`))
	checkError(t, err, 0, "")
	if string(scope.Meta.ProgressToken) != `"first"` || string(other.Meta.ProgressToken) != `"second"` {
		t.Errorf("the metadata are %s and %s", scope.Meta.ProgressToken, other.Meta.ProgressToken)
	}
	for method, tt := range map[string]struct{ params, fault string }{
		"initialize":      {``, "initialized once"},
		"tools/list":      {`{` + modernMeta + `}`, "in a batch: send it by itself"},
		"server/discover": {`{` + modernMeta + `}`, "in a batch: send it by itself"},
	} {
		_, err := begin(t, g, c, message(t, "3", method, tt.params))
		checkError(t, err, -32600, tt.fault)
	}
	_, err = begin(t, g, c, message(t, "3", "tools/list", `{"_meta":7}`))
	checkError(t, err, -32602, "_meta must be an object")

	// A cancellation in the batch, and one behind it by a POST of its own.
	first, _, endFirst, err := g.Begin(ctx, c, message(t, "4", "tools/list", ""))
	checkError(t, err, 0, "")
	defer endFirst()
	_, err = begin(t, g, c, message(t, "4", "ping", ""))
	checkError(t, err, -32600, "id is in use")
	second, _, endSecond, err := g.Begin(ctx, c, message(t, "5", "tools/list", ""))
	checkError(t, err, 0, "")
	defer endSecond()
	accepted(t, g.Notify(ctx, c, cancelled(t, "4")))
	post, refusal := g.Post(ctx, headers("session="+id), cancelled(t, "5"), "")
	accepted(t, refusal)
	accepted(t, g.Notify(ctx, post, cancelled(t, "5")))
	if !lifecycle.Cancelled(first) || !lifecycle.Cancelled(second) {
		t.Error("not all of the batch was cancelled")
	}
}
