package streamable_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/health/grpc_health_v1" // registers the service that is served
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// waiting is a backend whose calls wait for their cancellation. It reports the begin and the end of each.
type waiting struct{ began, ended chan struct{} }

func (w waiting) Invoke(ctx context.Context, _ string, _, _ any, _ ...grpc.CallOption) error {
	close(w.began)
	<-ctx.Done()
	close(w.ended)
	return status.FromContextError(ctx.Err()).Err()
}

func (waiting) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, errors.New("streams are not served")
}

// healthEndpoint returns the endpoint with the server itself in front of the health service of conn.
func healthEndpoint(t *testing.T, conn grpc.ClientConnInterface) http.Handler {
	t.Helper()
	set, err := descriptor.Registered("grpc.health.v1.Health").Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := backend.New(backend.Config{Name: "health", Conn: conn})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := catalog.Compile([]catalog.Source{{Backend: b, Set: set, Expose: []string{"grpc.health.v1.Health.Check"}}},
		catalog.Options{Features: lifecycle.AllFeatures()})
	if err != nil {
		t.Fatal(err)
	}
	gate := lifecycle.NewGate(lifecycle.Config{})
	serving := server.New(server.Config{Gate: gate, Catalog: func() *catalog.Catalog { return tools }})
	return streamable.New(streamable.Config{Server: serving, Gate: gate})
}

// TestLegacySession walks a session from its opening to what comes after its end.
func TestLegacySession(t *testing.T) {
	t.Parallel()
	h := healthEndpoint(t, nil)
	opening := serve(h, request("POST", legacyRequest))
	id := opening.Header.Get("Mcp-Session-Id")
	if opening.StatusCode != http.StatusOK || id == "" {
		t.Fatalf("initialize: status %d, session %q, body %s", opening.StatusCode, id, opening.body)
	}
	in := header("Mcp-Session-Id", id)
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	wantError(t, serve(h, request("POST", list)), 400, jsonrpc.CodeInvalidRequest, "2")
	wantError(t, serve(h, request("POST", list, header("Mcp-Session-Id", "unknown"))), 404, jsonrpc.CodeInvalidRequest, "2")
	wantError(t, serve(h, request("POST", list, in, header("Mcp-Protocol-Version", "1999-01-01"))), 400, jsonrpc.CodeInvalidRequest, "2")

	resp := serve(h, request("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, in))
	if resp.StatusCode != http.StatusAccepted || len(resp.body) > 0 {
		t.Errorf("initialized: status %d, body %q", resp.StatusCode, resp.body)
	}
	resp = serve(h, request("POST", list, in, header("Mcp-Protocol-Version", string(mcp.V20251125))))
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(resp.body), `"health_check"`) {
		t.Errorf("tools/list: status %d, body %s", resp.StatusCode, resp.body)
	}
	if resp = serve(h, request("DELETE", "", in)); resp.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: status %d", resp.StatusCode)
	}
	wantError(t, serve(h, request("POST", list, in)), 404, jsonrpc.CodeInvalidRequest, "2")
	wantError(t, serve(h, request("DELETE", "", in)), 404, jsonrpc.CodeInvalidRequest, "")
	wantError(t, serve(h, request("DELETE", "")), 400, jsonrpc.CodeInvalidRequest, "")
}

// TestLargeClient: a session is not opened for a client that says so much of itself that many would fill the memory.
func TestLargeClient(t *testing.T) {
	t.Parallel()
	large := strings.Replace(legacyRequest, `"name":"c"`, `"name":"`+strings.Repeat("c", 900_000)+`"`, 1)
	resp := serve(healthEndpoint(t, nil), request("POST", large))
	if says := wantError(t, resp, 200, jsonrpc.CodeInvalidParams, "1"); !strings.Contains(says, "16384") ||
		resp.Header.Get("Mcp-Session-Id") != "" {
		t.Errorf("message %q, session %q", says, resp.Header.Get("Mcp-Session-Id"))
	}
}

// TestModernRequests has what the modern era refuses by HTTP status; it never hands out a session.
func TestModernRequests(t *testing.T) {
	t.Parallel()
	h := healthEndpoint(t, nil)
	resp := serve(h, request("POST", modernRequest, modern))
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Mcp-Session-Id") != "" || !strings.Contains(string(resp.body), `"health_check"`) {
		t.Errorf("tools/list: status %d, headers %v, body %s", resp.StatusCode, resp.Header, resp.body)
	}
	as := func(version, method string) func(*http.Request) {
		return func(r *http.Request) {
			header("Mcp-Protocol-Version", version)(r)
			header("Mcp-Method", method)(r)
		}
	}
	wantError(t, serve(h, request("POST", modernRequest)), 400, mcp.CodeHeaderMismatch, "1")
	wantError(t, serve(h, request("POST", modernRequest, as("2025-11-25", "tools/list"))), 400, mcp.CodeHeaderMismatch, "1")
	wantError(t, serve(h, request("POST", modernRequest, as("2026-07-28", "tools/call"))), 400, mcp.CodeHeaderMismatch, "1")
	unknown := strings.Replace(modernRequest, "tools/list", "ping", 1)
	wantError(t, serve(h, request("POST", unknown, as("2026-07-28", "ping"))), 404, jsonrpc.CodeMethodNotFound, "1")
	future := strings.Replace(modernRequest, "2026-07-28", "2030-01-01", 1)
	wantError(t, serve(h, request("POST", future, as("2030-01-01", "tools/list"))), 400, mcp.CodeUnsupportedVersion, "1")
	resp = serve(h, request("DELETE", "", as("2026-07-28", "tools/list")))
	if wantError(t, resp, 405, jsonrpc.CodeInvalidRequest, ""); resp.Header.Get("Allow") == "" {
		t.Error("405 without Allow")
	}
}

// TestDisconnectReachesTheBackend: the cut of a modern client's connection ends its gRPC call.
func TestDisconnectReachesTheBackend(t *testing.T) {
	t.Parallel()
	w := waiting{began: make(chan struct{}), ended: make(chan struct{})}
	s := listen(t, healthEndpoint(t, w))
	ctx, disconnect := context.WithCancel(t.Context())
	body := strings.Replace(strings.Replace(modernRequest, "tools/list", "tools/call", 1), `"params":{`, `"params":{"name":"health_check",`, 1)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "health_check",
	} {
		r.Header.Set(name, value)
	}
	go func() {
		select {
		case <-w.began:
		case <-t.Context().Done():
		}
		disconnect()
	}()
	if resp, err := s.Client().Do(r); err == nil {
		t.Fatalf("status %d, body %s", resp.StatusCode, read(t, resp).body)
	}
	take(t, w.ended)
}
