package host_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/library"
)

// TestDescribed: descriptors that a service brings along are those that reflection answers with; the others come from
// generated code, without comments.
func TestDescribed(t *testing.T) {
	t.Parallel()
	lis := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- host.Serve(ctx, lis, host.Described(library.New(), library.DescriptorSet()), echo.New())
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
