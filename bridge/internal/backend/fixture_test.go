package backend_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"github.com/bufbuild/protocompile"
	"go.uber.org/goleak"
	_ "google.golang.org/genproto/googleapis/rpc/errdetails" // which the probe imports
	_ "google.golang.org/genproto/googleapis/rpc/status"     // which the probe imports
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// probe is the service of these tests: one method that says nothing about repetition, one that may be repeated,
// and two that stream.
const probe = `
syntax = "proto3";
package probe.v1;
import "google/protobuf/any.proto";
import "google/rpc/error_details.proto";
import "google/rpc/status.proto";
service Probe {
  rpc Do(Ask) returns (Answer);
  rpc Read(Ask) returns (Answer) { option idempotency_level = NO_SIDE_EFFECTS; }
  rpc Watch(Ask) returns (stream Answer);
  rpc Chat(stream Ask) returns (stream Answer);
}
message Ask { string text = 1; }
message Answer { string text = 1; map<string, string> labels = 2; }
message Fault {
  string what = 1;
  string token = 2 [debug_redact = true];
  google.protobuf.Any cause = 3;
  repeated Fault causes = 4;
  map<string, Fault> named = 5;
  google.rpc.DebugInfo debug = 6;
  repeated google.rpc.DebugInfo debugs = 7;
  map<string, google.rpc.DebugInfo> debug_by_name = 8;
  google.rpc.Status status = 9;
  google.rpc.RequestInfo request = 10;
}
`

// schema holds the compiled probe.
type schema struct{ file protoreflect.FileDescriptor }

func compile(t testing.TB) schema {
	t.Helper()
	linked := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		file, err := protoregistry.GlobalFiles.FindFileByPath(path)
		return protocompile.SearchResult{Desc: file}, err
	})
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(protocompile.CompositeResolver{
		&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(map[string]string{"probe.proto": probe})}, linked,
	})}
	files, err := compiler.Compile(context.Background(), "probe.proto")
	if err != nil {
		t.Fatal(err)
	}
	return schema{files[0]}
}

func (s schema) method(name protoreflect.Name) protoreflect.MethodDescriptor {
	return s.file.Services().Get(0).Methods().ByName(name)
}

// message makes a message whose field "text" (or "what") holds text.
func (s schema) message(name protoreflect.Name, text string) *dynamicpb.Message {
	m := dynamicpb.NewMessage(s.file.Messages().ByName(name))
	m.Set(m.Descriptor().Fields().ByNumber(1), protoreflect.ValueOfString(text))
	return m
}

func (s schema) wire(t testing.TB, text string) []byte {
	t.Helper()
	b, err := proto.Marshal(s.message("Ask", text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// handler answers a call of either method.
type handler func(ctx context.Context, ask *dynamicpb.Message) (proto.Message, error)

// server is a running probe that counts how often its handler was entered.
type server struct {
	schema
	*grpc.Server
	executions atomic.Int64
}

// start serves a handler on a listener until the test ends.
func start(t testing.TB, l net.Listener, h handler, options ...grpc.ServerOption) *server {
	t.Helper()
	s := &server{schema: compile(t), Server: grpc.NewServer(options...)}
	desc := &grpc.ServiceDesc{ServiceName: "probe.v1.Probe", HandlerType: (*any)(nil)}
	for _, name := range []protoreflect.Name{"Do", "Read"} {
		desc.Methods = append(desc.Methods, grpc.MethodDesc{MethodName: string(name), Handler: s.handle(h)})
	}
	s.RegisterService(desc, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Stop()
		<-done
	})
	return s
}

func (s *server) handle(h handler) grpc.MethodHandler {
	return func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		s.executions.Add(1)
		ask := dynamicpb.NewMessage(s.file.Messages().ByName("Ask"))
		if err := decode(ask); err != nil {
			return nil, err
		}
		return h(ctx, ask)
	}
}

// dial connects to an address, through memory when l is a bufconn listener.
func dial(t testing.TB, l net.Listener) *grpc.ClientConn {
	t.Helper()
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableServiceConfig()}
	if memory, ok := l.(*bufconn.Listener); ok {
		options = append(options, grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return memory.DialContext(ctx)
		}))
	}
	conn, err := grpc.NewClient("passthrough:///"+l.Addr().String(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func memory() *bufconn.Listener { return bufconn.Listen(64 << 10) }

func loopback(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func newBackend(t testing.TB, c backend.Config) *backend.Backend {
	t.Helper()
	if c.Name == "" {
		c.Name = "probe"
	}
	b, err := backend.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// stub is a connection that fails each call, with evidence of an answer if answered is set.
type stub struct {
	err      error
	answered bool
}

func (s stub) Invoke(_ context.Context, _ string, _, _ any, options ...grpc.CallOption) error {
	for _, o := range options {
		if trailer, ok := o.(grpc.TrailerCallOption); ok && s.answered {
			*trailer.TrailerAddr = map[string][]string{"content-type": {"application/grpc"}}
		}
	}
	return s.err
}

func (s stub) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, s.err
}
