package backend_test

import (
	"context"
	"io"
	stdlog "log"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// stream serves any method by a handler of streams, and counts the requests that it read.
func stream(t *testing.T, handle func(grpc.ServerStream) error, options ...grpc.ServerOption) (*grpc.ClientConn, *atomic.Int64) {
	t.Helper()
	l, ran := memory(), new(atomic.Int64)
	options = append(options, grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		if err := s.RecvMsg(new(emptypb.Empty)); err != nil {
			return err
		}
		ran.Add(1)
		return handle(s)
	}))
	s, done := grpc.NewServer(options...), make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Stop()
		<-done
	})
	return dial(t, l), ran
}

// replies sends empty messages and ends with an error.
func replies(n int, err error) func(grpc.ServerStream) error {
	return func(s grpc.ServerStream) error {
		for range n {
			if err := s.SendMsg(new(emptypb.Empty)); err != nil {
				return err
			}
		}
		return err
	}
}

// headed sends headers and then a status.
func headed(code codes.Code) func(grpc.ServerStream) error {
	return func(s grpc.ServerStream) error {
		if err := s.SendHeader(metadata.Pairs("x-started", "yes")); err != nil {
			return err
		}
		return status.Error(code, "my own upstream failed")
	}
}

// TestCallsThatRan: whatever an odd backend sends, a call that ran is never called not executed, and the words are true.
func TestCallsThatRan(t *testing.T) {
	t.Parallel()
	const unusable = "executed (the backend carried out the call; only its reply cannot be used)\nretry: no, the same call"
	for name, tt := range map[string]struct {
		handle    func(grpc.ServerStream) error
		code      codes.Code
		execution backend.Execution
		text      string
	}{
		"two replies":              {replies(2, nil), codes.Internal, backend.Executed, "its method has become a streaming one"},
		"many replies":             {replies(50, nil), codes.Internal, backend.Executed, unusable},
		"two replies and a status": {replies(2, status.Error(codes.Unavailable, "late")), codes.Internal, backend.Executed, unusable},
		"no reply": {
			replies(0, nil), codes.Internal, backend.Executed, "without an error and without a reply\noutcome: " + unusable,
		},
		"headers, then deadline": {
			headed(codes.DeadlineExceeded), codes.DeadlineExceeded, backend.Unknown, "DEADLINE_EXCEEDED: my own upstream failed\n",
		},
		"headers, then unavailable": {headed(codes.Unavailable), codes.Unavailable, backend.Unknown, "UNAVAILABLE: my own upstream failed\n"},
		"headers, then cancelled":   {headed(codes.Canceled), codes.Canceled, backend.Unknown, "CANCELLED: my own upstream failed\n"},
		"headers, then no method": {
			headed(codes.Unimplemented), codes.Unimplemented, backend.Executed, "UNIMPLEMENTED: my own upstream failed\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, ran := stream(t, tt.handle)
			for _, messages := range []bool{false, true} {
				b := newBackend(t, backend.Config{Conn: conn, Messages: messages})
				ran.Store(0)
				_, f := b.Unary(t.Context(), compile(t).method("Do"), nil)
				check(t, f, tt.code, tt.execution)
				contains(t, f, tt.text)
				if f.Execution == backend.NotExecuted || ran.Load() != 1 {
					t.Errorf("%d calls ran:\n%s", ran.Load(), f.AppendText(nil))
				}
			}
		})
	}
}

// early dials nothing: an interceptor makes the error, of a call that it may have made in its own way.
func early(t *testing.T, code codes.Code) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///nowhere", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(func(context.Context, string, any, any, *grpc.ClientConn, grpc.UnaryInvoker, ...grpc.CallOption) error {
			return status.Error(code, "made here")
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestNotExecutedNeedsProof: an error without any trace of a call is not proof that there was none.
func TestNotExecutedNeedsProof(t *testing.T) {
	t.Parallel()
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		conn := early(t, code)
		_, f := newBackend(t, backend.Config{Conn: conn}).Unary(t.Context(), compile(t).method("Do"), nil)
		if f == nil || f.Execution == backend.NotExecuted {
			t.Errorf("%v: %+v", code, f)
		}
	}
}

// TestRequestOverTheServersLimit: a real server refuses the request, and nobody speaks of the reply.
func TestRequestOverTheServersLimit(t *testing.T) {
	t.Parallel()
	for _, ours := range []int{1 << 20, 9} {
		conn, ran := stream(t, replies(1, nil), grpc.MaxRecvMsgSize(3))
		b := newBackend(t, backend.Config{Conn: conn, MaxMessageBytes: ours})
		_, f := b.Unary(t.Context(), compile(t).method("Read"), compile(t).wire(t, "1234567"))
		check(t, f, codes.ResourceExhausted, backend.Unknown)
		contains(t, f, "the backend refused the request, which is larger", "the request is too large", "no, make the arguments smaller first")
		if text := string(f.AppendText(nil)); strings.Contains(text, "reply") || f.Retryable || ran.Load() != 0 {
			t.Errorf("%d ran:\n%s", ran.Load(), text)
		}
	}
}

// TestUnknownMethod: grpc-go answers for a method that nobody serves.
func TestUnknownMethod(t *testing.T) {
	t.Parallel()
	l := memory()
	s, done := grpc.NewServer(), make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Stop()
		<-done
	})
	_, f := newBackend(t, backend.Config{Conn: dial(t, l)}).Unary(t.Context(), compile(t).method("Read"), nil)
	check(t, f, codes.Unimplemented, backend.Unknown)
	contains(t, f, "unknown service probe.v1.Probe", "does not implement this, most likely before", "use another tool")
	if f.Retryable {
		t.Error("retryable")
	}
}

// TestInsecureConnection: no waiting mends a certificate.
func TestInsecureConnection(t *testing.T) {
	t.Parallel()
	web := httptest.NewUnstartedServer(nil)
	web.Config.ErrorLog = stdlog.New(io.Discard, "", 0)
	web.EnableHTTP2 = true
	web.StartTLS()
	t.Cleanup(web.Close)
	plain := loopback(t)
	start(t, plain, echo(compile(t)))
	for name, address := range map[string]string{"unknown authority": web.Listener.Addr().String(), "no TLS": plain.Addr().String()} {
		conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(credentials.NewTLS(nil)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_, f := newBackend(t, backend.Config{Conn: conn}).Unary(t.Context(), compile(t).method("Read"), nil)
		check(t, f, codes.Unavailable, backend.NotExecuted)
		contains(t, f, "retry: no, the operator has to mend the connection")
		if f.Retryable {
			t.Errorf("%s: retryable", name)
		}
	}
}
