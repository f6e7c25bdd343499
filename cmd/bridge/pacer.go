package main

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// How often the garbage collector runs in a bridge that serves: see [pacer.pace].
const (
	heapFloor    = 18 << 20 // bytes that the heap may take before it is collected, however little of it is in use
	leastPercent = 100      // Go's own default
	mostPercent  = 200      // for the time until a change is seen, while what is in use may have grown tenfold
	percentStep  = 50       // what is in use changes a little all the time, and each change of the setting halts the process
	paceEvery    = time.Second / 4
)

// pacer is how the garbage collector of the process is seen and set.
type pacer struct {
	live func() uint64         // what the last collection found in use, in bytes; 0 before the first one
	set  func(percent int) int // sets GOGC and returns what it was
}

// newPacer returns that of this process.
func newPacer() pacer { return pacer{live: liveHeap, set: debug.SetGCPercent} }

// pace keeps GOGC so that a small heap is collected when it has grown to heapFloor, and a larger one when it has doubled, as
// Go does by itself: a bridge has little in use and leaves much behind. gogc is that of the environment, which is left alone
// unless it is empty. stop puts back what was set, and must be called once.
func (p pacer) pace(gogc string) (stop func()) {
	if gogc != "" {
		return func() {}
	}
	now := heapPercent(p.live())
	before := p.set(now)
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() { p.follow(now, quit) })
	return func() {
		close(quit)
		done.Wait()
		p.set(before)
	}
}

// follow sets GOGC, which is now, by what is in use, until quit is closed.
func (p pacer) follow(now int, quit <-chan struct{}) {
	tick := time.NewTicker(paceEvery)
	defer tick.Stop()
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
		}
		if next := heapPercent(p.live()); next != now {
			p.set(next)
			now = next
		}
	}
}

// heapPercent is GOGC for a heap of which so many bytes are in use: the growth, in percent of them, up to heapFloor.
func heapPercent(live uint64) int {
	if live == 0 {
		return leastPercent
	}
	percent := heapFloor*100/live - min(100, heapFloor*100/live)
	percent -= percent % percentStep
	return int(min(max(percent, leastPercent), mostPercent))
}

// liveHeap reads what the last collection has found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 { // a later Go does not tell
		return 0
	}
	return sample[0].Value.Uint64()
}
