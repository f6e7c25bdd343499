package lifecycle_test

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// TestErasOnOneStream: what makes a request modern on stdio, before and after a
// legacy handshake on the same stream.
func TestErasOnOneStream(t *testing.T) {
	t.Parallel()
	const version, capabilities = `"io.modelcontextprotocol/protocolVersion":`, `"io.modelcontextprotocol/clientCapabilities":{}`
	for name, tt := range map[string]struct {
		method, params string
		code           int // on a fresh stream
		fault          string
		codeReady      int  // on a stream with a legacy session
		legacy         bool // on which it is legacy
	}{
		"whole":                 {"tools/list", `{` + modernMeta + `}`, 0, "", 0, false},
		"initialize":            {"initialize", `{` + modernMeta + `}`, 0, "", 0, false},
		"unknown version":       {"tools/list", `{"_meta":{` + version + `"v9",` + capabilities + `}}`, -32022, "v9", -32022, false},
		"unknown version alone": {"tools/list", `{"_meta":{` + version + `"2027-03-30"}}`, -32022, "2027-03-30", -32022, false},
		"unknown version, else": {
			"tools/list", `{"_meta":{"io.modelcontextprotocol/clientCapabilities":[],` + version + `"2027-03-30"}}`, -32022, "2027-03-30", -32022,
			false,
		},
		"known version, else": {
			"tools/list", `{"_meta":{"io.modelcontextprotocol/clientCapabilities":[],` + version + `"2026-07-28"}}`, -32602, "must be an object",
			-32602, false,
		},
		"no capabilities": {"tools/list", `{"_meta":{` + version + `"2026-07-28"}}`, -32602, "clientCapabilities", -32602, false},
		"no version":      {"tools/list", `{"_meta":{` + capabilities + `}}`, -32602, "protocolVersion", -32602, false},
		"bare discover":   {"server/discover", ``, -32602, "protocolVersion", 0, true},
		"bare list":       {"tools/list", ``, -32600, "initialize first", 0, true},
		"legacy version": {
			"tools/list", `{"_meta":{` + version + `"2025-11-25",` + capabilities + `}}`, -32600, "initialize first", 0, true,
		},
		"legacy discover": {
			"server/discover", `{"_meta":{` + version + `"2025-11-25",` + capabilities + `}}`, -32600, "initialize first", 0, true,
		},
		"_meta of another shape": {"tools/list", `{"_meta":[]}`, -32602, "_meta must be an object", -32602, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := lifecycle.NewGate(lifecycle.Config{})
			c := g.Stream()
			_, err := begin(t, g, c, message(t, "1", tt.method, tt.params))
			checkError(t, err, tt.code, tt.fault)

			initialize(t, g, c, mcp.V20241105)
			g.Notify(context.Background(), c, message(t, "", "notifications/initialized", ""))
			scope, err := begin(t, g, c, message(t, "2", tt.method, tt.params))
			checkError(t, err, tt.codeReady, "")
			if err == nil && scope.Features.Modern == tt.legacy {
				t.Errorf("modern is %v", scope.Features.Modern)
			}
		})
	}
}

