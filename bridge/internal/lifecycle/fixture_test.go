package lifecycle_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

const (
	modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	clientInfo = `{"name":"client","version":"1"}`
)

// message decodes a message in short form: an id (or "" for a notification), a
// method and params.
func message(t *testing.T, id, method, params string) *jsonrpc.Message {
	t.Helper()
	text := `{"jsonrpc":"2.0"`
	if id != "" {
		text += `,"id":` + id
	}
	text += fmt.Sprintf(`,"method":%q`, method)
	if params != "" {
		text += `,"params":` + params
	}
	msg, err := jsonrpc.Decode([]byte(text+"}"), jsonrpc.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return &msg
}

// headers makes Headers from pairs such as "version=2025-11-25 method=ping
// param.region=x".
func headers(text string) lifecycle.Headers {
	var h lifecycle.Headers
	for _, field := range strings.Fields(text) {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "version":
			h.ProtocolVersion, h.HasProtocolVersion = value, true
		case "session":
			h.SessionID, h.HasSessionID = value, true
		case "method":
			h.Method, h.HasMethod = value, true
		case "name":
			h.Name, h.HasName = value, true
		default:
			if h.Params == nil {
				h.Params = map[string]string{}
			}
			h.Params[strings.TrimPrefix(name, "param.")] = value
		}
	}
	return h
}

// begin admits a request and ends it at once.
func begin(t *testing.T, g *lifecycle.Gate, c *lifecycle.Conn, msg *jsonrpc.Message) (*lifecycle.Scope, *jsonrpc.Error) {
	t.Helper()
	_, scope, end, err := g.Begin(context.Background(), c, msg)
	if err == nil {
		end()
	}
	return scope, err
}

// initialize opens a legacy session on c, without ending the handshake.
func initialize(t *testing.T, g *lifecycle.Gate, c *lifecycle.Conn, version mcp.Version) mcp.InitializeResult {
	t.Helper()
	if _, err := begin(t, g, c, message(t, `"init"`, "initialize", "")); err != nil {
		t.Fatal(err)
	}
	result, refusal := g.Initialize(context.Background(), c, mcp.InitializeParams{
		ProtocolVersion: version, Capabilities: []byte(`{"roots":{}}`), ClientInfo: []byte(clientInfo),
	}, "lists at initialize")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	return result
}

// open opens a session by HTTP, ends its handshake, and returns its id.
func open(t *testing.T, g *lifecycle.Gate, principal string) string {
	t.Helper()
	ctx := context.Background()
	c, refusal := g.Post(ctx, headers(""), message(t, "1", "initialize", ""), principal)
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	initialize(t, g, c, mcp.V20251125)
	id := c.SessionID()
	ready := message(t, "", "notifications/initialized", "")
	c, refusal = g.Post(ctx, headers("session="+id), ready, principal)
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	if refusal := g.Notify(ctx, c, ready); refusal != nil {
		t.Fatal(refusal.Error)
	}
	return id
}

// checkError fails unless err has the code and mentions the text; code 0 wants none.
func checkError(t *testing.T, err *jsonrpc.Error, code int, text string) {
	t.Helper()
	switch {
	case code == 0 && err != nil:
		t.Errorf("error %v", err)
	case code != 0 && (err == nil || err.Code != code || !strings.Contains(err.Message, text)):
		t.Errorf("error %v, want %d with %q", err, code, text)
	}
}
