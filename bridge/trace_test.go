package bridge_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
)

// TestTrace: the trace in a request's _meta arrives at the backend as metadata, whatever the HTTP headers say, and nothing
// else of the request does (2026-07-28 basic/index, "_meta").
func TestTrace(t *testing.T) {
	t.Parallel()
	checkTrace(t)
}

func checkTrace(t *testing.T) {
	t.Helper()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	url := serveHTTP(t, newBridge(t, []bridge.Backend{{Conn: startServices(t)}}))
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo_metadata","_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},
		"traceparent":"` + parent + `","tracestate":"vendor=1","baggage":"user=alice"}}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "echo_metadata",
		"Traceparent": "00-11111111111111111111111111111111-2222222222222222-01", "Authorization": "Bearer canary",
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{parent: true, "vendor=1": true, "alice": false, "11111111": false, "canary": false} {
		if strings.Contains(string(answer), text) != want {
			t.Errorf("the backend has %q: %v, want %v, in %s", text, !want, want, answer)
		}
	}
}