// What many of modernPosts have.
const (
	listHeaders = "version=2026-07-28 method=tools/list"
	callHeaders = "version=2026-07-28 method=tools/call"
	unknownMeta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"v999.0.0","io.modelcontextprotocol/clientCapabilities":{}}}`
)

// modernPosts are requests over HTTP, and the error that each gets; code 0 for none.
var modernPosts = map[string]struct {
	headers, method, params string
	code                    int
	fault                   string
}{
	"whole":                   {listHeaders, "tools/list", `{` + modernMeta + `}`, 0, ""},
	"session ids are ignored": {listHeaders + " session=x", "tools/list", `{` + modernMeta + `}`, 0, ""},
	"no version header": {
		"method=tools/list", "tools/list", `{` + modernMeta + `}`, -32020, "MCP-Protocol-Version header is missing",
	},
	"a legacy version header": {
		"version=2025-11-25 method=tools/list", "tools/list", `{` + modernMeta + `}`, -32020,
		`"2025-11-25" does not match the body's "2026-07-28"`,
	},
	"an empty version header":     {"version= method=tools/list", "tools/list", `{` + modernMeta + `}`, -32020, `""`},
	"another version in the body": {listHeaders, "tools/list", unknownMeta, -32020, "v999.0.0"},
	"an unknown version in both":  {"version=v999.0.0", "server/discover", unknownMeta, -32022, "v999.0.0"},
	"an unknown version alone": {
		"version=2027-03-30 method=tools/list", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-03-30"}}`, -32022,
		"2027-03-30",
	},
	"an unknown version, bad rest": {
		"version=2027-03-30", "tools/list",
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-03-30","io.modelcontextprotocol/clientInfo":7}}`, -32022, "2027-03-30",
	},
	"a future header alone":        {"version=2027-03-30 method=server/discover", "server/discover", ``, -32022, "2027-03-30"},
	"a future header in a session": {"version=2099-01-01 session=x", "tools/list", ``, -32022, "2099-01-01"},
	"a future header, capabilities": {
		"version=2027-03-30", "tools/list", `{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}`, -32022, "2027-03-30",
	},
	"a future header, ours in body": {
		"version=2027-03-30 method=tools/list", "tools/list", `{` + modernMeta + `}`, -32020, `"2027-03-30" does not match`,
	},
	"no metadata":           {listHeaders, "tools/list", `{}`, -32602, "protocolVersion"},
	"no params":             {listHeaders, "tools/list", ``, -32602, "protocolVersion"},
	"no method header":      {"version=2026-07-28", "tools/list", `{` + modernMeta + `}`, -32020, "Mcp-Method header is missing"},
	"another method header": {"version=2026-07-28 method=TOOLS/LIST", "tools/list", `{` + modernMeta + `}`, -32020, `"TOOLS/LIST"`},
	"name":                  {callHeaders + " name=a.b-c", "tools/call", `{"name":"a.b-c",` + modernMeta + `}`, 0, ""},
	"name in base64":        {callHeaders + " name==?base64?R3LDvMOfZQ==?=", "tools/call", `{"name":"Grüße",` + modernMeta + `}`, 0, ""},
	"name in base64 of the pattern": {
		callHeaders + " name==?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "tools/call", `{"name":"=?base64?literal?=",` + modernMeta + `}`, 0, "",
	},
	"name in base64 of no base64": {
		callHeaders + " name==?base64?R3LDvMOfZQ?=", "tools/call", `{"name":"Grüße",` + modernMeta + `}`, -32020, "Mcp-Name",
	},
	"name in base64 of no UTF-8": {callHeaders + " name==?base64?/w==?=", "tools/call", `{"name":"x",` + modernMeta + `}`, -32020, "Mcp-Name"},
	"name too short for base64":  {callHeaders + " name==?base64?=", "tools/call", `{"name":"=?base64?=",` + modernMeta + `}`, 0, ""},
	"name beyond ASCII": {
		callHeaders + " name=Grüße", "tools/call", `{"name":"Grüße",` + modernMeta + `}`, -32020, "visible ASCII",
	},
	"another name": {
		callHeaders + " name=b", "tools/call", `{"name":"a",` + modernMeta + `}`, -32020, `"b" does not match the body's "a"`,
	},
	"a long name": {
		callHeaders + " name=b", "tools/call", `{"name":"a` + strings.Repeat("é", 64) + `",` + modernMeta + `}`, -32020, `é…"`,
	},
	"no name header":      {callHeaders, "tools/call", `{"name":"a",` + modernMeta + `}`, -32020, "Mcp-Name header is missing"},
	"a name header alone": {callHeaders + " name=b", "tools/call", `{` + modernMeta + `}`, -32020, `"b"`},
	"no name at all":      {callHeaders, "tools/call", `{` + modernMeta + `}`, 0, ""}, // tools/call says -32602
	"uri": {
		"version=2026-07-28 method=resources/read name=x:y", "resources/read", `{"uri":"x:y",` + modernMeta + `}`, 0, "",
	},
	"another uri": {
		"version=2026-07-28 method=resources/read name=x:z", "resources/read", `{"uri":"x:y",` + modernMeta + `}`, -32020, "Mcp-Name",
	},
}

// TestModernPost: 2026-07-28 basic/transports/streamable-http, "Server
// Validation", and the era of each POST.
func TestModernPost(t *testing.T) {
	t.Parallel()
	for name, tt := range modernPosts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := lifecycle.NewGate(lifecycle.Config{})
			msg := message(t, "1", tt.method, tt.params)
			c, refusal := g.Post(context.Background(), headers(tt.headers), msg, "alice")
			if tt.code != 0 {
				if refusal == nil || refusal.Status != 400 {
					t.Fatalf("got %+v, want 400", refusal)
				}
				checkError(t, refusal.Error, tt.code, tt.fault)
				if supported := strings.Contains(string(refusal.Error.Data), `"supported":["2026-07-28",`); supported != (tt.code == -32022) {
					t.Errorf("data %s", refusal.Error.Data)
				}
				return
			}
			if refusal != nil {
				t.Fatal(refusal.Error)
			}
			scope, err := begin(t, g, c, msg)
			checkError(t, err, 0, "")
			if scope.Version != mcp.V20260728 || scope.Principal != "alice" || scope.SessionID != "" || !c.DisconnectCancels() {
				t.Errorf("got %+v", scope)
			}
		})
	}
}

func TestModernPostOfOtherKinds(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	ctx := context.Background()
	cancelled := message(t, "", "notifications/cancelled", `{"requestId":1}`)
	c, refusal := g.Post(ctx, headers("version=2026-07-28"), cancelled, "")
	if refusal != nil || g.Notify(ctx, c, cancelled) != nil {
		t.Errorf("a notification was refused: %+v", refusal)
	}
	if _, refusal = g.Post(ctx, headers("version=2027-03-30"), cancelled, ""); refusal == nil || refusal.Error.Code != -32022 {
		t.Errorf("a notification of an unknown version was not refused: %+v", refusal)
	}
	response := &jsonrpc.Message{Kind: jsonrpc.KindResponse, ID: jsonrpc.IntID(1), Result: []byte(`{}`)}
	if _, refusal = g.Post(ctx, headers("version=2026-07-28"), response, ""); refusal == nil || refusal.Status != 400 {
		t.Errorf("a response was not refused: %+v", refusal)
	}
}

// TestNameHeaderRoundTrip: any name, encoded as the specification says, matches itself.
func TestNameHeaderRoundTrip(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.String().Draw(rt, "name")
		header := name
		if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.HasPrefix(name, "=?base64?") {
			header = "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
		}
		params := jsonrpc.AppendString([]byte(`{"name":`), name)
		msg := message(t, "1", "tools/call", string(params)+","+modernMeta+"}")
		h := headers("version=2026-07-28 method=tools/call")
		h.Name, h.HasName = header, true
		if _, refusal := g.Post(context.Background(), h, msg, ""); refusal != nil {
			rt.Error(refusal.Error)
		}
	})
}
