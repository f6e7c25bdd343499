package backend_test

import (
	"errors"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

type streamer struct {
	testgrpc.UnimplementedTestServiceServer
	ended chan struct{}
}

func (s *streamer) FullDuplexCall(g testgrpc.TestService_FullDuplexCallServer) error {
	for range 3 {
		if err := g.Send(&testgrpc.StreamingOutputCallResponse{}); err != nil {
			return err
		}
	}
	return status.Error(codes.NotFound, "no more")
}

func (s *streamer) StreamingOutputCall(_ *testgrpc.StreamingOutputCallRequest, g testgrpc.TestService_StreamingOutputCallServer) error {
	defer close(s.ended)
	for g.Context().Err() == nil {
		_ = g.Send(&testgrpc.StreamingOutputCallResponse{})
	}
	return nil
}

func (s *streamer) StreamingInputCall(g testgrpc.TestService_StreamingInputCallServer) error {
	return g.SendAndClose(&testgrpc.StreamingInputCallResponse{AggregatedPayloadSize: 7})
}

func TestStream(t *testing.T) {
	t.Parallel()
	for name, messages := range map[string]bool{"bytes": false, "messages": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			service := &streamer{ended: make(chan struct{})}
			server := grpc.NewServer()
			testgrpc.RegisterTestServiceServer(server, service)
			go func() { _ = server.Serve(l) }()
			t.Cleanup(server.Stop)
			conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			b, err := backend.New(backend.Config{Name: "b", Conn: conn, Messages: messages})
			if err != nil {
				t.Fatal(err)
			}
			methods := testgrpc.File_grpc_testing_test_proto.Services().ByName("TestService").Methods()
			got := 0
			count := func([]byte) error { got++; return nil }
			f := b.Stream(t.Context(), methods.ByName("FullDuplexCall"), [][]byte{nil, nil}, count)
			if f == nil || f.Code != codes.NotFound || f.Execution != backend.Executed || got != 3 {
				t.Errorf("bidi: %d replies, %v", got, f)
			}
			if f := b.Stream(t.Context(), methods.ByName("StreamingInputCall"), make([][]byte, 50), count); f != nil || got != 4 {
				t.Errorf("client stream that is answered early: %d replies, %v", got, f)
			}
			full := errors.New("full")
			f = b.Stream(t.Context(), methods.ByName("StreamingOutputCall"), [][]byte{nil}, func([]byte) error { return full })
			if !errors.Is(f, full) {
				t.Errorf("error of receive: %v", f)
			}
			<-service.ended
		})
	}
}
