package backend_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// hang answers only when its call is cancelled, and reports the deadline that it saw.
func hang(deadline *time.Duration) handler {
	return func(ctx context.Context, _ *dynamicpb.Message) (proto.Message, error) {
		if at, ok := ctx.Deadline(); ok {
			*deadline = time.Until(at)
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}
}

// TestDeadline runs in a bubble, where time passes only when everybody waits.
func TestDeadline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name               string
		configured, caller time.Duration
		want               time.Duration
		text               string
	}{
		{"default", 0, 0, 30 * time.Second, `backend "probe" gave no answer within the deadline of 30s (deadline of its backend, or --deadline)`},
		{
			"configured", 5 * time.Second, 0, 5 * time.Second,
			`backend "probe" gave no answer within the deadline of 5s (deadline of its backend, or --deadline)`,
		},
		{"never longer than the caller's", time.Minute, 3 * time.Second, 3 * time.Second, "within the time that the caller allowed"},
		{"the caller's does not lengthen", 2 * time.Second, time.Hour, 2 * time.Second, "within the deadline of 2s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen time.Duration
				l := memory()
				s := start(t, l, hang(&seen))
				conn := dial(t, l)
				b := newBackend(t, backend.Config{Conn: conn, Deadline: tt.configured})
				ctx := t.Context()
				if tt.caller > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.caller)
					defer cancel()
				}
				_, f := b.Unary(ctx, s.method("Do"), nil)
				check(t, f, codes.DeadlineExceeded, backend.Unknown)
				contains(t, f, tt.text, "look at the current state first")
				synctest.Wait()
				if seen != tt.want || f.Cancelled || f.Retryable {
					t.Errorf("the backend saw a deadline of %v, want %v; failure %+v", seen, tt.want, f)
				}
			})
		})
	}
}

// TestCancelReachesServer: the handler ends because its own context is cancelled.
func TestCancelReachesServer(t *testing.T) {
	t.Parallel()
	l := loopback(t)
	entered, left := make(chan struct{}), make(chan struct{})
	s := start(t, l, func(ctx context.Context, _ *dynamicpb.Message) (proto.Message, error) {
		close(entered)
		<-ctx.Done()
		close(left)
		return nil, ctx.Err()
	})
	b := newBackend(t, backend.Config{Conn: dial(t, l)})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	_, f := b.Unary(ctx, s.method("Read"), nil)
	check(t, f, codes.Canceled, backend.Unknown)
	if !f.Cancelled || f.Retryable {
		t.Errorf("failure %+v, want Cancelled and not Retryable", f)
	}
	contains(t, f, "the call was cancelled before backend \"probe\" answered")
	<-left
}

func TestCancelledBeforeSending(t *testing.T) {
	t.Parallel()
	l := loopback(t)
	s := start(t, l, echo(compile(t)))
	b := newBackend(t, backend.Config{Conn: dial(t, l)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, f := b.Unary(ctx, s.method("Do"), nil)
	check(t, f, codes.Canceled, backend.NotExecuted)
	if n := s.executions.Load(); n != 0 || !f.Cancelled {
		t.Errorf("executions %d, failure %+v", n, f)
	}
}

// resettable remembers its connections, so that a test can cut them as a dying host does.
type resettable struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (r *resettable) Accept() (net.Conn, error) {
	c, err := r.Listener.Accept()
	if err == nil {
		r.mu.Lock()
		r.conns = append(r.conns, c)
		r.mu.Unlock()
	}
	return c, err
}

func (r *resettable) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		_ = c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
}

// TestConnectionLostMidCall: the backend runs the call once, and nobody claims to know how it ended. The server stays
// reachable the whole time, so a repetition would succeed and be counted.
func TestConnectionLostMidCall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		method    string
		headers   bool
		retryable bool
	}{
		{"Do", false, false}, {"Read", false, true}, {"Do", true, false},
	} {
		name := tt.method
		if tt.headers {
			name += " after its headers arrived"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &resettable{Listener: loopback(t)}
			headers := make(chan struct{})
			s := start(t, l, func(ctx context.Context, _ *dynamicpb.Message) (proto.Message, error) {
				if tt.headers {
					_ = grpc.SendHeader(ctx, metadata.Pairs("x-started", "yes"))
				} else {
					close(headers)
				}
				<-ctx.Done()
				return nil, ctx.Err()
			})
			conn := dial(t, l)
			b := newBackend(t, backend.Config{Conn: conn, MaxAttempts: 1})
			if tt.headers {
				b = newBackend(t, backend.Config{Conn: noticing{conn, headers}})
			}
			go func() {
				<-headers
				l.reset()
			}()
			_, f := b.Unary(t.Context(), s.method(protoName(tt.method)), nil)
			check(t, f, codes.Unavailable, backend.Unknown)
			contains(t, f, `the connection to backend "probe" broke before it answered`, "outcome: unknown")
			if f.Retryable != tt.retryable {
				t.Errorf("retryable %v, want %v", f.Retryable, tt.retryable)
			}
			if n := s.executions.Load(); n != 1 {
				t.Errorf("the handler ran %d times, want once", n)
			}
		})
	}
}

