package backend_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/limit"
)

// TestQuota: a call that the quota has no room for is not sent, and says when it may be sent again.
func TestQuota(t *testing.T) {
	t.Parallel()
	l, held, entered := memory(), make(chan struct{}), make(chan struct{}, 2)
	s := start(t, l, func(context.Context, *dynamicpb.Message) (proto.Message, error) {
		entered <- struct{}{}
		<-held
		return nil, status.Error(codes.NotFound, "nothing")
	})
	limiter := limit.New(limit.Quota{InFlight: 1})
	b := newBackend(t, backend.Config{Name: "shelf", Conn: dial(t, l), Limiter: limiter})
	var first sync.WaitGroup
	first.Go(func() { _, _ = b.Unary(t.Context(), s.method("Do"), nil) })
	<-entered
	_, f := b.Unary(t.Context(), s.method("Do"), nil)
	if f == nil || !f.OverQuota || f.Code != codes.ResourceExhausted {
		t.Fatalf("got %+v", f)
	}
	const want = `RESOURCE_EXHAUSTED: the quota of backend "shelf" is used up: 1 call is in flight, which is the most` + again + "1s"
	if got := string(f.AppendText(nil)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	close(held)
	first.Wait()
	if n := s.executions.Load(); n != 1 || limiter.InFlight() != 0 {
		t.Errorf("%d calls arrived, %d are in flight", n, limiter.InFlight())
	}
}

const again = "\noutcome: not_executed (the backend did not process the call)\nretry: yes, the same call may be repeated after "

// TestQuotaIsShared: backends that share a limiter share the quota, as those before and after a reload do.
func TestQuotaIsShared(t *testing.T) {
	t.Parallel()
	do := compile(t).method("Do")
	synctest.Test(t, func(t *testing.T) {
		limiter := limit.New(limit.Quota{PerSecond: 0.5})
		c := backend.Config{Conn: stub{err: status.Error(codes.NotFound, "")}, Limiter: limiter}
		for turn := range 3 {
			first, next := newBackend(t, c), newBackend(t, c)
			if _, f := first.Unary(t.Context(), do, nil); f.OverQuota {
				t.Errorf("turn %d: %v", turn, f)
			}
			_, f := next.Unary(t.Context(), do, nil)
			const want = `RESOURCE_EXHAUSTED: the quota of backend "probe" is used up: calls come faster than 30 a minute` + again + "2s"
			if got := string(f.AppendText(nil)); got != want || f.RetryAfter != 2*time.Second || !f.OverQuota {
				t.Errorf("turn %d: got\n%s\nwant\n%s", turn, got, want)
			}
			time.Sleep(2 * time.Second)
		}
	})
}

// TestQuotaOfCallsThatAreNone: what is refused before it is sent, or over already, uses nothing up.
func TestQuotaOfCallsThatAreNone(t *testing.T) {
	t.Parallel()
	limiter := limit.New(limit.Quota{InFlight: 1, PerSecond: 0.001})
	b := newBackend(t, backend.Config{Conn: stub{err: status.Error(codes.NotFound, "")}, MaxMessageBytes: 10, Limiter: limiter})
	do := compile(t).method("Do")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if _, f := b.Unary(over, do, nil); !f.Cancelled {
			t.Errorf("got %v", f)
		}
		if _, f := b.Unary(t.Context(), do, make([]byte, 11)); f.OverQuota || f.Code != codes.ResourceExhausted {
			t.Errorf("got %v", f)
		}
	}
	if _, f := b.Unary(t.Context(), do, nil); f.Code != codes.NotFound {
		t.Errorf("got %v", f)
	}
	if _, f := b.Unary(over, do, nil); !f.Cancelled {
		t.Errorf("a call that is over is refused by the quota: %v", f)
	}
}

// TestWatchesAreNoCalls: a watch is begun whatever the quota says, and takes no place in it.
func TestWatchesAreNoCalls(t *testing.T) {
	t.Parallel()
	limiter := limit.New(limit.Quota{InFlight: 1, PerSecond: 0.001})
	b := newBackend(t, backend.Config{Conn: stub{err: status.Error(codes.NotFound, "")}, Limiter: limiter})
	release, _ := limiter.Take()
	defer release()
	var f *backend.Failure
	err := b.Watch(t.Context(), compile(t).method("Watch"), nil, nil, nil)
	if !errors.As(err, &f) || f.Code != codes.NotFound || limiter.InFlight() != 1 {
		t.Errorf("got %v with %d in flight", err, limiter.InFlight())
	}
}

// TestPlacesAreGivenBack: of 1,000 calls that end in any way, a panic in an interceptor and a caller that leaves included, none
// keeps its place.
func TestPlacesAreGivenBack(t *testing.T) {
	t.Parallel()
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	const calls, workers = 1000, 8
	limiter := limit.New(limit.Quota{InFlight: workers - 1})
	b := newBackend(t, backend.Config{Conn: fickle{}, Limiter: limiter, Deadline: 5 * time.Millisecond})
	do := compile(t).method("Do")
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(seed), uint64(w)))
			for range calls / workers {
				endAs(t.Context(), b, do, random.IntN(6))
			}
		})
	}
	all.Wait()
	if n := limiter.InFlight(); n != 0 {
		t.Errorf("%d calls are in flight", n)
	}
}

// endAs makes a call that ends in one of the ways of [fickle], and lives through a panic.
func endAs(ctx context.Context, b *backend.Backend, method protoreflect.MethodDescriptor, end int) {
	defer func() { _ = recover() }()
	ctx, cancel := context.WithCancel(context.WithValue(ctx, endKey{}, end))
	defer cancel()
	if end == 2 {
		time.AfterFunc(time.Millisecond, cancel)
	}
	_, _ = b.Unary(ctx, method, nil)
}

// fickle is a connection whose calls end as their context says.
type fickle struct{ stub }

type endKey struct{}

func (fickle) Invoke(ctx context.Context, _ string, _, _ any, _ ...grpc.CallOption) error {
	switch end := ctx.Value(endKey{}); end {
	case 0:
		return nil
	case 1:
		panic("an interceptor has a fault")
	case 2, 3:
		<-ctx.Done() // the caller leaves, or the deadline passes
		return ctx.Err()
	default:
		return status.Error(codes.Unavailable, fmt.Sprint(end))
	}
}
