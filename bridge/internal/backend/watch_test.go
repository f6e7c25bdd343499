package backend_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// feed answers a call of Watch: it has the request's text and sends messages with texts.
type feed func(ctx context.Context, text string, send func(text string) error) error

// startFeed serves Watch until the test ends, and counts the streams.
func startFeed(t testing.TB, l net.Listener, f feed) *server {
	t.Helper()
	var s *server
	s = start(t, l, nil, grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		s.executions.Add(1)
		ask := dynamicpb.NewMessage(s.file.Messages().ByName("Ask"))
		if err := stream.RecvMsg(ask); err != nil {
			return err
		}
		return f(stream.Context(), ask.Get(ask.Descriptor().Fields().ByName("text")).String(), func(text string) error {
			return stream.SendMsg(s.message("Answer", text))
		})
	}))
	return s
}

// bothWays runs a test with raw bytes and with messages.
func bothWays(t *testing.T, test func(t *testing.T, c backend.Config)) {
	t.Helper()
	t.Run("bytes", func(t *testing.T) {
		t.Parallel()
		test(t, backend.Config{})
	})
	t.Run("messages", func(t *testing.T) {
		t.Parallel()
		test(t, backend.Config{Messages: true})
	})
}

// TestWatchTellsEachMessage: one call of changed for each message, empty ones and the last included, and nil at the end.
func TestWatchTellsEachMessage(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, c backend.Config) {
		l := memory()
		var asked, path string
		var got metadata.MD
		s := startFeed(t, l, func(ctx context.Context, text string, send func(string) error) error {
			asked = text
			got, _ = metadata.FromIncomingContext(ctx)
			path, _ = grpc.Method(ctx)
			return errors.Join(send("one"), send(""), send(strings.Repeat("x", 1<<20)))
		})
		c.Conn, c.Headers = dial(t, l), metadata.MD{"x-key": {"v"}}
		b := newBackend(t, c)
		changes := 0
		ctx := metadata.AppendToOutgoingContext(t.Context(), "x-client", "smuggled")
		if err := b.Watch(ctx, s.method("Watch"), s.wire(t, "shelf"), nil, func() { changes++ }); err != nil {
			t.Fatal(err)
		}
		if changes != 3 || asked != "shelf" || path != "/probe.v1.Probe/Watch" || s.executions.Load() != 1 {
			t.Errorf("%d changes, asked %q at %s, %d streams", changes, asked, path, s.executions.Load())
		}
		if len(got["x-client"]) != 0 || !cmp.Equal(got["x-key"], []string{"v"}) {
			t.Errorf("metadata %v", got)
		}
	})
}

// TestWatchFailure: a status is a *Failure, after the messages before it, and the stream is not opened again.
func TestWatchFailure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		code codes.Code
	}{
		{"not found", codes.NotFound},
		{"unavailable", codes.Unavailable},
		{"the backend's own deadline", codes.DeadlineExceeded},
		{"the backend's own cancellation", codes.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bothWays(t, func(t *testing.T, c backend.Config) {
				l := memory()
				s := startFeed(t, l, func(_ context.Context, _ string, send func(string) error) error {
					return errors.Join(send("one"), status.Error(tt.code, "the shelf is gone"))
				})
				c.Conn = dial(t, l)
				changes := 0
				err := newBackend(t, c).Watch(t.Context(), s.method("Watch"), nil, nil, func() { changes++ })
				f, ok := errors.AsType[*backend.Failure](err)
				if !ok || f.Code != tt.code || f.Message == "" || f.Cancelled {
					t.Errorf("error %v, want a failure with %v", err, tt.code)
				}
				if changes != 1 || s.executions.Load() != 1 {
					t.Errorf("%d changes and %d streams, want one of each", changes, s.executions.Load())
				}
			})
		})
	}
}

// TestWatchEndsWithItsContext: the end of ctx is no failure, reaches the backend, and comes at once even while nothing is
// sent.
func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, c backend.Config) {
		l := memory()
		ended := make(chan error, 1)
		s := startFeed(t, l, func(ctx context.Context, _ string, send func(string) error) error {
			err := send("one")
			<-ctx.Done()
			ended <- ctx.Err()
			return err
		})
		c.Conn = dial(t, l)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if err := newBackend(t, c).Watch(ctx, s.method("Watch"), nil, nil, cancel); err != nil {
			t.Errorf("error %v, want none", err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the backend saw %v", err)
		}
	})
}

// TestWatchOfAnEndedContext opens nothing.
func TestWatchOfAnEndedContext(t *testing.T) {
	t.Parallel()
	l := memory()
	s := startFeed(t, l, func(context.Context, string, func(string) error) error { return nil })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newBackend(t, backend.Config{Conn: dial(t, l)}).Watch(ctx, s.method("Watch"), nil, nil, func() {}); err != nil {
		t.Errorf("error %v, want none", err)
	}
	if n := s.executions.Load(); n != 0 {
		t.Errorf("%d streams", n)
	}
}

