package backend_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// short is a connection that breaks when so many bytes have been read from it.
type short struct {
	net.Conn
	left int
}

func (s *short) Read(p []byte) (int, error) {
	if s.left == 0 {
		_ = s.Close()
		return 0, io.ErrUnexpectedEOF
	}
	n, err := s.Conn.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}

// shortened connects through memory, by a connection that breaks after left bytes; there is no second one.
func shortened(t *testing.T, l *bufconn.Listener, left int) *grpc.ClientConn {
	t.Helper()
	dialled := false
	conn, err := grpc.NewClient("passthrough:///short", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			if dialled {
				return nil, io.ErrUnexpectedEOF
			}
			dialled = true
			c, err := l.DialContext(ctx)
			return &short{c, left}, err
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestStreamCutAtEveryByte: wherever the bytes of a backend end, the call ends, with a whole stream or a failure that claims no
// more than is known, and leaves no goroutine behind (see TestMain).
func TestStreamCutAtEveryByte(t *testing.T) {
	t.Parallel()
	var called sync.Map // by cut: one before may reach its handler late
	s := &service{both: func(g testgrpc.TestService_FullDuplexCallServer) error {
		called.Store(strings.Join(metadata.ValueFromIncomingContext(g.Context(), "cut"), ""), true)
		if _, err := drain(g.Recv); err != nil {
			return err
		}
		for range 3 {
			_ = g.Send(reply(5))
		}
		return status.Error(codes.NotFound, "no more")
	}}
	l := memory()
	s.serve(t, l)
	whole := 0
	for left := 0; whole < 3; left++ {
		if left == 2000 {
			t.Fatalf("%d calls came to their end", whole)
		}
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			got := 0
			b := newBackend(t, backend.Config{Conn: shortened(t, l, left), Headers: metadata.Pairs("cut", fmt.Sprint(left))})
			f := b.Stream(t.Context(), kind("FullDuplexCall"), [][]byte{nil, nil}, func([]byte) error { got++; return nil })
			switch {
			case f == nil:
				t.Fatal("the status was lost")
			case f.Code == codes.NotFound && got == 3 && f.Execution == backend.Executed:
				whole++
			case f.Code != codes.Unavailable && f.Code != codes.Internal, f.Execution == backend.Executed:
				t.Errorf("%d replies, then %+v", got, f)
			case f.Execution == backend.NotExecuted:
				if _, ok := called.Load(fmt.Sprint(left)); ok {
					t.Errorf("the backend was called, and the outcome is %+v", f)
				}
			}
		})
	}
}

// TestStreamAgain: a stream that ended without a message is opened again where the method is repeatable, with all that was sent.
func TestStreamAgain(t *testing.T) {
	t.Parallel()
	s := &service{}
	s.both = func(g testgrpc.TestService_FullDuplexCallServer) error {
		n, err := drain(g.Recv)
		if err != nil || s.calls.Load() < 3 {
			return status.Error(codes.Unavailable, "not yet")
		}
		return sends(n, 1)(g)
	}
	b, got := s.backend(t, backend.Config{Idempotent: all}), 0
	f := b.Stream(t.Context(), kind("FullDuplexCall"), make([][]byte, 7), func([]byte) error { got++; return nil })
	if f != nil || got != 7 || s.calls.Load() != 3 {
		t.Errorf("%d replies in %d calls: %v", got, s.calls.Load(), f)
	}
}

// TestStreamAgainThenCut: once a message has come, the call is not made again, whatever ended it.
func TestStreamAgainThenCut(t *testing.T) {
	t.Parallel()
	s := &service{}
	s.out = func(g testgrpc.TestService_StreamingOutputCallServer) error {
		if s.calls.Load() > 1 {
			_ = sends(2, 1)(g)
		}
		return status.Error(codes.Unavailable, "not yet")
	}
	b, got := s.backend(t, backend.Config{Idempotent: all}), 0
	f := b.Stream(t.Context(), kind("StreamingOutputCall"), [][]byte{nil}, func([]byte) error { got++; return nil })
	check(t, f, codes.Unavailable, backend.Unknown) // which a connection that broke looks like, but for the words
	if f.Message != "not yet" || got != 2 || s.calls.Load() != 2 || f.Attempts != 2 {
		t.Errorf("%d replies in %d calls: %+v", got, s.calls.Load(), f)
	}
}

// TestStreamUnsendable: a message that gRPC cannot send at all ends the call, with the reason.
func TestStreamUnsendable(t *testing.T) {
	t.Parallel()
	s := &service{in: func(g testgrpc.TestService_StreamingInputCallServer) error {
		_, err := drain(g.Recv)
		return err
	}}
	l := memory()
	s.serve(t, l)
	b := newBackend(t, backend.Config{Conn: changing{dial(t, l)}})
	f := b.Stream(t.Context(), kind("StreamingInputCall"), [][]byte{nil}, func([]byte) error { return nil })
	check(t, f, codes.Internal, backend.Unknown)
	contains(t, f, "cannot send a string as raw bytes: the connection changed the message")
}

// changing is a connection that sends something else.
type changing struct{ *grpc.ClientConn }

func (c changing) NewStream(ctx context.Context, d *grpc.StreamDesc, path string, o ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := c.ClientConn.NewStream(ctx, d, path, o...)
	return changed{s}, err
}

type changed struct{ grpc.ClientStream }

func (c changed) SendMsg(any) error { return c.ClientStream.SendMsg("something else") }
