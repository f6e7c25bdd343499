package limit

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// TestEachCaller: what one caller does is nothing to another.
func TestEachCaller(t *testing.T) {
	t.Parallel()
	c := newCallers(Quota{InFlight: 1}, 10)
	for _, name := range []string{"a", "b", ""} {
		if _, refused := c.Take(name); refused != nil {
			t.Errorf("%q: %+v", name, refused)
		}
		if _, refused := c.Take(name); refused == nil || refused.RetryAfter != time.Second {
			t.Errorf("%q a second time: %+v", name, refused)
		}
	}
}

// TestFullTable: where there is no room for one more caller, the one goes that has been idle longest. One with calls in
// flight stays, and when there are only such ones, all others share one quota.
func TestFullTable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCallers(Quota{InFlight: 1, PerSecond: 0.001, Burst: 100}, 3)
		begin := func(name string) func() {
			release, refused := c.Take(name)
			if refused != nil {
				t.Fatalf("%q: %+v", name, refused)
			}
			time.Sleep(time.Millisecond)
			return release
		}
		endA, endB, endC := begin("a"), begin("b"), begin("c")
		endB()
		endA()
		begin("a")() // so that b is idle longest
		endD := begin("d")
		if c.known["b"] != nil || c.known["a"] == nil || c.known["c"] == nil || c.known["d"] == nil {
			t.Fatal("another one than b has gone")
		}
		endE := begin("e")
		if c.known["a"] != nil || len(c.known) != 3 {
			t.Fatal("another one than a has gone")
		}
		endF := begin("f")
		if _, refused := c.Take("g"); refused == nil || c.known["f"] != nil || c.InFlight() != 4 {
			t.Fatalf("g does not share with f: %+v, %d in flight", refused, c.InFlight())
		}
		endF()
		begin("g")()
		if _, refused := c.Take("c"); refused == nil {
			t.Error("one with a call in flight has lost its row")
		}
		for _, end := range []func(){endC, endD, endE} {
			end()
		}
		if c.InFlight() != 0 || len(c.known) != 3 {
			t.Errorf("%d in flight of %d callers", c.InFlight(), len(c.known))
		}
	})
}

// TestForgotten: an idle caller is forgotten when it is as good as a new one, and not before.
func TestForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCallers(Quota{PerSecond: 1, Burst: 10}, 1000)
		for i := range 100 {
			for range 10 {
				release, _ := c.Take(strconv.Itoa(i))
				release()
			}
		}
		time.Sleep(10*time.Second - time.Nanosecond)
		_, _ = c.Take("new")
		if c.Len() != 101 {
			t.Fatalf("%d callers are known, want 101", c.Len())
		}
		time.Sleep(time.Nanosecond)
		for i := range 50 {
			_, _ = c.Take("newer " + strconv.Itoa(i))
		}
		if c.Len() != 51 {
			t.Errorf("%d callers are known, want 51: those with calls in flight", c.Len())
		}
	})
}

// TestForgottenOfInFlight: where only calls in flight are bounded, an idle caller is as good as a new one at once.
func TestForgottenOfInFlight(t *testing.T) {
	t.Parallel()
	c := newCallers(Quota{InFlight: 2}, 1000)
	for i := range 100 {
		release, refused := c.Take(strconv.Itoa(i))
		if refused != nil {
			t.Fatal(refused)
		}
		release()
	}
	if c.Len() > 2 {
		t.Errorf("%d callers are known", c.Len())
	}
}

// TestCallersInAnyOrder: whatever happens in whatever order, the table stays bounded, idle are those with nothing in flight, and
// a caller in the table has what its quota says.
func TestCallersInAnyOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ rapid.TB }{t}, func(t *rapid.T) { // which else asks for a deadline
			c, ends := newCallers(Quota{InFlight: 2, PerSecond: 3, Burst: 4}, 4), []func(){}
			for range rapid.IntRange(1, 60).Draw(t, "steps") {
				switch rapid.IntRange(0, 3).Draw(t, "step") {
				case 0, 1:
					name := strconv.Itoa(rapid.IntRange(0, 7).Draw(t, "caller"))
					row := c.known[name]
					room := row != nil && row.limiter.InFlight() < 2 && row.limiter.bucket.Tokens() >= 1
					release, refused := c.Take(name)
					if refused == nil {
						ends = append(ends, release)
					} else if room {
						t.Fatalf("%s has room and is refused: %s", name, refused.Reason)
					}
				case 2:
					if len(ends) > 0 {
						i := rapid.IntRange(0, len(ends)-1).Draw(t, "end")
						ends[i]()
						ends = append(ends[:i], ends[i+1:]...)
					}
				default:
					time.Sleep(time.Duration(rapid.IntRange(0, 1000).Draw(t, "pause")) * time.Millisecond)
				}
				consistent(t, c, len(ends))
			}
			for _, end := range ends {
				end()
			}
			consistent(t, c, 0)
		})
	})
}

// consistent holds the table against what must be true of it.
func consistent(t *rapid.T, c *Callers, inFlight int) {
	if c.InFlight() != inFlight || len(c.known) > c.most || c.overflow.limiter.InFlight() > 2 {
		t.Fatalf("%d calls in flight, want %d; %d callers", c.InFlight(), inFlight, len(c.known))
	}
	idle := map[*caller]bool{}
	for row := c.idle.first(); row != nil && row != &c.idle.end; row = row.after {
		if idle[row] || c.known[row.name] != row {
			t.Fatalf("%q stands in a wrong place", row.name)
		}
		idle[row] = true
	}
	for name, row := range c.known {
		if n := row.limiter.InFlight(); n > 2 || idle[row] != (n == 0) {
			t.Fatalf("%q: %d in flight, idle %v", name, n, idle[row])
		}
	}
}