// TestWatchHasNoDeadline: neither the deadline of the configuration nor another reaches the backend, and one of the
// caller's ends the watch without a failure.
func TestWatchHasNoDeadline(t *testing.T) {
	t.Parallel()
	l := memory()
	var bounded atomic.Bool
	s := startFeed(t, l, func(ctx context.Context, text string, _ func(string) error) error {
		_, has := ctx.Deadline()
		bounded.Store(has)
		if text == "wait" {
			<-ctx.Done()
		}
		return ctx.Err()
	})
	b := newBackend(t, backend.Config{Conn: dial(t, l), Deadline: time.Nanosecond})
	if err := b.Watch(t.Context(), s.method("Watch"), nil, nil, func() {}); err != nil || bounded.Load() {
		t.Errorf("error %v, deadline %v", err, bounded.Load())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := b.Watch(ctx, s.method("Watch"), s.wire(t, "wait"), nil, func() {}); err != nil {
		t.Errorf("error %v at the caller's deadline, want none", err)
	}
}

// TestWatchLimits: a message beyond the limit, whose content nobody reads, is a failure all the same; so is a request.
func TestWatchLimits(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, c backend.Config) {
		l := memory()
		s := startFeed(t, l, func(_ context.Context, _ string, send func(string) error) error {
			return send(strings.Repeat("x", 2048))
		})
		c.Conn, c.MaxMessageBytes = dial(t, l), 1024
		b := newBackend(t, c)
		err := b.Watch(t.Context(), s.method("Watch"), nil, nil, func() { t.Error("changed") })
		f, _ := errors.AsType[*backend.Failure](err)
		check(t, f, codes.ResourceExhausted, backend.Executed)
		if f != nil && !f.ReplyTooLarge {
			t.Errorf("%v is not a reply that is too large", f)
		}
		err = b.Watch(t.Context(), s.method("Watch"), s.wire(t, strings.Repeat("x", 2048)), nil, func() {})
		f, _ = errors.AsType[*backend.Failure](err)
		check(t, f, codes.ResourceExhausted, backend.NotExecuted)
	})
}

// TestWatchRefuses what cannot be a watch, without opening a stream.
func TestWatchRefuses(t *testing.T) {
	t.Parallel()
	l := memory()
	s := startFeed(t, l, func(context.Context, string, func(string) error) error { return nil })
	conn := dial(t, l)
	for _, tt := range []struct {
		name    string
		config  backend.Config
		method  protoreflect.Name
		request []byte
		code    codes.Code
		want    string
	}{
		{"a unary method", backend.Config{Conn: conn}, "Do", nil, codes.InvalidArgument, "probe.v1.Probe.Do cannot be watched"},
		{"a client stream", backend.Config{Conn: conn}, "Chat", nil, codes.InvalidArgument, "one request and a stream of responses"},
		{"no connection", backend.Config{}, "Watch", nil, codes.Unavailable, "has no connection"},
		{"no request", backend.Config{Conn: conn, Messages: true}, "Watch", []byte{0xff}, codes.Internal, "no valid probe.v1.Ask"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := newBackend(t, tt.config).Watch(t.Context(), s.method(tt.method), tt.request, nil, func() {})
			f, _ := errors.AsType[*backend.Failure](err)
			check(t, f, tt.code, backend.NotExecuted)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if n := s.executions.Load(); n != 0 {
		t.Errorf("%d streams", n)
	}
}

// TestWatchWithoutBackend: nobody listens.
func TestWatchWithoutBackend(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, c backend.Config) {
		l := memory()
		l.Close()
		c.Conn = dial(t, l)
		err := newBackend(t, c).Watch(t.Context(), compile(t).method("Watch"), nil, nil, func() {})
		f, _ := errors.AsType[*backend.Failure](err)
		check(t, f, codes.Unavailable, backend.NotExecuted)
	})
}

// lost is a stream whose request cannot be sent any more, with the status behind it.
type lost struct {
	grpc.ClientStream
	status error
}

func (lost) SendMsg(any) error   { return io.EOF }
func (lost) CloseSend() error    { return nil }
func (l lost) RecvMsg(any) error { return l.status }

// losing is a connection whose streams are lost.
type losing struct{ lost }

func (losing) Invoke(context.Context, string, any, any, ...grpc.CallOption) error { return nil }
func (l losing) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return l.lost, nil
}

// TestWatchOfALostStream: the status that RecvMsg tells counts, not the end that SendMsg sees.
func TestWatchOfALostStream(t *testing.T) {
	t.Parallel()
	conn := losing{lost{status: status.Error(codes.NotFound, "no such shelf")}}
	err := newBackend(t, backend.Config{Conn: conn}).Watch(t.Context(), compile(t).method("Watch"), nil, nil, func() {})
	f, _ := errors.AsType[*backend.Failure](err)
	check(t, f, codes.NotFound, backend.Executed)
}

// TestWatchOpens: who watches is told once that the backend has the call: with its headers, which come before a message or
// with it, and not for a call that it refuses.
func TestWatchOpens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		feed func(ctx context.Context, text string, send func(string) error) error
		want string
	}{
		"with a message":    {func(_ context.Context, _ string, send func(string) error) error { return send("one") }, "opened changed"},
		"with its end":      {func(context.Context, string, func(string) error) error { return nil }, ""},
		"not, with a fault": {func(context.Context, string, func(string) error) error { return status.Error(codes.NotFound, "no") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bothWays(t, func(t *testing.T, config backend.Config) {
				l := memory()
				s := startFeed(t, l, c.feed)
				config.Conn = dial(t, l)
				var told []string
				note := func(what string) func() { return func() { told = append(told, what) } }
				_ = newBackend(t, config).Watch(t.Context(), s.method("Watch"), nil, note("opened"), note("changed")) // its end is another test's
				if got := strings.Join(told, " "); got != c.want {
					t.Errorf("told %q, want %q", got, c.want)
				}
			})
		})
	}
}
