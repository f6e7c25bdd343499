// Package limit bounds calls: how many there are at the same time, and how many begin in a second. Nothing waits in it:
// a call begins at once or is refused, and then it is said when there is likely to be room.
package limit

import (
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Quota is what there may be. Zero fields bound nothing, and neither do negative ones and what is no finite number.
type Quota struct {
	// InFlight is how many calls there may be at the same time.
	InFlight int
	// PerSecond is how many calls may begin in a second, on the average.
	PerSecond float64
	// Burst is how many may begin at once after a pause; 0 is PerSecond rounded up, which is at least 1. Without PerSecond it
	// says nothing.
	Burst int
}

// Bounds reports whether the quota bounds anything.
func (q Quota) Bounds() bool { return q.InFlight > 0 || q.paced() }

// paced reports whether the calls in a second are bounded. A comparison with NaN is false.
func (q Quota) paced() bool { return q.PerSecond > 0 && q.PerSecond <= math.MaxFloat64 }

// burst is Burst or its default.
func (q Quota) burst() int {
	if q.Burst > 0 {
		return q.Burst
	}
	return int(min(math.Ceil(q.PerSecond), math.MaxInt32))
}

// now is the time of a call, where it matters: looking at the clock takes as long as all the rest.
func (q Quota) now() time.Time {
	if !q.paced() {
		return time.Time{}
	}
	return time.Now()
}

// Refused says why a call may not begin.
type Refused struct {
	// Reason is a sentence without its stop, such as "50 calls are in flight, which is the most".
	Reason string
	// RetryAfter is when there is likely to be room: whole seconds, rounded up, from 1 s to a day.
	RetryAfter time.Duration
}

// Limiter holds calls to a quota. A nil one admits all. Safe for concurrent use; no method waits.
type Limiter struct {
	quota    Quota
	bucket   *rate.Limiter // nil where the calls in a second are not bounded
	inFlight atomic.Int64
	release  func()
}

// New returns what holds calls to a quota; nil for one without bounds.
func New(q Quota) *Limiter {
	if !q.Bounds() {
		return nil
	}
	l := &Limiter{quota: q}
	if q.paced() {
		l.bucket = rate.NewLimiter(rate.Limit(q.PerSecond), q.burst())
	}
	l.release = func() { l.inFlight.Add(-1) }
	return l
}

// Take begins a call. It returns what ends it, to be called once, or why it may not begin. A call that is refused counts
// for nothing. Of both bounds that of the calls in flight is told first.
func (l *Limiter) Take() (release func(), refused *Refused) {
	if l == nil {
		return func() {}, nil
	}
	return l.take(l.quota.now())
}

// InFlight returns how many calls have begun and not ended; 0 for a nil one.
func (l *Limiter) InFlight() int {
	if l == nil {
		return 0
	}
	return int(l.inFlight.Load())
}

// take is Take at a time.
func (l *Limiter) take(now time.Time) (release func(), refused *Refused) {
	switch {
	case !l.enter():
		return nil, l.full()
	case l.bucket != nil && !l.bucket.AllowN(now, 1):
		l.release()
		return nil, l.early(now)
	}
	return l.release, nil
}

// enter counts a call in flight, unless there is no room for it. It never counts one too many, not even for a moment, in
// which another call would be refused without a reason.
func (l *Limiter) enter() bool {
	for {
		now := l.inFlight.Load()
		if l.quota.InFlight > 0 && now >= int64(l.quota.InFlight) {
			return false
		}
		if l.inFlight.CompareAndSwap(now, now+1) {
			return true
		}
	}
}

// Bounds of Refused.RetryAfter. When a call in flight ends nobody knows.
const (
	minRetry = time.Second
	maxRetry = 24 * time.Hour
)

// full refuses a call for those in flight.
func (l *Limiter) full() *Refused {
	reason := "1 call is in flight, which is the most"
	if l.quota.InFlight > 1 {
		reason = fmt.Sprintf("%d calls are in flight, which is the most", l.quota.InFlight)
	}
	return &Refused{Reason: reason, RetryAfter: minRetry}
}

// early refuses a call for those that began before it.
func (l *Limiter) early(now time.Time) *Refused {
	wait := math.Ceil((1 - l.bucket.TokensAt(now)) / l.quota.PerSecond) // in seconds
	return &Refused{
		Reason:     "calls come faster than " + pace(l.quota.PerSecond),
		RetryAfter: time.Duration(max(min(wait, maxRetry.Seconds()), minRetry.Seconds())) * time.Second,
	}
}

// pace writes a number of calls in a second as people do: "50 a second", or where it is less than one, "6 a minute" or
// "2.5 an hour".
func pace(perSecond float64) string {
	n, unit := perSecond, "a second"
	if n < 1 {
		n, unit = n*60, "a minute"
	}
	if n < 1 {
		n, unit = n*60, "an hour"
	}
	return strconv.FormatFloat(n, 'g', 4, 64) + " " + unit
}
