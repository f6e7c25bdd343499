package host_test

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/library"
)

// connect serves services in memory until the test ends and returns a connection to them.
func connect(t *testing.T, services ...host.Service) *grpc.ClientConn {
	t.Helper()
	lis := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- host.Serve(ctx, lis, services...)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	conn, err := grpc.NewClient("passthrough:///services",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestDescribed: descriptors that a service brings along are those that reflection answers with; the others come from
// generated code, without comments.
func TestDescribed(t *testing.T) {
	t.Parallel()
	conn := connect(t, host.Described(library.New(), library.DescriptorSet()), echo.New())
	for symbol, want := range map[string]bool{"library.v1.LibraryService": true, "echo.v1.EchoService": false} {
		if got := strings.Contains(comments(t, conn, symbol), "."); got != want {
			t.Errorf("%s is described with comments: %v, want %v", symbol, got, want)
		}
	}
}

// comments returns all comments of the file that defines symbol, as reflection shows it.
func comments(t *testing.T, conn *grpc.ClientConn, symbol string) string {
	t.Helper()
	stream, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.CloseSend()
	if err := stream.Send(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: symbol},
	}); err != nil {
		t.Fatal(err)
	}
	answer, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if answer.GetFileDescriptorResponse() == nil {
		t.Fatalf("reflection about %s: %v", symbol, answer)
	}
	var all strings.Builder
	for _, raw := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
		file := &descriptorpb.FileDescriptorProto{}
		if err := proto.Unmarshal(raw, file); err != nil {
			t.Fatal(err)
		}
		for _, l := range file.GetSourceCodeInfo().GetLocation() {
			all.WriteString(l.GetLeadingComments())
		}
	}
	return all.String()
}

// TestBrokenDescriptors: descriptors that cannot be read are an error, and not a service without reflection.
func TestBrokenDescriptors(t *testing.T) {
	t.Parallel()
	err := host.Serve(t.Context(), bufconn.Listen(1), host.Described(library.New(), []byte("no set")))
	if err == nil || !strings.Contains(err.Error(), "descriptors") {
		t.Errorf("got %v", err)
	}
}

// twoFaced is a service that registers two gRPC services and lists both at times only.
type twoFaced struct {
	host.Service

	both atomic.Bool
}

func (s *twoFaced) Register(registrar grpc.ServiceRegistrar) {
	library.New().Register(registrar)
	echo.New().Register(registrar)
}

func (s *twoFaced) Unlisted() []string {
	if s.both.Load() {
		return nil
	}
	return []string{"echo.v1.EchoService"}
}

// TestSelective: what is listed changes while the server serves, with descriptors of its own and without.
func TestSelective(t *testing.T) {
	t.Parallel()
	plain, withSet := new(twoFaced), new(twoFaced)
	for name, tt := range map[string]struct {
		served host.Service
		both   *atomic.Bool
	}{
		"plain":     {plain, &plain.both},
		"described": {host.Described(withSet, library.DescriptorSet()), &withSet.both},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, tt.served)
			for _, both := range []bool{false, true, false} {
				tt.both.Store(both)
				got := reflected(t, conn, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
				if !slices.Contains(got, "library.v1.LibraryService") || slices.Contains(got, "echo.v1.EchoService") != both {
					t.Errorf("with both %v, reflection lists %v", both, got)
				}
			}
			if _, err := echov1.NewEchoServiceClient(conn).Echo(t.Context(), &echov1.EchoRequest{}); err != nil {
				t.Errorf("a service that is not listed cannot be called: %v", err)
			}
			comments(t, conn, "echo.v1.EchoService") // fails where it cannot be looked up by name
		})
	}
}
