package host_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/durationpb"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/library"
)

// start runs both sample services in memory; stop ends them and returns what
// Serve returned.
func start(t *testing.T) (conn *grpc.ClientConn, stop func() error) {
	t.Helper()
	lis := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- host.Serve(ctx, lis, library.New(), echo.New()) }()
	stopped := false
	stop = func() error {
		stopped = true
		cancel()
		return <-done
	}
	conn, err := grpc.NewClient("passthrough:///memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		if !stopped {
			stop()
		}
	})
	return conn, stop
}

func TestServeAnswersAndEnds(t *testing.T) {
	t.Parallel()
	conn, stop := start(t)
	book, err := libraryv1.NewLibraryServiceClient(conn).GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "books/dune"})
	if err != nil || book.GetTitle() != "Dune" {
		t.Errorf("GetBook = %v, %v", book, err)
	}
	if err := stop(); err != nil {
		t.Errorf("Serve = %v, want nil after its context ended", err)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	conn, _ := start(t)
	client := grpc_health_v1.NewHealthClient(conn)
	for _, name := range []string{"", "library.v1.LibraryService", "echo.v1.EchoService"} {
		res, err := client.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: name})
		if err != nil || res.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
			t.Errorf("health of %q = %v, %v", name, res, err)
		}
	}
	_, err := client.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "nobody.v1.Nothing"})
	if status.Code(err) != codes.NotFound {
		t.Errorf("health of an unknown service = %v, want NOT_FOUND", err)
	}
}

// TestReflection asks both versions, whose messages are the same on the wire.
func TestReflection(t *testing.T) {
	t.Parallel()
	conn, _ := start(t)
	for _, version := range []string{"v1", "v1alpha"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			got := reflected(t, conn, "/grpc.reflection."+version+".ServerReflection/ServerReflectionInfo")
			for _, name := range []string{"echo.v1.EchoService", "library.v1.LibraryService"} {
				if !slices.Contains(got, name) {
					t.Errorf("reflection lists %v, without %s", got, name)
				}
			}
		})
	}
}

// reflected returns the services that the reflection service behind method lists.
func reflected(t *testing.T, conn *grpc.ClientConn, method string) []string {
	t.Helper()
	stream, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		t.Fatal(err)
	}
	err = stream.SendMsg(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	})
	if err != nil {
		t.Fatal(err)
	}
	var res grpc_reflection_v1.ServerReflectionResponse
	if err := stream.RecvMsg(&res); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, service := range res.GetListServicesResponse().GetService() {
		names = append(names, service.GetName())
	}
	return names
}

// TestServeLetsCallsFinish ends the server while a call is in its handler.
func TestServeLetsCallsFinish(t *testing.T) {
	t.Parallel()
	conn, stop := start(t)
	stream, err := echov1.NewEchoServiceClient(conn).Count(t.Context(), &echov1.CountRequest{
		Limit: 3, Pause: durationpb.New(1),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	numbers := 1
	for {
		_, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		numbers++
	}
	if err := <-ended; err != nil || numbers != 3 {
		t.Errorf("Serve = %v after %d numbers, want nil after 3", err, numbers)
	}
}

func TestServeReportsTheListener(t *testing.T) {
	t.Parallel()
	lis := bufconn.Listen(1)
	lis.Close()
	if err := host.Serve(t.Context(), lis, library.New()); err == nil {
		t.Error("Serve on a closed listener = nil, want an error")
	}
}

// calls counts the calls that a server is told of.
type calls struct {
	stats.Handler

	begun atomic.Int64
}

func (c *calls) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	c.begun.Add(1)
	return ctx
}

func (*calls) HandleRPC(context.Context, stats.RPCStats) {}

func (*calls) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (*calls) HandleConn(context.Context, stats.ConnStats) {}

// TestServeWith: the options are those of the server that serves.
func TestServeWith(t *testing.T) {
	t.Parallel()
	seen := new(calls)
	lis := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- host.ServeWith(ctx, lis, []grpc.ServerOption{grpc.StatsHandler(seen)}, library.New()) }()
	conn, err := grpc.NewClient("passthrough:///memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := libraryv1.NewLibraryServiceClient(conn).GetBook(ctx, &libraryv1.GetBookRequest{Name: "books/dune"}); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; err != nil || seen.begun.Load() != 1 {
		t.Errorf("ServeWith = %v, and its handler saw %d calls; want nil and 1", err, seen.begun.Load())
	}
}
