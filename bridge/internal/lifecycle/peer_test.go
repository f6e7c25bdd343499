package lifecycle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// TestPeer: what the transport knows of a sender is kept as it is.
func TestPeer(t *testing.T) {
	t.Parallel()
	c := lifecycle.NewGate(lifecycle.Config{}).Stream()
	if diff := cmp.Diff(lifecycle.Peer{}, c.Peer()); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	want := lifecycle.Peer{
		Transport: "tcp", Protocol: "http", ProtocolVersion: "2", Address: "192.0.2.1", Port: 80,
		Forwarded: map[string][]string{"X-Shelf": {"a"}},
	}
	c.SetPeer(want)
	if diff := cmp.Diff(want, c.Peer()); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
}

// TestVersionOfAStream: a stream has the version that was agreed on it, from initialize on, and none without.
func TestVersionOfAStream(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	c := g.Stream()
	if got := c.Version(); got != "" {
		t.Errorf("before the handshake it has %s", got)
	}
	params := mcp.InitializeParams{
		ProtocolVersion: mcp.V20250618, Capabilities: []byte(`{}`), ClientInfo: []byte(`{"name":"c","version":"1"}`),
	}
	if _, refusal := g.Initialize(t.Context(), c, params, ""); refusal != nil {
		t.Fatal(refusal.Error)
	}
	if got := c.Version(); got != mcp.V20250618 {
		t.Errorf("it has %q", got)
	}
}
