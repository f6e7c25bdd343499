package backend_test

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// service is a gRPC service of all kinds of methods, each as the test has it, that counts what it is called.
type service struct {
	testgrpc.UnimplementedTestServiceServer
	out   func(testgrpc.TestService_StreamingOutputCallServer) error
	in    func(testgrpc.TestService_StreamingInputCallServer) error
	both  func(testgrpc.TestService_FullDuplexCallServer) error
	calls atomic.Int64
}

func (s *service) UnaryCall(_ context.Context, in *testgrpc.SimpleRequest) (*testgrpc.SimpleResponse, error) {
	s.calls.Add(1)
	return &testgrpc.SimpleResponse{Payload: in.GetPayload()}, nil
}

func (s *service) StreamingOutputCall(_ *testgrpc.StreamingOutputCallRequest, g testgrpc.TestService_StreamingOutputCallServer) error {
	s.calls.Add(1)
	return s.out(g)
}

func (s *service) StreamingInputCall(g testgrpc.TestService_StreamingInputCallServer) error {
	s.calls.Add(1)
	return s.in(g)
}

func (s *service) FullDuplexCall(g testgrpc.TestService_FullDuplexCallServer) error {
	s.calls.Add(1)
	return s.both(g)
}

// serve serves until the test ends.
func (s *service) serve(t testing.TB, l net.Listener) {
	t.Helper()
	server := grpc.NewServer()
	testgrpc.RegisterTestServiceServer(server, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
}

// backend serves through memory, and returns a backend of the service.
func (s *service) backend(t testing.TB, c backend.Config) *backend.Backend {
	t.Helper()
	l := memory()
	s.serve(t, l)
	c.Conn = dial(t, l)
	return newBackend(t, c)
}

// kind returns a method of the service.
func kind(name protoreflect.Name) protoreflect.MethodDescriptor {
	return testgrpc.File_grpc_testing_test_proto.Services().ByName("TestService").Methods().ByName(name)
}

// reply is a message of a stream with n bytes in it.
func reply(n int) *testgrpc.StreamingOutputCallResponse {
	return &testgrpc.StreamingOutputCallResponse{Payload: &testgrpc.Payload{Body: make([]byte, n)}}
}

// sends sends n replies of a size each.
func sends(n, size int) func(testgrpc.TestService_StreamingOutputCallServer) error {
	return func(g testgrpc.TestService_StreamingOutputCallServer) error {
		for range n {
			if err := g.Send(reply(size)); err != nil {
				return err
			}
		}
		return nil
	}
}

// drain reads what a client sends, and returns how many messages that were.
func drain[T any](recv func() (T, error)) (int, error) {
	for n := 0; ; n++ {
		switch _, err := recv(); err {
		case nil:
		case io.EOF:
			return n, nil
		default:
			return n, err
		}
	}
}
