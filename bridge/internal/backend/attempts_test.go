package backend_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/limit"
)

// all has any method be repeatable, and none has none be.
func all(protoreflect.MethodDescriptor) (yes, said bool)  { return true, true }
func none(protoreflect.MethodDescriptor) (yes, said bool) { return false, true }

// silent says of no method that it is repeatable or not.
func silent(protoreflect.MethodDescriptor) (yes, said bool) { return false, false }

// script is a connection whose attempts end as it is written, and from there on as its last.
type script struct {
	errs  []error
	calls int
}

func (s *script) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	err := s.errs[min(s.calls, len(s.errs)-1)]
	s.calls++
	return err
}

func (s *script) NewStream(ctx context.Context, _ *grpc.StreamDesc, path string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, s.Invoke(ctx, path, nil, nil)
}

var (
	errGone    = status.Error(codes.Unavailable, "gone")
	errRefused = status.Error(codes.Unavailable, "stream terminated by RST_STREAM with error code: REFUSED_STREAM")
)

// waitFor is UNAVAILABLE with the word of when to come again.
func waitFor(t *testing.T, d time.Duration) error {
	t.Helper()
	st, err := status.New(codes.Unavailable, "busy").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(d)})
	if err != nil {
		t.Fatal(err)
	}
	return st.Err()
}

// attempts is a call of a method and what comes of it.
type attempts struct {
	method  string
	errs    []error
	config  backend.Config
	calls   int
	code    codes.Code // OK: it succeeds
	outcome backend.Execution
	least   time.Duration // that it takes
}

// attemptsOf are calls by what they are examples of.
func attemptsOf(t *testing.T) map[string]attempts {
	t.Helper()
	return map[string]attempts{
		"never again":     {"Read", []error{errGone}, backend.Config{}, 3, codes.Unavailable, backend.Unknown, 240 * time.Millisecond},
		"second":          {"Read", []error{errGone, nil}, backend.Config{}, 2, codes.OK, "", 80 * time.Millisecond},
		"not repeatable":  {"Do", []error{errGone, nil}, backend.Config{Idempotent: none}, 1, codes.Unavailable, backend.Unknown, 0},
		"level overruled": {"Read", []error{errGone, nil}, backend.Config{Idempotent: none}, 1, codes.Unavailable, backend.Unknown, 0},
		"level alone":     {"Read", []error{errGone, nil}, backend.Config{Idempotent: silent}, 2, codes.OK, "", 80 * time.Millisecond},
		"neither said":    {"Do", []error{errGone, nil}, backend.Config{Idempotent: silent}, 1, codes.Unavailable, backend.Unknown, 0},
		"nothing said":    {"Do", []error{errRefused, nil}, backend.Config{}, 1, codes.Unavailable, backend.NotExecuted, 0},
		"configured":      {"Do", []error{errGone, nil}, backend.Config{Idempotent: all}, 2, codes.OK, "", 80 * time.Millisecond},
		"once":            {"Read", []error{errGone, nil}, backend.Config{MaxAttempts: 1}, 1, codes.Unavailable, backend.Unknown, 0},
		"five": {
			"Read",
			[]error{errGone},
			backend.Config{MaxAttempts: 5},
			5, codes.Unavailable, backend.Unknown, 1200 * time.Millisecond,
		},
		"another code": {"Read", []error{status.Error(codes.Aborted, ""), nil}, backend.Config{}, 1, codes.Aborted, backend.Executed, 0},
		"another code then": {
			"Read",
			[]error{errGone, status.Error(codes.NotFound, "")},
			backend.Config{},
			2, codes.NotFound, backend.Executed, 0,
		},
		"not undone":    {"Read", []error{errGone, errRefused}, backend.Config{}, 3, codes.Unavailable, backend.Unknown, 0},
		"nothing done":  {"Read", []error{errRefused}, backend.Config{}, 3, codes.Unavailable, backend.NotExecuted, 0},
		"asked to wait": {"Read", []error{waitFor(t, 7*time.Second), nil}, backend.Config{}, 2, codes.OK, "", 7 * time.Second},
		"wait too long": {"Read", []error{waitFor(t, time.Minute), nil}, backend.Config{}, 1, codes.Unavailable, backend.Unknown, 0},
		"no time": {
			"Read",
			[]error{errGone, nil},
			backend.Config{Deadline: 50 * time.Millisecond},
			1, codes.Unavailable, backend.Unknown, 0,
		},
		"quota": {
			"Read",
			[]error{errGone, nil},
			backend.Config{Origin: limit.Quota{PerSecond: 1}},
			1, codes.Unavailable, backend.Unknown, 80 * time.Millisecond,
		},
		"place": {
			"Read",
			[]error{errGone, nil},
			backend.Config{Origin: limit.Quota{InFlight: 1}},
			2, codes.OK, "", 80 * time.Millisecond,
		},
	}
}

