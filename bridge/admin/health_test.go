package admin_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/admin"
)

// dial serves a handler as an embedder would, HTTP/1 and HTTP/2 at one port, and connects to it by gRPC.
func dial(t *testing.T, h *admin.Handler) (healthpb.HealthClient, string) {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: h, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	served := make(chan error, 1)
	go func() { served <- server.Serve(lis) }()
	conn, err := grpc.NewClient(lis.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Close()
		if err := errors.Join(conn.Close(), server.Shutdown(context.Background())); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return healthpb.NewHealthClient(conn), "http://" + lis.Addr().String()
}

// TestGRPC: the gRPC health service and the pages are at one port, and say the same.
func TestGRPC(t *testing.T) {
	t.Parallel()
	client, url := dial(t, handler(t, admin.Config{Bridge: &double{health: bridge.Health{
		Backends: []bridge.BackendHealth{up("library"), down("echo")},
	}}}))
	for service, want := range map[string]healthpb.HealthCheckResponse_ServingStatus{
		"":        healthpb.HealthCheckResponse_SERVING,
		"library": healthpb.HealthCheckResponse_SERVING,
		"echo":    healthpb.HealthCheckResponse_NOT_SERVING,
	} {
		resp, err := client.Check(t.Context(), &healthpb.HealthCheckRequest{Service: service})
		if err != nil || resp.GetStatus() != want {
			t.Errorf("%q is %v, error %v; want %v", service, resp.GetStatus(), err, want)
		}
	}
	if _, err := client.Check(t.Context(), &healthpb.HealthCheckRequest{Service: "orders"}); status.Code(err) != codes.NotFound {
		t.Errorf("a name that no backend has: error %v", err)
	}
	list, err := client.List(t.Context(), &healthpb.HealthListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for name, r := range list.GetStatuses() {
		states[name] = r.GetStatus().String()
	}
	if diff := cmp.Diff(map[string]string{"": "SERVING", "library": "SERVING", "echo": "NOT_SERVING"}, states); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/readyz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := new(http.Transport).RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("response %v, error %v", resp, err)
	}
	_ = resp.Body.Close()
}

// TestWatch: a stream tells of each change, of a name that comes and goes too, and ends with the handler.
func TestWatch(t *testing.T) {
	t.Parallel()
	d := &double{health: bridge.Health{Backends: []bridge.BackendHealth{up("library")}}}
	h := handler(t, admin.Config{Bridge: d})
	client, _ := dial(t, h)
	stream, err := client.Watch(t.Context(), &healthpb.HealthCheckRequest{Service: "library"})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		want healthpb.HealthCheckResponse_ServingStatus
		next []bridge.BackendHealth
	}{
		{healthpb.HealthCheckResponse_SERVING, []bridge.BackendHealth{down("library")}},
		{healthpb.HealthCheckResponse_NOT_SERVING, nil},
		{healthpb.HealthCheckResponse_SERVICE_UNKNOWN, nil},
	} {
		resp, err := stream.Recv()
		if err != nil || resp.GetStatus() != step.want {
			t.Fatalf("got %v, error %v; want %v", resp.GetStatus(), err, step.want)
		}
		d.set(bridge.Health{Backends: step.next})
	}
	h.Close()
	if resp, err := stream.Recv(); err == nil {
		t.Errorf("after the end: %v", resp)
	}
}

// TestWatchesAreBounded: who opens many streams is refused those that are too many.
func TestWatchesAreBounded(t *testing.T) {
	t.Parallel()
	client, _ := dial(t, handler(t, admin.Config{Bridge: &double{}}))
	for i := range 65 {
		stream, err := client.Watch(t.Context(), &healthpb.HealthCheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = stream.Recv()
		if want := i == 64; (status.Code(err) == codes.ResourceExhausted) != want {
			t.Fatalf("stream %d: error %v", i, err)
		}
	}
}
