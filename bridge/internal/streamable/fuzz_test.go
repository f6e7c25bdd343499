package streamable_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// FuzzHeaders: whatever the headers hold, the answer is well-formed and no panic; and what is served has a Host and an
// Origin that no reading of them makes foreign.
func FuzzHeaders(f *testing.F) {
	f.Add("localhost:8080", "", "application/json", "*/*", "", "", "", "", "")
	f.Add("localhost:8080", "", "application/json", "*/*", "2026-07-28", "", "tools/call", "q", "eu")
	f.Add("localhost:8080", "", "application/json", "*/*", "2026-07-28", "", "tools/call", "=?base64?cQ==?=", "=?base64?ZXU=?=")
	f.Add("[::1]:1", "http://[::1]", "application/json; charset=utf-8", "application/json;q=0.1", "2026-07-28", "", "tools/list", "", "")
	f.Add("evil.example@localhost", "null", `application/json;charset="utf-8`, "a/b;q=\"", "2025-11-25", "ABC", "tools/call",
		"=?base64?eA==?=", "\x01")
	f.Add("localhost:", "http://localhost:99999", "application/json;;", ",,,", "\u00e9", "\x00", "=?base64?", "=?base64??=", "=?base64?/w==?=")
	f.Add("[::1", "://", "/", ";q", "2026-07-28 ", "\t", "\xff", "=?base64?%%%?=", "\xff")
	f.Fuzz(func(t *testing.T, host, origin, contentType, accept, version, session, method, name, param string) {
		headers := http.Header{"Content-Type": {contentType}, "Accept": {accept}}
		for key, value := range map[string]string{
			"Origin": origin, "Mcp-Protocol-Version": version, "Mcp-Session-Id": session, "Mcp-Method": method, "Mcp-Name": name,
			"Mcp-Param-Region": param,
		} {
			if value != "" {
				headers[key] = []string{value}
			}
		}
		repeated := trim(version) == "2026-07-28"
		fuzzHeaders(t, modernRequest, host, headers, repeated && trim(method) == "tools/list")
		fuzzHeaders(t, regionRequest, host, headers,
			repeated && trim(method) == "tools/call" && plain(name) == "q" && plain(param) == "eu")
	})
}

// regionRequest calls a tool whose argument region is repeated in a header.
const regionRequest = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"q","arguments":{"region":"eu"},"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// fuzzHeaders sends a modern request with headers of which repeats says whether they are those of the body.
func fuzzHeaders(t *testing.T, body, host string, headers http.Header, repeats bool) {
	t.Helper()
	d := &double{}
	gate := lifecycle.NewGate(lifecycle.Config{HeaderParams: func(string) []mcp.HeaderParam {
		return []mcp.HeaderParam{{Name: "Region", Path: []string{"region"}}}
	}})
	r := request("POST", body)
	r.Host, r.Header = host, headers.Clone()
	resp := serve(configured(d, gate, nil), r)
	if msg, bad := jsonrpc.Decode(resp.body, jsonrpc.DefaultLimits); bad != nil || msg.Kind != jsonrpc.KindResponse {
		t.Fatalf("answer %q: %v", resp.body, bad)
	}
	wantSafe(t, resp.Header)
	if served := d.served.Load() == 1; served != (resp.StatusCode == http.StatusOK) {
		t.Errorf("served %v with status %d", served, resp.StatusCode)
	} else if served && !repeats {
		t.Errorf("%s is served with headers %q", body, headers)
	}
}

// plain is what a header value stands for.
func plain(value string) string {
	value = trim(value)
	inner, ok := strings.CutPrefix(value, "=?base64?")
	if inner, ended := strings.CutSuffix(inner, "?="); ok && ended {
		text, _ := base64.StdEncoding.DecodeString(inner)
		return string(text)
	}
	return value
}

func trim(value string) string { return strings.Trim(value, " \t") }