// noticing makes unary calls through a stream, to notice the arrival of headers before the call ends.
type noticing struct {
	*grpc.ClientConn
	headers chan struct{}
}

func (n noticing) Invoke(ctx context.Context, path string, in, out any, o ...grpc.CallOption) error {
	stream, err := n.NewStream(ctx, &grpc.StreamDesc{}, path, o...)
	if err != nil {
		return err
	}
	if err := stream.SendMsg(in); err != nil {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	if _, err := stream.Header(); err != nil {
		return err
	}
	close(n.headers)
	return stream.RecvMsg(out)
}

// TestUnreachable fails at once: nothing waits for a backend to come up.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	l := loopback(t)
	conn := dial(t, l)
	l.Close()
	for _, hide := range []bool{false, true} {
		b := newBackend(t, backend.Config{Conn: conn, HideInternalErrors: hide})
		_, f := b.Unary(t.Context(), compile(t).method("Do"), nil)
		check(t, f, codes.Unavailable, backend.NotExecuted)
		contains(t, f, `UNAVAILABLE: backend "probe" cannot be reached`, "outcome: not_executed", "yes, the same call may be repeated")
		if named := strings.Contains(f.Message, l.Addr().String()); named == hide || !f.Retryable {
			t.Errorf("hide=%v: %s (retryable %v)", hide, f.Message, f.Retryable)
		}
	}
}

// TestServerStopped: a server that stops before the call leaves nothing to doubt either.
func TestServerStopped(t *testing.T) {
	t.Parallel()
	l := memory()
	s := start(t, l, echo(compile(t)))
	b := newBackend(t, backend.Config{Conn: dial(t, l)})
	if _, f := b.Unary(t.Context(), s.method("Do"), nil); f != nil {
		t.Fatal(f)
	}
	s.Stop()
	_, f := b.Unary(t.Context(), s.method("Do"), nil)
	if f == nil || f.Code != codes.Unavailable || f.Execution == backend.Executed || s.executions.Load() != 1 {
		t.Errorf("failure %+v after %d executions", f, s.executions.Load())
	}
}

// TestRefusedStream: a server that refuses the stream has not processed it (RFC 9113, section 8.7). gRPC tries once
// more by itself, which is safe for that reason.
func TestRefusedStream(t *testing.T) {
	t.Parallel()
	l := loopback(t)
	streams := make(chan int, 1)
	go refuseStreams(l, streams)
	t.Cleanup(func() { <-streams }) // closed when the client, whose own clean-up runs first, has hung up
	b := newBackend(t, backend.Config{Conn: dial(t, l)})
	_, f := b.Unary(t.Context(), compile(t).method("Do"), nil)
	check(t, f, codes.Unavailable, backend.NotExecuted)
	if n := <-streams; n != 2 {
		t.Errorf("%d streams, want the first and its transparent repetition", n)
	}
}

// refuseStreams speaks just enough HTTP/2 on one connection to answer each HEADERS frame with RST_STREAM(REFUSED_STREAM).
func refuseStreams(l net.Listener, count chan<- int) {
	const headers, rst, settings, refused = 1, 3, 4, 7
	defer close(count)
	c, err := l.Accept()
	l.Close()
	if err != nil {
		return
	}
	defer c.Close()
	preface := make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	if _, err := io.ReadFull(c, preface); err != nil {
		return
	}
	_, _ = c.Write([]byte{0, 0, 0, settings, 0, 0, 0, 0, 0})
	for n := 0; n < 2; {
		var head [9]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		length := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
		if _, err := io.CopyN(io.Discard, c, length); err != nil {
			return
		}
		if head[3] == headers {
			n++
			reply := append([]byte{0, 0, 4, rst, 0}, head[5:9]...)
			_, _ = c.Write(binary.BigEndian.AppendUint32(reply, refused))
		}
	}
	count <- 2
	_, _ = io.Copy(io.Discard, c) // until the client hangs up
}

// TestAnsweredStatus: a status that the server sent is its answer, whatever the code.
func TestAnsweredStatus(t *testing.T) {
	t.Parallel()
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			l := memory()
			s := start(t, l, func(context.Context, *dynamicpb.Message) (proto.Message, error) {
				return nil, status.Error(code, "so says the backend")
			})
			b := newBackend(t, backend.Config{Conn: dial(t, l)})
			_, f := b.Unary(t.Context(), s.method("Do"), nil)
			want := backend.Executed
			if code == codes.Unimplemented {
				want = backend.Unknown // what a server says without asking a handler
			}
			check(t, f, code, want)
			contains(t, f, "so says the backend", "outcome: "+string(want))
			if f.Retryable || f.Cancelled {
				t.Errorf("retryable %v, cancelled %v", f.Retryable, f.Cancelled)
			}
		})
	}
}
