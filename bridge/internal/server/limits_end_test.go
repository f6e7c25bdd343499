package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/limit"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// post sends a call of GetBook to an endpoint and returns the status, the Retry-After and the body of the answer.
func post(t *testing.T, endpoint *httptest.Server, headers map[string]string) (status int, after, body string) {
	t.Helper()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shelf_get_book",` + modernMeta + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint.URL, strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "shelf_get_book",
	} {
		r.Header.Set(name, value)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	reply, err := endpoint.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, reply.Header.Get("Retry-After"), string(text)
}

// TestQuotasOverHTTP: over a real connection, a caller over its quota has 429 and Retry-After, and one whose backend is over its
// own has a failure of the tool, which the status does not tell.
func TestQuotasOverHTTP(t *testing.T) {
	t.Parallel()
	rare := limit.Quota{PerSecond: 0.001}
	for name, tt := range map[string]struct {
		quotas
		status int
		text   string
	}{
		"caller":  {quotas{caller: rare}, 429, "the quota of this client is used up: calls come faster than 3.6 an hour"},
		"backend": {quotas{backend: rare}, 200, `"isError":true`},
		"both":    {quotas{caller: rare, backend: rare}, 429, `"code":-32603`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLimited(t, shelf, `GetBook: {"title":"Dune"}`, tt.quotas)
			endpoint := httptest.NewServer(streamable.New(streamable.Config{Server: l.server, Gate: l.gate}))
			defer endpoint.Close()
			if status, after, body := post(t, endpoint, nil); status != 200 || after != "" || !strings.Contains(body, "Dune") {
				t.Fatalf("the first: %d %q %s", status, after, body)
			}
			status, after, body := post(t, endpoint, nil)
			if status != tt.status || !strings.Contains(body, tt.text) {
				t.Errorf("the second: %d %s", status, body)
			}
			seconds, err := strconv.Atoi(after)
			if told := err == nil && seconds > 0 && seconds <= 1000; told != (tt.status == 429) || !told && after != "" {
				t.Errorf("Retry-After %q with status %d", after, status)
			}
		})
	}
}

// TestForwardedOverHTTP: a header travels from the client's request to the backend's metadata, another one does not, and
// neither does what the client must not say, whatever it is called.
func TestForwardedOverHTTP(t *testing.T) {
	t.Parallel()
	forward := []backend.Forward{{Header: "X-Request-Id"}, {Header: "X-Blob", Metadata: "blob-bin"}}
	l := newLimited(t, shelf, `GetBook: {"title":"Dune"}`, quotas{forward: forward})
	var sent metadata.MD
	l.entering = func(ctx context.Context) { sent, _ = metadata.FromOutgoingContext(ctx) }
	endpoint := httptest.NewServer(streamable.New(streamable.Config{
		Server: l.server, Gate: l.gate, Forward: func() []string { return []string{"X-Request-Id", "X-Blob"} },
	}))
	defer endpoint.Close()
	status, _, body := post(t, endpoint, map[string]string{
		"x-request-id": "r1", "X-Blob": "AP8=", "X-Other": "x", "Authorization": "Bearer x", "Cookie": "a=b", "X-Forwarded-For": "1.2.3.4",
	})
	if status != 200 || !strings.Contains(body, "Dune") {
		t.Fatalf("%d %s", status, body)
	}
	if diff := cmp.Diff(metadata.MD{"x-request-id": {"r1"}, "blob-bin": {"\x00\xff"}}, sent); diff != "" {
		t.Error(diff)
	}
	sent = nil
	if _, _, body = post(t, endpoint, map[string]string{"X-Blob": "no base64!"}); sent != nil ||
		!strings.Contains(body, `FAILED_PRECONDITION: header \"X-Blob\" of the client's request cannot be forwarded: a value is not base64`) {
		t.Errorf("sent %v, answered %s", sent, body)
	}
}
