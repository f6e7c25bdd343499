package mcp_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

func TestParseCursor(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]string{``: "", `{}`: "", `{"cursor":""}`: "", `{"cursor":"a\u0062"}`: "ab"} {
		got, err := mcp.ParseCursor([]byte(params))
		checkError(t, err, "")
		if got != want {
			t.Errorf("%s: got %q, want %q", params, got, want)
		}
	}
	_, err := mcp.ParseCursor([]byte(`{"cursor":7}`))
	checkError(t, err, "cursor must be a string")
}

func TestParseCancelled(t *testing.T) {
	t.Parallel()
	got, ok := mcp.ParseCancelled([]byte(`{"requestId":"a","reason":"why"}`))
	if !ok || got != jsonrpc.StringID("a") {
		t.Errorf("got %v %v", got, ok)
	}
	for _, params := range []string{``, `{}`, `{"requestId":null}`, `{"requestId":1.5}`, `{"requestId":{}}`} {
		if got, ok := mcp.ParseCancelled([]byte(params)); ok {
			t.Errorf("%s: got %v", params, got)
		}
	}
}

// TestParseAnything holds that no text makes a parser panic, whether or not it
// went through a strict reader before.
func TestParseAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		params := []byte(rapid.StringOf(rapid.RuneFrom([]rune(`{}[]":,\u 0-.eEtrfalsn_meta`))).Draw(t, "params"))
		_, _ = mcp.ParseMeta(params)
		_, _ = mcp.ParseCallTool(params)
		_, _ = mcp.ParseInitialize(params)
		_, _ = mcp.ParseCursor(params)
		_, _ = mcp.ParseCancelled(params)
		mcp.ReadImplementation(params)
	})
}
