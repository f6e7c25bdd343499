package bridge_test

import (
	"context"
	"net"
	"net/http/httptest"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/library"
)

// startServices runs both sample services in memory and returns a connection to them.
func startServices(t *testing.T, services ...host.Service) *grpc.ClientConn {
	t.Helper()
	if len(services) == 0 {
		services = []host.Service{library.New(), echo.New()}
	}
	lis := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- host.Serve(ctx, lis, services...) }()
	conn, err := grpc.NewClient("passthrough:///services",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the services ended with %v", err)
		}
	})
	return conn
}

// newBridge makes a bridge that ends with the test.
func newBridge(t *testing.T, backends []bridge.Backend, opts ...bridge.Option) *bridge.Bridge {
	t.Helper()
	b, err := bridge.New(t.Context(), backends, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// serveHTTP mounts a bridge on a loopback listener and returns the URL.
func serveHTTP(t *testing.T, b *bridge.Bridge) string {
	t.Helper()
	srv := httptest.NewServer(b)
	t.Cleanup(srv.Close)
	return srv.URL
}
