package backend_test

import (
	"context"
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

const headerPushback = "grpc-retry-pushback-ms"

// pushing is a connection that fails with err, or errGone, and with words as the trailer.
type pushing struct {
	words []string
	err   error
	calls int
}

func (p *pushing) Invoke(_ context.Context, _ string, _, _ any, options ...grpc.CallOption) error {
	p.calls++
	for _, o := range options {
		if trailer, ok := o.(grpc.TrailerCallOption); ok {
			*trailer.TrailerAddr = metadata.MD{headerPushback: p.words}
		}
	}
	if p.err != nil {
		return p.err
	}
	return errGone
}

func (p *pushing) NewStream(ctx context.Context, _ *grpc.StreamDesc, path string, options ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, p.Invoke(ctx, path, nil, nil, options...)
}

// TestPushback: the server says by a trailer when a call may be made again, and whether, of those that may be at all.
func TestPushback(t *testing.T) {
	t.Parallel()
	aborted := status.Error(codes.Aborted, "no")
	for name, tt := range map[string]struct {
		method     string
		conn       pushing
		calls      int
		took       time.Duration
		retryAfter time.Duration
		retryable  bool
	}{
		"at once":        {"Read", pushing{words: []string{"0"}}, 3, 0, 0, true},
		"later":          {"Read", pushing{words: []string{"2000"}}, 3, 4 * time.Second, 2 * time.Second, true},
		"too late":       {"Read", pushing{words: []string{"60000"}}, 1, 0, time.Minute, true},
		"much too late":  {"Read", pushing{words: []string{"2147483647"}}, 1, 0, 24 * time.Hour, true},
		"never":          {"Read", pushing{words: []string{"-1"}}, 1, 0, 0, false},
		"no number":      {"Read", pushing{words: []string{"soon"}}, 1, 0, 0, false},
		"no 32 bits":     {"Read", pushing{words: []string{"2147483648"}}, 1, 0, 0, false},
		"empty":          {"Read", pushing{words: []string{""}}, 1, 0, 0, false},
		"two words":      {"Read", pushing{words: []string{"0", "0"}}, 1, 0, 0, false},
		"not repeatable": {"Do", pushing{words: []string{"0"}}, 1, 0, 0, false},
		"another code":   {"Read", pushing{words: []string{"0"}, err: aborted}, 1, 0, 0, false},
		"and RetryInfo": {
			"Read",
			pushing{words: []string{"1000"}, err: waitFor(t, 3*time.Second)},
			3, 6 * time.Second, 3 * time.Second, true,
		},
		"never, but RetryInfo": {"Read", pushing{words: []string{"-1"}, err: waitFor(t, time.Second)}, 1, 0, time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method := compile(t).method(protoName(tt.method))
			synctest.Test(t, func(t *testing.T) {
				conn, began := tt.conn, time.Now()
				_, f := newBackend(t, backend.Config{Conn: &conn}).Unary(t.Context(), method, nil)
				if f == nil || f.RetryAfter != tt.retryAfter || f.Retryable != tt.retryable || f.Attempts != tt.calls {
					t.Errorf("got %+v", f)
				}
				if took := time.Since(began); conn.calls != tt.calls || took != tt.took {
					t.Errorf("%d calls in %v, want %d in %v", conn.calls, took, tt.calls, tt.took)
				}
			})
		})
	}
}

// TestNeverCounts: the word not to come again counts as a failure, whatever the code is.
func TestNeverCounts(t *testing.T) {
	t.Parallel()
	read := compile(t).method("Read")
	synctest.Test(t, func(t *testing.T) {
		throttle := new(backend.Throttle)
		busy := &pushing{words: []string{"-1"}, err: status.Error(codes.ResourceExhausted, "busy")}
		b := newBackend(t, backend.Config{Conn: busy, Throttle: throttle})
		for range 4 {
			_, _ = b.Unary(t.Context(), read, nil)
		}
		gone := &script{errs: []error{errGone}}
		if _, f := newBackend(t, backend.Config{Conn: gone, Throttle: throttle}).Unary(t.Context(), read, nil); f == nil || gone.calls != 1 {
			t.Errorf("%d calls, %+v", gone.calls, f)
		}
	})
}

// TestPushbackOfAServer: the trailer of a server of grpc-go is read.
func TestPushbackOfAServer(t *testing.T) {
	t.Parallel()
	for word, calls := range map[string]int64{"0": 3, "-1": 1} {
		l := memory()
		s := start(t, l, func(ctx context.Context, _ *dynamicpb.Message) (proto.Message, error) {
			if err := grpc.SetTrailer(ctx, metadata.Pairs(headerPushback, word)); err != nil {
				return nil, err
			}
			return nil, status.Error(codes.Unavailable, "busy")
		})
		_, f := newBackend(t, backend.Config{Conn: dial(t, l)}).Unary(t.Context(), s.method("Read"), s.wire(t, "x"))
		check(t, f, codes.Unavailable, backend.Executed)
		if got := s.executions.Load(); got != calls || f.Attempts != int(calls) {
			t.Errorf("%q: %d executions, %d attempts told, want %d", word, got, f.Attempts, calls)
		}
	}
}
