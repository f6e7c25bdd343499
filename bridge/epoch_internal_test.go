package bridge

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/grpc"
)

// numbered is a connection that is told apart from others.
type numbered struct {
	grpc.ClientConnInterface

	n int
}

// blank is a connection that cannot be compared.
type blank struct {
	grpc.ClientConnInterface

	_ []int
}

// TestEpochs plays calls and changes at random against a model that knows what each call may use: nothing is released that a
// call may use, and nothing is kept that none may.
func TestEpochs(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		playEpochs(t, random)
	}
}

func playEpochs(t *testing.T, random *rand.Rand) {
	t.Helper()
	e, released := newEpochs(), map[int]int{}
	hold := func(n int) *tenure {
		return e.hold(&Backend{Conn: numbered{n: n}, Release: func() { released[n]++ }})
	}
	type call struct {
		leave func()
		from  int // the connection that was served when it began
	}
	served, last := hold(0), 0
	var calls []call
	check := func() {
		oldest := last
		for _, c := range calls {
			oldest = min(oldest, c.from)
		}
		for n := range last + 1 {
			want := 0
			if n < oldest {
				want = 1
			}
			if released[n] != want {
				t.Fatalf("connection %d of %d was released %d times, want %d: the oldest call may use %d", n, last, released[n], want, oldest)
			}
		}
	}
	for range 60 {
		switch k := random.IntN(5); {
		case k < 2:
			leave, open := e.enter()
			if !open {
				t.Fatal("closed")
			}
			calls = append(calls, call{leave, last})
		case k < 4 && len(calls) > 0:
			i := random.IntN(len(calls))
			leave := calls[i].leave
			calls = append(calls[:i], calls[i+1:]...)
			leave()
		default:
			last++
			next := hold(last)
			e.change([]*tenure{served})
			served = next
		}
		check()
	}
	e.close([]*tenure{served})
	last++ // nobody may use what is served now
	for _, c := range calls {
		c.leave()
	}
	calls, released[last] = nil, 0
	check()
	if leave, open := e.enter(); open {
		t.Error("open after the end")
	} else {
		leave()
	}
	if n := len(e.tenures); n != 0 {
		t.Errorf("%d connections are kept", n)
	}
}

// TestTenures: a connection is released by what came with it first, once nobody has use for it; those that cannot be compared
// are each one of their own.
func TestTenures(t *testing.T) {
	t.Parallel()
	e := newEpochs()
	var order []string
	hold := func(conn grpc.ClientConnInterface, name string) *tenure {
		b := &Backend{Conn: conn, Release: func() { order = append(order, name) }}
		if name == "" {
			b.Release = nil
		}
		return e.hold(b)
	}
	none, first, second := hold(numbered{n: 1}, ""), hold(numbered{n: 1}, "first"), hold(numbered{n: 1}, "second")
	e.drop(none, second)
	if len(order) > 0 {
		t.Errorf("released %v", order)
	}
	e.drop(first)
	if len(order) != 1 || order[0] != "first" {
		t.Errorf("released %v", order)
	}
	e.drop(hold(blank{}, "a"), hold(blank{}, "b"))
	if len(order) != 3 {
		t.Errorf("released %v", order)
	}
}
