package streamable_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// TestRefusals has one request for each way in which HTTP or the envelope can be at fault, and in each only that fault.
func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		method string // POST when empty
		body   string // ping when empty
		change func(*http.Request)
		status int
		code   int    // CodeInvalidRequest when 0
		id     string // raw, of the answer
		says   string // part of the message: the way out
	}{
		{name: "foreign host", change: host("evil.example"), status: 403, says: "localhost"},
		{name: "no host", change: host(""), status: 403, says: "localhost"},
		{name: "foreign origin", change: header("Origin", "https://evil.example"), status: 403, says: "allow the origin"},
		{name: "GET", method: "GET", body: " ", status: 400, says: "no body"},
		{name: "GET of JSON", method: "GET", change: header("Accept", "application/json"), status: 406, says: "text/event-stream"},
		{name: "HEAD", method: "HEAD", status: 405, says: "POST"},
		{name: "PUT", method: "PUT", status: 405, says: "POST"},
		{name: "PATCH", method: "PATCH", status: 405, says: "POST"},
		{name: "OPTIONS", method: "OPTIONS", status: 405, says: "POST"},
		{name: "an invented method", method: "MCP", status: 405, says: "POST"},
		{name: "no content type", change: header("Content-Type"), status: 415, says: "application/json"},
		{name: "text", change: header("Content-Type", "text/plain"), status: 415, says: "application/json"},
		{name: "gzip", change: header("Content-Encoding", "gzip"), status: 415, says: "without Content-Encoding"},
		{name: "accepts streams only", change: header("Accept", "text/event-stream"), status: 406, says: "application/json, text/event-stream"},
		{name: "content length over the limit", body: strings.Repeat(" ", 300), status: 413, says: "smaller"},
		{name: "chunks over the limit", body: strings.Repeat(" ", 300), change: unknownLength, status: 413, says: "smaller"},
		{name: "empty body", body: " ", status: 400, says: "one JSON-RPC message"},
		{name: "not JSON", body: `{"jsonrpc":`, status: 400, code: jsonrpc.CodeParse, says: "JSON"},
		{
			name: "invalid UTF-8", body: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", status: 400, code: jsonrpc.CodeParse, id: "1",
			says: "UTF-8",
		},
		{name: "two messages", body: ping + ping, status: 400, code: jsonrpc.CodeParse, id: "7", says: "JSON"},
		{
			name: "duplicate method", body: `{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, status: 400, code: jsonrpc.CodeParse, id: "1",
			says: "method",
		},
		{name: "a batch", body: "[" + ping + "]", status: 400, says: "each message by itself"},
		{name: "not JSON-RPC", body: `{"hello":"world"}`, status: 400, says: `"2.0"`},
		{name: "a fractional id", body: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, status: 400, says: "integer"},
		{name: "a null id", body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, status: 400, says: "id must be"},
		{name: "another case", body: `{"JSONRPC":"2.0","ID":1,"Method":"ping"}`, status: 400, says: `"2.0"`},
		{name: "too deep", body: strings.Repeat("[", 102) + strings.Repeat("]", 102), status: 400, says: "101"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := &double{}
			r := request(or(tt.method, "POST"), or(tt.body, ping), changes(tt.change)...)
			resp := serve(endpoint(d, func(c *streamable.Config) { c.MaxBody = 256 }), r)
			says := wantError(t, resp, tt.status, or(tt.code, jsonrpc.CodeInvalidRequest), tt.id)
			if !strings.Contains(says, tt.says) {
				t.Errorf("message %q does not say %q", says, tt.says)
			}
			if allow := resp.Header.Get("Allow"); (allow != "") != (tt.status == 405) || tt.status == 405 && allow != "GET, POST, DELETE" {
				t.Errorf("Allow %q with status %d", allow, tt.status)
			}
			wantServed(t, d, 0)
		})
	}
}

// TestRepeatedHeaders: two values of a header that decides are refused before anything looks at either.
func TestRepeatedHeaders(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"Origin":               {"http://localhost", "https://evil.example"},
		"Content-Type":         {"application/json", "text/plain"},
		"Authorization":        {"Bearer a", "Bearer b"},
		"Host":                 {"evil.example"}, // beside the :authority of HTTP/2
		"Mcp-Protocol-Version": {"2025-11-25", "2026-07-28"},
		"Mcp-Session-Id":       {"a", "b"},
		"Mcp-Method":           {"tools/call", "tools/call"},
		"Mcp-Name":             {"a", "b"},
		"Mcp-Param-Region":     {"eu", "us"},
	}
	for name, values := range tests {
		for _, method := range []string{"POST", "GET", "DELETE", "OPTIONS"} {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				d := &double{}
				resp := serve(endpoint(d), request(method, ping, header(name, values...)))
				if says := wantError(t, resp, 400, jsonrpc.CodeInvalidRequest, ""); !strings.Contains(says, name+" is given more than once") {
					t.Errorf("message %q", says)
				}
				wantServed(t, d, 0)
			})
		}
	}
}

// TestGateRefuses: the gate's word goes out as it is, with the id of the request, and never with that of a response.
func TestGateRefuses(t *testing.T) {
	t.Parallel()
	for body, id := range map[string]string{
		ping: "7",
		`{"jsonrpc":"2.0","id":"a\u002fb","method":"x"}`: `"a\u002fb"`,
		`{"jsonrpc":"2.0","method":"x"}`:                 "",
		`{"jsonrpc":"2.0","id":3,"result":{}}`:           "",
	} {
		d := &double{post: func(lifecycle.Headers, *jsonrpc.Message) *lifecycle.Refusal {
			return &lifecycle.Refusal{Status: 404, Error: jsonrpc.Errorf(-32020, "not here")}
		}}
		if says := wantError(t, serve(endpoint(d), request("POST", body)), 404, -32020, id); says != "not here" {
			t.Errorf("message %q", says)
		}
		wantServed(t, d, 0)
	}
}

// TestNoRoom: a client that is turned away for want of room is told when to come back, in whole seconds that are not too
// few, and told nothing where that is not known.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "", time.Millisecond: "1", 29*time.Minute + time.Nanosecond: "1741"} {
		full := &double{post: func(lifecycle.Headers, *jsonrpc.Message) *lifecycle.Refusal {
			return &lifecycle.Refusal{Status: 503, Error: jsonrpc.Errorf(jsonrpc.CodeInternal, "full"), RetryAfter: d}
		}}
		resp := serve(endpoint(full), request("POST", ping))
		wantError(t, resp, 503, jsonrpc.CodeInternal, "7")
		if after := resp.Header.Get("Retry-After"); after != want {
			t.Errorf("Retry-After %q for %v, want %q", after, d, want)
		}
	}
}

// TestDelete covers the end of a legacy session: the gate decides, and what it hides stays hidden.
func TestDelete(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		refusal *lifecycle.Refusal
		allow   string
	}{
		"unknown": {refusal: &lifecycle.Refusal{Status: 404, Error: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "gone")}},
		"modern": {
			refusal: &lifecycle.Refusal{Status: 405, Error: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "no sessions")}, allow: "GET, POST, DELETE",
		},
		"broken": {
			refusal: &lifecycle.Refusal{Status: 500, Error: jsonrpc.Errorf(jsonrpc.CodeInternal, "try again"), Cause: errors.New("dial 10.0.0.1")},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			d := &double{end: func(h lifecycle.Headers) *lifecycle.Refusal {
				if !h.HasSessionID || h.SessionID != name {
					t.Errorf("headers %+v do not name the session", h)
				}
				return tt.refusal
			}}
			resp := serve(endpoint(d, logTo(&log)), request("DELETE", "", header("Mcp-Session-Id", name)))
			says := wantError(t, resp, tt.refusal.Status, tt.refusal.Error.Code, "")
			if resp.Header.Get("Allow") != tt.allow || says != tt.refusal.Error.Message {
				t.Errorf("Allow %q, message %q", resp.Header.Get("Allow"), says)
			}
			if hidden := tt.refusal.Cause; hidden != nil && !strings.Contains(log.String(), hidden.Error()) {
				t.Errorf("log %q lacks %v", log.String(), hidden)
			}
		})
	}
	resp := serve(endpoint(&double{}), request("DELETE", "", header("Mcp-Session-Id", "known")))
	if resp.StatusCode != http.StatusNoContent || len(resp.body) != 0 {
		t.Errorf("known session: status %d body %q", resp.StatusCode, resp.body)
	}
	wantSafe(t, resp.Header)
}

func unknownLength(r *http.Request) { r.ContentLength = -1 }

func changes(c func(*http.Request)) []func(*http.Request) {
	if c == nil {
		return nil
	}
	return []func(*http.Request){c}
}

func or[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}
