package lifecycle_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// TestNegotiation: 2025-11-25 basic/lifecycle, "Version Negotiation".
func TestNegotiation(t *testing.T) {
	t.Parallel()
	for asked, want := range map[mcp.Version]mcp.Version{
		mcp.V20241105: mcp.V20241105,
		mcp.V20250326: mcp.V20250326,
		mcp.V20250618: mcp.V20250618,
		mcp.V20251125: mcp.V20251125,
		mcp.V20260728: mcp.V20251125,
		"2099-01-01":  mcp.V20251125,
		"1.0":         mcp.V20251125,
	} {
		t.Run(string(asked), func(t *testing.T) {
			t.Parallel()
			g := lifecycle.NewGate(lifecycle.Config{Info: mcp.Implementation{Name: "b"}, Instructions: func() string { return "do" }})
			result := initialize(t, g, g.Stream(), asked)
			if result.ProtocolVersion != want || result.ServerInfo.Name != "b" || result.Instructions != "do" {
				t.Errorf("got %+v, want version %s", result, want)
			}
		})
	}
}

// TestPhases: 2025-11-25 basic/lifecycle, "Initialization".
func TestPhases(t *testing.T) {
	t.Parallel()
	const early, half, twice = "send initialize first", "send notifications/initialized first", "initialized once"
	for _, tt := range []struct {
		phase, method, want string
	}{
		{"new", "tools/list", early},
		{"new", "no/such", early},
		{"new", "ping", ""},
		{"new", "initialize", ""},
		{"answered", "tools/list", half},
		{"answered", "ping", ""},
		{"answered", "initialize", twice},
		{"ready", "tools/list", ""},
		{"ready", "ping", ""},
		{"ready", "initialize", twice},
		{"ready", "server/discover", ""}, // which the session's method table then refuses
	} {
		t.Run(tt.phase+" "+tt.method, func(t *testing.T) {
			t.Parallel()
			g := lifecycle.NewGate(lifecycle.Config{})
			c := g.Stream()
			g.Notify(context.Background(), c, message(t, "", "notifications/initialized", "")) // too early: ignored
			if tt.phase != "new" {
				initialize(t, g, c, mcp.V20250618)
			}
			if tt.phase == "ready" {
				g.Notify(context.Background(), c, message(t, "", "notifications/initialized", ""))
			}
			scope, err := begin(t, g, c, message(t, "7", tt.method, ""))
			if tt.want != "" {
				checkError(t, err, -32600, tt.want)
				return
			}
			checkError(t, err, 0, "")
			if scope.Features.Modern {
				t.Error("the scope is modern")
			}
		})
	}
}

func TestSecondInitializeAfterBothWereAdmitted(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	c := g.Stream()
	initialize(t, g, c, mcp.V20250326)
	_, refusal := g.Initialize(context.Background(), c, mcp.InitializeParams{ProtocolVersion: mcp.V20241105}, "")
	if refusal == nil || refusal.Status != 400 {
		t.Fatalf("got %+v", refusal)
	}
	checkError(t, refusal.Error, -32600, "initialized once")
}

func TestLegacyScope(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	id := open(t, g, "alice")
	msg := message(t, "1", "tools/list", `{"_meta":{"progressToken":"p"}}`)
	c, refusal := g.Post(context.Background(), headers("version=2025-11-25 session="+id), msg, "alice")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	scope, err := begin(t, g, c, msg)
	checkError(t, err, 0, "")
	if scope.Version != mcp.V20251125 || scope.Features != lifecycle.Features(mcp.V20251125) || scope.SessionID != id ||
		scope.Principal != "alice" || string(scope.Capabilities) != `{"roots":{}}` || string(scope.Meta.ProgressToken) != `"p"` {
		t.Errorf("got %+v", scope)
	}
	if string(scope.ClientInfo) != clientInfo {
		t.Errorf("client %s", scope.ClientInfo)
	}
	if c.DisconnectCancels() {
		t.Error("a disconnect cancels a legacy request")
	}
}

// TestClientIsBounded: a session, and a stream, keep no more of their client
// than the bound, however they are told.
func TestClientIsBounded(t *testing.T) {
	t.Parallel()
	const most = 16 << 10
	pad := func(n int) string { return strings.Repeat("x", n) }
	info := func(text string) string { return `{"name":"client","version":"` + text + `"}` }
	rest := most - len(info("")) - len(`{}`)
	for name, tt := range map[string]struct {
		info, capabilities string
		kept               int // bytes; 0 where it is refused
	}{
		"as clients are":        {clientInfo, `{"roots":{}}`, len(clientInfo) + len(`{"roots":{}}`)},
		"as large as may be":    {info(pad(rest)), `{}`, most},
		"one byte more":         {info(pad(rest + 1)), `{}`, 0},
		"large capabilities":    {clientInfo, `{"experimental":{"` + pad(most) + `":{}}}`, 0},
		"a megabyte":            {info(pad(900_000)), `{}`, 0},
		"an icon of a megabyte": {`{"icons":[{"src":"data:,` + pad(900_000) + `"}],` + clientInfo[1:], `{}`, len(clientInfo) + len(`{}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := session.NewMemory(session.MemoryOptions{})
			g := lifecycle.NewGate(lifecycle.Config{Sessions: store})
			post, _ := g.Post(context.Background(), headers(""), message(t, "1", "initialize", ""), "")
			params := mcp.InitializeParams{ProtocolVersion: mcp.V20251125, ClientInfo: []byte(tt.info), Capabilities: []byte(tt.capabilities)}
			for transport, c := range map[string]*lifecycle.Conn{"HTTP": post, "stdio": g.Stream()} {
				_, refusal := g.Initialize(context.Background(), c, params, "")
				if tt.kept == 0 {
					if refusal == nil || refusal.Status != 200 || store.Len() != 0 {
						t.Fatalf("%s: refusal %+v, %d sessions", transport, refusal, store.Len())
					}
					checkError(t, refusal.Error, -32602, "at most 16384")
					continue
				}
				if refusal != nil {
					t.Fatal(refusal.Error)
				}
				scope, err := begin(t, g, c, message(t, "2", "ping", ""))
				checkError(t, err, 0, "")
				if kept := len(scope.ClientInfo) + len(scope.Capabilities); kept != tt.kept {
					t.Errorf("%s: %d bytes are kept, want %d", transport, kept, tt.kept)
				}
			}
		})
	}
}
