package lifecycle_test

import (
	"cmp"
	"context"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
)

// TestReasonsHaveNoValues: the client is told which values contradict each other, and a log that some do.
func TestReasonsHaveNoValues(t *testing.T) {
	t.Parallel()
	const canary = "sk-canary-1"
	call := "version=2026-07-28 method=tools/call name=q"
	for name, tt := range map[string]struct {
		headers, params, method, body string
		reason                        string
	}{
		"an argument in the header": {
			call, "region=" + canary, "tools/call", `{"name":"q","arguments":{"region":"eu"},` + modernMeta + `}`,
			"header mismatch: the Mcp-Param-Region header value does not match the body's",
		},
		"an argument in the body": {
			call, "region=eu", "tools/call", `{"name":"q","arguments":{"region":"` + canary + `"},` + modernMeta + `}`,
			"header mismatch: the Mcp-Param-Region header value does not match the body's",
		},
		"no number": {
			call, "count=" + canary, "tools/call", `{"name":"q","arguments":{"count":1},` + modernMeta + `}`,
			"header mismatch: the Mcp-Param-Count header value is no number as JSON writes it",
		},
		"a resource": {
			"version=2026-07-28 method=resources/read name=file:///" + canary, "", "resources/read", `{"uri":"x:y",` + modernMeta + `}`,
			"header mismatch: the Mcp-Name header value does not match the body's",
		},
		"a method": {
			"version=2026-07-28 method=" + canary, "", "tools/list", `{` + modernMeta + `}`,
			"header mismatch: the Mcp-Method header value does not match the body's",
		},
		"a version in the header": {
			"version=" + canary + " method=tools/list", "", "tools/list", `{` + modernMeta + `}`,
			"header mismatch: the MCP-Protocol-Version header value does not match the body's",
		},
		"a version": {
			"version=" + canary + " method=tools/list", "", "tools/list", `{` + strings.Replace(modernMeta, "2026-07-28", canary, 1) + `}`,
			"unsupported protocol version",
		},
		"a version of a session": {
			"version=" + canary + " session=x", "", "tools/list", `{}`,
			"a version in MCP-Protocol-Version that is not served",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := headers(tt.headers)
			h.Params = pairs(tt.params)
			_, refusal := withParams().Post(context.Background(), h, message(t, "1", tt.method, tt.body), "")
			if refusal == nil {
				t.Fatal("not refused")
			}
			if refusal.Reason != tt.reason || !strings.Contains(refusal.Error.Message, canary) {
				t.Errorf("reason %q, message %q", refusal.Reason, refusal.Error.Message)
			}
		})
	}
}

// TestReasonsOfOtherRefusals: what has nothing of the client's needs no other text for the log.
func TestReasonsOfOtherRefusals(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	for _, h := range []string{"version=2026-07-28", "version=2025-11-25", "session=canary", "version=2025-11-25 session=canary"} {
		_, refusal := g.Post(context.Background(), headers(h), message(t, "1", "tools/list", `{"canary":1}`), "")
		if refusal == nil || refusal.Reason != "" || strings.Contains(cmp.Or(refusal.Reason, refusal.Error.Message), "canary") {
			t.Errorf("%s: %+v", h, refusal)
		}
	}
}
