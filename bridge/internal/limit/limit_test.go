package limit_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgrpc/bridge/bridge/internal/limit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestUnbounded: a quota that bounds nothing has no limiter, and none admits all.
func TestUnbounded(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]limit.Quota{
		"zero": {}, "burst alone": {Burst: 3}, "negative": {InFlight: -1, PerSecond: -1, Burst: -1},
		"no number": {PerSecond: math.NaN()}, "infinite": {PerSecond: math.Inf(1)}, "minus infinite": {PerSecond: math.Inf(-1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, many := limit.New(q), limit.NewCallers(q)
			if one != nil || many != nil || q.Bounds() {
				t.Fatal("there is a limiter")
			}
			for range 3 {
				release, refused := one.Take()
				other, alsoRefused := many.Take("a")
				if refused != nil || alsoRefused != nil {
					t.Fatalf("refused: %v, %v", refused, alsoRefused)
				}
				release()
				other()
			}
			if one.InFlight()+many.InFlight()+many.Len() != 0 {
				t.Error("something is counted")
			}
		})
	}
}

// TestInFlight: as many calls as the quota says are in flight, one more is refused until one of them ends.
func TestInFlight(t *testing.T) {
	t.Parallel()
	for most, reason := range map[int]string{1: "1 call is in flight, which is the most", 3: "3 calls are in flight, which is the most"} {
		l := limit.New(limit.Quota{InFlight: most})
		release := take(t, l)
		for range most - 1 {
			take(t, l)
		}
		for range 2 {
			_, refused := l.Take()
			if refused == nil || *refused != (limit.Refused{Reason: reason, RetryAfter: time.Second}) {
				t.Errorf("of %d: got %+v", most, refused)
			}
		}
		release()
		take(t, l)
		if l.InFlight() != most {
			t.Errorf("%d in flight, want %d", l.InFlight(), most)
		}
	}
}

// TestPace: so many calls begin in a second, more at once after a pause, and one that is refused may begin when it was told,
// which is a whole second.
func TestPace(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		quota  limit.Quota
		burst  int
		wait   time.Duration
		reason string
	}{
		"default burst":      {limit.Quota{PerSecond: 5}, 5, time.Second, "calls come faster than 5 a second"},
		"rounded up":         {limit.Quota{PerSecond: 2.5}, 3, time.Second, "calls come faster than 2.5 a second"},
		"burst":              {limit.Quota{PerSecond: 5, Burst: 2}, 2, time.Second, "calls come faster than 5 a second"},
		"slow":               {limit.Quota{PerSecond: 0.25}, 1, 4 * time.Second, "calls come faster than 15 a minute"},
		"slow with burst":    {limit.Quota{PerSecond: 0.3, Burst: 2}, 2, 4 * time.Second, "calls come faster than 18 a minute"},
		"slower":             {limit.Quota{PerSecond: 0.001}, 1, 1000 * time.Second, "calls come faster than 3.6 an hour"},
		"hardly ever":        {limit.Quota{PerSecond: 1e-300}, 1, 24 * time.Hour, "calls come faster than 3.6e-297 an hour"},
		"and few in flight":  {limit.Quota{PerSecond: 5, InFlight: 6}, 5, time.Second, "calls come faster than 5 a second"},
		"negative in flight": {limit.Quota{PerSecond: 5, InFlight: -1}, 5, time.Second, "calls come faster than 5 a second"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := limit.New(tt.quota)
				for range tt.burst {
					take(t, l)()
				}
				_, refused := l.Take()
				if refused == nil || *refused != (limit.Refused{Reason: tt.reason, RetryAfter: tt.wait}) {
					t.Fatalf("got %+v", refused)
				}
				if l.InFlight() != 0 {
					t.Errorf("a call that was refused is in flight")
				}
				if tt.quota.PerSecond > 1e-9 {
					time.Sleep(refused.RetryAfter)
					take(t, l)
				}
			})
		})
	}
}

// TestPaceOfManySeconds: over a minute of calls that come far too often, as many begin as the quota has for it.
func TestPaceOfManySeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, begun := limit.New(limit.Quota{PerSecond: 10, Burst: 20}), 0
		for range 60_000 {
			if release, refused := l.Take(); refused == nil {
				begun++
				release()
			}
			time.Sleep(time.Millisecond)
		}
		if begun < 20+600-1 || begun > 20+600 {
			t.Errorf("%d calls have begun, want 620", begun)
		}
	})
}

// TestRefusedCountsForNothing: calls that are refused for those in flight use up nothing of those in a second.
func TestRefusedCountsForNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limit.New(limit.Quota{InFlight: 1, PerSecond: 2})
		release := take(t, l)
		for range 10 {
			if _, refused := l.Take(); refused == nil || refused.Reason != "1 call is in flight, which is the most" {
				t.Fatalf("got %+v", refused)
			}
		}
		release()
		take(t, l)()
		if _, refused := l.Take(); refused == nil || refused.Reason != "calls come faster than 2 a second" {
			t.Fatalf("got %+v", refused)
		}
	})
}

// TestLimiterAtOnce: whoever takes and releases at the same time, there are never more in flight than the quota says, and in
// the end there are none. A call is refused only while all places are taken.
func TestLimiterAtOnce(t *testing.T) {
	t.Parallel()
	const most, workers = 4, 8
	l := limit.New(limit.Quota{InFlight: most})
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range 2000 {
				release, refused := l.Take()
				if n := l.InFlight(); n > most {
					t.Errorf("%d in flight", n)
				}
				if refused == nil {
					release()
				}
			}
		})
	}
	all.Wait()
	if l.InFlight() != 0 {
		t.Errorf("%d in flight at the end", l.InFlight())
	}
	few := limit.New(limit.Quota{InFlight: workers})
	for range workers {
		all.Go(func() {
			for range 2000 {
				take(t, few)()
			}
		})
	}
	all.Wait()
}

// TestCallersAtOnce is TestLimiterAtOnce for callers.
func TestCallersAtOnce(t *testing.T) {
	t.Parallel()
	c := limit.NewCallers(limit.Quota{InFlight: 2, PerSecond: 1000})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 2000 {
				if release, refused := c.Take(string(rune('a' + rand.IntN(5)))); refused == nil {
					release()
				}
			}
		})
	}
	all.Wait()
	if c.InFlight() != 0 || c.Len() > 5 {
		t.Errorf("%d calls in flight of %d callers", c.InFlight(), c.Len())
	}
}

func BenchmarkLimiter(b *testing.B) {
	l := limit.New(limit.Quota{InFlight: 100, PerSecond: 1e9, Burst: 1e9})
	b.ReportAllocs()
	for b.Loop() {
		if release, refused := l.Take(); refused == nil {
			release()
		}
	}
}

func BenchmarkCallers(b *testing.B) {
	c := limit.NewCallers(limit.Quota{InFlight: 100, PerSecond: 1e9, Burst: 1e9})
	b.ReportAllocs()
	for b.Loop() {
		if release, refused := c.Take("address 192.0.2.1"); refused == nil {
			release()
		}
	}
}

// take begins a call that must not be refused.
func take(t *testing.T, l *limit.Limiter) func() {
	t.Helper()
	release, refused := l.Take()
	if refused != nil {
		t.Errorf("refused: %+v", *refused)
		return func() {}
	}
	return release
}
