package streamable_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// FuzzHeaders: whatever the headers hold, the answer is well-formed and no panic; and what is served has a Host and an
// Origin that no reading of them makes foreign.
func FuzzHeaders(f *testing.F) {
	f.Add("localhost:8080", "", "application/json", "*/*", "", "", "", "")
	f.Add("[::1]:1", "http://[::1]", "application/json; charset=utf-8", "application/json;q=0.1", "2026-07-28", "", "tools/list", "")
	f.Add("evil.example@localhost", "null", `application/json;charset="utf-8`, "a/b;q=\"", "2025-11-25", "ABC", "tools/call", "=?base64?eA==?=")
	f.Add("localhost:", "http://localhost:99999", "application/json;;", ",,,", "\u00e9", "\x00", "=?base64?", "=?base64??=")
	f.Add("[::1", "://", "/", ";q", "2026-07-28 ", "\t", "\xff", "=?base64?%%%?=")
	f.Fuzz(func(t *testing.T, host, origin, contentType, accept, version, session, method, name string) {
		d := &double{}
		h := gated(d)
		r := request("POST", modernRequest)
		r.Host = host
		r.Header = http.Header{"Content-Type": {contentType}, "Accept": {accept}}
		for key, value := range map[string]string{
			"Origin": origin, "Mcp-Protocol-Version": version, "Mcp-Session-Id": session, "Mcp-Method": method, "Mcp-Name": name,
		} {
			if value != "" {
				r.Header[key] = []string{value}
			}
		}
		resp := serve(h, r)
		body := resp.body
		if msg, bad := jsonrpc.Decode(body, jsonrpc.DefaultLimits); bad != nil || msg.Kind != jsonrpc.KindResponse {
			t.Fatalf("answer %q: %v", body, bad)
		}
		wantSafe(t, resp.Header)
		if served := d.served.Load() == 1; served != (resp.StatusCode == http.StatusOK) {
			t.Errorf("served %v with status %d", served, resp.StatusCode)
		} else if served && (trim(version) != "2026-07-28" || trim(method) != "tools/list") {
			t.Errorf("served with version %q and method %q", version, method)
		}
	})
}

func trim(value string) string { return strings.Trim(value, " \t") }
