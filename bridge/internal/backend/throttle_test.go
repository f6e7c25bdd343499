package backend_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// ending is a connection whose attempts end as now says.
type ending struct {
	now   atomic.Pointer[error]
	calls atomic.Int32
}

func (e *ending) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	e.calls.Add(1)
	return *e.now.Load()
}

func (e *ending) NewStream(ctx context.Context, _ *grpc.StreamDesc, path string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, e.Invoke(ctx, path, nil, nil)
}

// TestThrottled: a backend that fails for everybody is called again less and less, whatever methods fail, until it succeeds
// again. What is not for the backend to be blamed for does not count.
func TestThrottled(t *testing.T) {
	t.Parallel()
	invalid := status.Error(codes.InvalidArgument, "no")
	type step struct {
		method   string
		err      error
		times    int
		attempts int32 // of all of them
	}
	for name, steps := range map[string][]step{
		"fewer and fewer":    {{"Read", errGone, 1, 3}, {"Read", errGone, 1, 2}, {"Read", errGone, 1, 1}, {"Read", errGone, 5, 5}},
		"other methods":      {{"Do", errGone, 4, 4}, {"Read", errGone, 1, 1}},
		"one less":           {{"Do", errGone, 3, 3}, {"Read", errGone, 1, 2}},
		"the caller's fault": {{"Read", invalid, 20, 20}, {"Read", errGone, 1, 3}},
		"not enough yet":     {{"Do", errGone, 20, 20}, {"Read", nil, 60, 60}, {"Read", errGone, 1, 1}},
		"good again":         {{"Do", errGone, 20, 20}, {"Read", nil, 61, 61}, {"Read", errGone, 1, 2}},
		"no more than all":   {{"Do", nil, 500, 500}, {"Do", errGone, 4, 4}, {"Read", errGone, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := compile(t)
			synctest.Test(t, func(t *testing.T) {
				conn := &ending{}
				b := newBackend(t, backend.Config{Conn: conn})
				for i, step := range steps {
					conn.now.Store(&step.err)
					before := conn.calls.Load()
					for range step.times {
						calls := conn.calls.Load()
						_, f := b.Unary(t.Context(), s.method(protoName(step.method)), nil)
						if made := conn.calls.Load() - calls; f != nil && f.Attempts != int(made) {
							t.Errorf("step %d: the failure tells of %d attempts, and there were %d", i, f.Attempts, made)
						}
					}
					if got := conn.calls.Load() - before; got != step.attempts {
						t.Errorf("step %d: %d attempts, want %d", i, got, step.attempts)
					}
				}
			})
		})
	}
}

// TestThrottledTogether: of very many calls that fail at the same time, over several Backends with one Throttle, but a handful is
// made again.
func TestThrottledTogether(t *testing.T) {
	t.Parallel()
	const calls, again = 200, 4 // with 6 of 10 tokens left, and no fewer
	read := compile(t).method("Read")
	for _, kind := range []string{"unary", "stream"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn, throttle := &ending{}, new(backend.Throttle)
				conn.now.Store(&errGone)
				backends := []*backend.Backend{
					newBackend(t, backend.Config{Conn: conn, Throttle: throttle}),
					newBackend(t, backend.Config{Conn: conn, Throttle: throttle}),
				}
				var all sync.WaitGroup
				for i := range calls {
					all.Go(func() {
						if f := callOnce(t.Context(), backends[i%2], read, kind == "stream"); f == nil {
							t.Error("a call succeeded")
						}
					})
				}
				all.Wait()
				if got := conn.calls.Load(); got != calls+again {
					t.Errorf("%d attempts at %d calls, want %d", got, calls, calls+again)
				}
			})
		})
	}
}

// TestWithheldIsTold: the span of a request says that a call was not made again, and why, and the failure says what it says
// otherwise.
func TestWithheldIsTold(t *testing.T) {
	t.Parallel()
	s := compile(t)
	b := newBackend(t, backend.Config{Conn: &script{errs: []error{errGone}}})
	for range 4 {
		_, _ = b.Unary(t.Context(), s.method("Do"), nil)
	}
	for reason, b := range map[string]*backend.Backend{
		"throttled": b,
		"pushback":  newBackend(t, backend.Config{Conn: &pushing{words: []string{"-1"}}}),
	} {
		recorder := tracetest.NewSpanRecorder()
		ctx, span := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("").Start(t.Context(), "call")
		_, f := b.Unary(ctx, s.method("Read"), nil)
		span.End()
		events := recorder.Ended()[0].Events()
		if len(events) != 1 || events[0].Name != "retry_withheld" || f.Attempts != 1 || f.Code != codes.Unavailable {
			t.Fatalf("%s: events %+v after %d attempts", reason, events, f.Attempts)
		}
		want := []attribute.KeyValue{
			attribute.Int("bridge.retry.attempt", 2), attribute.String("bridge.retry.reason", reason),
			attribute.String("bridge.retry.outcome", string(f.Execution)),
		}
		if !slices.Equal(events[0].Attributes, want) {
			t.Errorf("attributes %v, want %v", events[0].Attributes, want)
		}
	}
}