// TestAttempts: a call is made again where its method is repeatable and the backend was UNAVAILABLE, within the deadline, and
// at most as often as configured.
func TestAttempts(t *testing.T) {
	t.Parallel()
	for name, tt := range attemptsOf(t) {
		for _, call := range []string{"unary", "stream"} {
			if call == "stream" && tt.code == codes.OK {
				continue // a connection that is none opens no stream
			}
			t.Run(name+"/"+call, func(t *testing.T) {
				t.Parallel()
				method := compile(t).method(protoName(tt.method))
				synctest.Test(t, func(t *testing.T) {
					conn, began := &script{errs: tt.errs}, time.Now()
					c := tt.config
					quota, _ := c.Origin.(limit.Quota) // whose limiter has to be of this time
					c.Conn, c.Limiter = conn, limit.New(quota)
					b := newBackend(t, c)
					f := callOnce(t.Context(), b, method, call == "stream")
					if conn.calls != tt.calls || time.Since(began) < tt.least {
						t.Errorf("%d calls in %v, want %d in at least %v", conn.calls, time.Since(began), tt.calls, tt.least)
					}
					switch {
					case f == nil && tt.code == codes.OK:
					case f == nil || f.Code != tt.code || f.Execution != tt.outcome || f.Attempts != tt.calls || f.OverQuota:
						t.Errorf("got %+v", f)
					}
					if n := c.Limiter.InFlight(); n != 0 {
						t.Errorf("%d calls in flight", n)
					}
				})
			})
		}
	}
}

// callOnce makes a call of a unary method, in one of the two ways.
func callOnce(ctx context.Context, b *backend.Backend, method protoreflect.MethodDescriptor, stream bool) *backend.Failure {
	if stream {
		return b.Stream(ctx, method, [][]byte{nil}, func([]byte) error { return nil })
	}
	_, f := b.Unary(ctx, method, nil)
	return f
}

// TestLeftBetweenAttempts: a caller that leaves, or whose time is over, while another attempt is waited for is told of that,
// and of what the attempt before may have done.
func TestLeftBetweenAttempts(t *testing.T) {
	t.Parallel()
	read := compile(t).method("Read")
	for name, tt := range map[string]struct {
		err     error
		outcome backend.Execution
	}{"sent": {errGone, backend.Unknown}, "not sent": {errRefused, backend.NotExecuted}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := &script{errs: []error{tt.err}}
				b := newBackend(t, backend.Config{Conn: conn})
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(10*time.Millisecond, cancel)
				_, f := b.Unary(ctx, read, nil)
				check(t, f, codes.Canceled, tt.outcome)
				if !f.Cancelled || conn.calls != 1 || f.Attempts != 1 {
					t.Errorf("%d calls, %+v", conn.calls, f)
				}
			})
		})
	}
}

// TestAttemptsAreTold: the span of the request has an event for each further attempt, and the failure says how many there were.
func TestAttemptsAreTold(t *testing.T) {
	t.Parallel()
	read := compile(t).method("Read")
	synctest.Test(t, func(t *testing.T) {
		recorder := tracetest.NewSpanRecorder()
		ctx, span := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("").Start(t.Context(), "call")
		_, f := newBackend(t, backend.Config{Conn: &script{errs: []error{errGone}}}).Unary(ctx, read, nil)
		span.End()
		contains(t, f, "attempts: 3")
		var attempts []int64
		for _, e := range recorder.Ended()[0].Events() {
			set := attribute.NewSet(e.Attributes...)
			n, _ := set.Value("bridge.retry.attempt")
			outcome, _ := set.Value("bridge.retry.outcome")
			if attempts = append(attempts, n.AsInt64()); e.Name != "retry" || outcome.AsString() != "unknown" {
				t.Errorf("event %+v", e)
			}
		}
		if len(attempts) != 2 || attempts[0] != 2 || attempts[1] != 3 {
			t.Errorf("events of attempts %v", attempts)
		}
	})
}

// TestNumberOfAttempts: a number of attempts that is none, or more than gRPC's own bound, is refused.
func TestNumberOfAttempts(t *testing.T) {
	t.Parallel()
	for n, valid := range map[int]bool{-1: false, 0: true, 1: true, 5: true, 6: false} {
		if _, err := backend.New(backend.Config{MaxAttempts: n}); (err == nil) != valid {
			t.Errorf("%d attempts: error %v", n, err)
		}
	}
}
