package main

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestHeapPercent: a small heap may grow to the floor, but not beyond three times what is in use, and a large one doubles.
func TestHeapPercent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		live uint64
		want int
	}{
		"unknown":        {0, 100},
		"next to none":   {1, 200},
		"4 MiB":          {4 << 20, 200},
		"6 MiB":          {6 << 20, 200},
		"7 MiB":          {7 << 20, 150},
		"half the floor": {9 << 20, 100},
		"the floor":      {18 << 20, 100},
		"1 GiB":          {1 << 30, 100},
		"absurdly much":  {1 << 63, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := heapPercent(tt.live); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}

// TestPace: the collector is set by what is in use, again when that has changed, and in the end as it was before.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var live atomic.Uint64
		p, sets := watched(&live, 100)
		live.Store(6 << 20)
		stop := p.pace("")
		time.Sleep(3 * paceEvery)
		live.Store(40 << 20)
		time.Sleep(3 * paceEvery)
		live.Store(7 << 20)
		time.Sleep(3 * paceEvery)
		stop()
		if diff := cmp.Diff([]int{200, 100, 150, 100}, *sets); diff != "" {
			t.Errorf("set to (-want +got):\n%s", diff)
		}
	})
}

// TestPaceOfTheEnvironment: who has set GOGC has decided.
func TestPaceOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, gogc := range []string{"100", "50", "off"} {
		t.Run(gogc, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var live atomic.Uint64
				live.Store(1 << 20)
				p, sets := watched(&live, 50)
				stop := p.pace(gogc)
				time.Sleep(3 * paceEvery)
				stop()
				if len(*sets) > 0 {
					t.Errorf("set to %v", *sets)
				}
			})
		})
	}
}

// TestLiveHeap: the runtime knows the figure by the name under which it is asked for.
func TestLiveHeap(t *testing.T) {
	t.Parallel()
	runtime.GC()
	if liveHeap() == 0 {
		t.Error("nothing is in use after a collection")
	}
}

// watched is a pacer that notes what it is set to; before that it is at percent.
func watched(live *atomic.Uint64, percent int) (p pacer, sets *[]int) {
	sets = &[]int{}
	return pacer{live: live.Load, set: func(next int) int {
		was := percent
		percent = next
		*sets = append(*sets, next)
		return was
	}}, sets
}
