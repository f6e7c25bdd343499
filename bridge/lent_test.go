package bridge_test

import (
	"context"
	"sync"
	"testing"

	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge"
)

// lent is a connection that is to be released, and complains of who uses it then.
type lent struct {
	*grpc.ClientConn

	t        *testing.T
	gate     chan struct{} // holds up calls until it is closed; nil for none
	mu       sync.Mutex
	using    int
	calls    int
	released int
}

func lend(t *testing.T, conn *grpc.ClientConn) *lent { return &lent{ClientConn: conn, t: t} }

// backend is one over the connection.
func (l *lent) backend(name string) bridge.Backend {
	return bridge.Backend{Name: name, Conn: l, Descriptors: libraryOnly, Release: l.release}
}

func (l *lent) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.released++
	if l.using > 0 {
		l.t.Errorf("released with %d calls in flight", l.using)
	}
}

// begin notes a call.
func (l *lent) begin(method string) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.using++
	l.calls++
	if l.released > 0 {
		l.t.Errorf("%s was called on a connection that is released", method)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.using--
	}
}

// releases returns how often it was released.
func (l *lent) releases() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.released
}

// Invoke implements grpc.ClientConnInterface.
func (l *lent) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	defer l.begin(method)()
	if l.gate != nil {
		<-l.gate
	}
	return l.ClientConn.Invoke(ctx, method, args, reply, opts...)
}

// NewStream implements grpc.ClientConnInterface. A stream lasts until what reads it has had its end.
func (l *lent) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	end := l.begin(method)
	s, err := l.ClientConn.NewStream(ctx, desc, method, opts...)
	if err != nil {
		end()
		return nil, err
	}
	return &lentStream{ClientStream: s, end: sync.OnceFunc(end)}, nil
}

// lentStream is a stream of a lent connection.
type lentStream struct {
	grpc.ClientStream

	end func()
}

// RecvMsg implements grpc.ClientStream.
func (s *lentStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err != nil {
		s.end()
	}
	return err
}

// count returns how many calls there were.
func (l *lent) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls
}
