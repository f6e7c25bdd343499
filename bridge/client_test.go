package bridge_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
)

// modern is the first revision without a handshake.
const modern = "2026-07-28"

// revisions are all published revisions of the protocol.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern}

// client is a minimal MCP client, written from the specification and sharing no code with the bridge.
type client struct {
	version string
	send    func(t *testing.T, message []byte, header http.Header) []byte // nil response for notifications
	session string
	nextID  int
	// can are the capabilities that it declares; nil for none.
	can map[string]any
}

// response is a JSON-RPC response.
type response struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// toolResult is a CallToolResult.
type toolResult struct {
	Content           []struct{ Type, Text string } `json:"content"`
	StructuredContent json.RawMessage               `json:"structuredContent"`
	IsError           bool                          `json:"isError"`
	ResultType        string                        `json:"resultType"`
}

// connect shakes hands where the revision has a handshake.
func (c *client) connect(t *testing.T) *client {
	t.Helper()
	if c.version == modern {
		return c
	}
	c.request(t, "initialize", map[string]any{
		"protocolVersion": c.version,
		"capabilities":    c.capabilities(),
		"clientInfo":      map[string]any{"name": "test", "version": "1"},
	})
	c.notify(t, "notifications/initialized", nil)
	return c
}

// request sends a request and returns the response, which must carry its id.
func (c *client) request(t *testing.T, method string, params map[string]any) response {
	t.Helper()
	c.nextID++
	raw := c.send(t, c.message(t, c.nextID, method, params), c.headers(method, params))
	var r response
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("%s: response %q: %v", method, raw, err)
	}
	if want := fmt.Sprint(c.nextID); string(r.ID) != want {
		t.Fatalf("%s: response %s has the id %s, want %s", method, raw, r.ID, want)
	}
	return r
}

func (c *client) notify(t *testing.T, method string, params map[string]any) {
	t.Helper()
	if raw := c.send(t, c.message(t, 0, method, params), c.headers(method, params)); len(raw) > 0 {
		t.Fatalf("%s: a notification was answered with %s", method, raw)
	}
}

func (c *client) message(t *testing.T, id int, method string, params map[string]any) []byte {
	t.Helper()
	all := map[string]any{}
	for k, v := range params {
		all[k] = v
	}
	if c.version == modern {
		meta, _ := all["_meta"].(map[string]any)
		meta = maps.Clone(meta)
		if meta == nil {
			meta = map[string]any{}
		}
		meta["io.modelcontextprotocol/protocolVersion"] = c.version
		meta["io.modelcontextprotocol/clientCapabilities"] = c.capabilities()
		all["_meta"] = meta
	}
	msg := map[string]any{"jsonrpc": "2.0", "method": method, "params": all}
	if id != 0 {
		msg["id"] = id
	}
	raw, err := json.Marshal(msg)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func (c *client) capabilities() map[string]any {
	if c.can == nil {
		return map[string]any{}
	}
	return c.can
}

// headers are those of Streamable HTTP.
func (c *client) headers(method string, params map[string]any) http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		h.Set("Mcp-Session-Id", c.session)
	}
	if method != "initialize" && c.version >= "2025-06-18" {
		h.Set("Mcp-Protocol-Version", c.version)
	}
	if c.version == modern {
		h.Set("Mcp-Method", method)
		for _, named := range []string{"name", "taskId"} {
			if name, ok := params[named].(string); ok {
				h.Set("Mcp-Name", name)
			}
		}
	}
	return h
}

// call makes a tools/call that must come to a result.
func (c *client) call(t *testing.T, tool, arguments string) toolResult {
	t.Helper()
	r := c.request(t, "tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(arguments)})
	if r.Error != nil {
		t.Fatalf("%s: protocol error %d: %s", tool, r.Error.Code, r.Error.Message)
	}
	var result toolResult
	if err := json.Unmarshal(r.Result, &result); err != nil {
		t.Fatalf("%s: result %s: %v", tool, r.Result, err)
	}
	return result
}

// httpClient talks Streamable HTTP to url.
func httpClient(t *testing.T, url, version string) *client {
	t.Helper()
	c := &client{version: version}
	c.send = func(t *testing.T, message []byte, header http.Header) []byte {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = header
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			c.session = id
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	return c.connect(t)
}

// stdioClient talks to a bridge over a pair of pipes, one message at a time.
func stdioClient(t *testing.T, b *bridge.Bridge, version string) *client {
	t.Helper()
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- b.ServeStdio(ctx, inReader, outWriter) }()
	t.Cleanup(func() {
		in.Close()
		if err := <-done; err != nil {
			t.Errorf("stdio ended with %v", err)
		}
		cancel()
	})
	lines := bufio.NewReader(out)
	c := &client{version: version}
	c.send = func(t *testing.T, message []byte, _ http.Header) []byte {
		t.Helper()
		if _, err := in.Write(append(message, '\n')); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(message, []byte(`"id":`)) {
			return nil
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	return c.connect(t)
}
