package server

import (
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// How often a client is told. The backend's own words come as they are, up to 10
// at once and then 10 a second, of which the latest counts; messages of a
// stream are announced once a second, and who waits without a word is told every
// 15 s that the call goes on, before what stands between gives it up.
const (
	burstOfWords  = 10
	wordsInASec   = 10
	betweenCounts = time.Second
	heartbeat     = 15 * time.Second
)

// maxSaid bounds, in bytes, what a backend says to its progress: it is for people,
// and can be said often.
const maxSaid = 4000

// progress tells how far one call has come (2026-07-28
// basic/utilities/progress): what the backend says, else how many messages its
// stream has had, and, where neither says anything, that the call goes on. What
// is told grows each time, as clients demand. A nil one tells nothing. Safe for
// concurrent use.
type progress struct {
	started time.Time
	streams bool // there are messages to count
	free    bool // what is told need not grow, as clients demand: the words are for people alone
	talks   bool // the backend may say by itself how far it is

	mu    sync.Mutex
	tell  func(p *mcp.Progress, said bool) // said is false for a heartbeat
	words *rate.Limiter
	timer *time.Timer
	due   time.Time // when the timer fires
	ended bool
	// sent is when something was told last, and last what, once told says that it was.
	sent time.Time
	told bool
	last float64
	// spoken says that the backend has said how far it is: peak in its own numbers, of total.
	spoken bool
	peak   float64
	total  *float64
	// remarks are how often the backend had words without a number of its own.
	remarks int
	held    *mcp.Progress // what it said since, and was not told yet
	// messages are those of the stream, announced how many of them were told of.
	messages, announced int
}

// newProgress begins to tell of a call. free is as in progress. End it.
func newProgress(c *call, free bool, tell func(p *mcp.Progress, said bool)) *progress {
	now, stream := time.Now(), c.target.stream
	p := &progress{
		started: now, sent: now, free: free, tell: tell, words: rate.NewLimiter(wordsInASec, burstOfWords),
		streams: stream != nil && stream.Server,
		talks:   stream != nil && stream.Server && !stream.Events.None(),
		due:     now.Add(heartbeat),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(heartbeat, p.tick)
	return p
}

// follows has it go on where an earlier one of the same call has ended, nil for
// none: what a client is told grows all the way.
func (p *progress) follows(before *progress) {
	if p == nil || before == nil {
		return
	}
	before.mu.Lock()
	started, told, last := before.started, before.told, before.last
	before.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started, p.told, p.last = started, told, last
}

// says takes what the backend says. What does not grow is not told.
func (p *progress) says(word *bridgev1.Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	value := word.GetProgress()
	if p.ended || !finite(value) || p.spoken && !p.free && value <= p.peak {
		return
	}
	p.spoken, p.peak, p.total = true, value, nil
	if word.Total != nil && finite(word.GetTotal()) {
		p.total = new(word.GetTotal())
	}
	p.speak(&mcp.Progress{Progress: value, Total: p.total, Message: jsonrpc.Clip(word.GetMessage(), maxSaid)})
}

// remark tells of words without a number: where the backend has given none so far,
// they are counted, and else they stand at the one that it gave last.
func (p *progress) remark(message string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	next := &mcp.Progress{Progress: p.peak, Message: jsonrpc.Clip(message, maxSaid)}
	if !p.spoken {
		next.Progress = float64(p.remarks)
		p.remarks++
	}
	p.speak(next)
}

// speak tells the backend's words, now or when it may; the caller holds the lock.
func (p *progress) speak(next *mcp.Progress) {
	now := time.Now()
	if !p.words.AllowN(now, 1) {
		p.held = next
		p.wake(now, p.untilWord(now))
		return
	}
	p.held = nil
	p.send(now, next, true)
}

// restart begins with another attempt of the backend, which counts from the
// beginning again: what the client is told goes on from where it is.
func (p *progress) restart() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(time.Now())
	p.spoken, p.peak, p.total = false, 0, nil
	p.messages, p.announced = 0, 0
}

// counts takes a message of the stream more.
func (p *progress) counts() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages++
	if p.ended || p.spoken {
		return
	}
	now := time.Now()
	if wait := p.quiet(now); wait > 0 {
		p.wake(now, wait)
		return
	}
	p.announce(now)
}

// end ends what is told: nothing is, once it has returned. What was held back is
// told before.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(time.Now())
	p.ended = true
	p.timer.Stop()
}

// quiet is how long messages are not announced yet. A backend that can speak for
// itself has a second to begin, since its numbers are others.
func (p *progress) quiet(now time.Time) time.Duration {
	if p.announced == 0 && !p.talks {
		return 0
	}
	since := p.sent
	if p.announced == 0 {
		since = p.started
	}
	return betweenCounts - now.Sub(since)
}

// wake has the timer fire after a while, if it does not before.
func (p *progress) wake(now time.Time, after time.Duration) {
	if at := now.Add(after); at.Before(p.due) {
		p.due = at
		p.timer.Reset(after)
	}
}

// tick tells what was held back, or that the call goes on.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	now := time.Now()
	switch {
	case p.held != nil:
		if p.words.AllowN(now, 1) {
			p.flush(now)
		}
	case !p.spoken && p.messages > p.announced:
		p.flush(now)
	case now.Sub(p.sent) >= heartbeat:
		p.beat(now)
	}
	p.due = p.sent.Add(heartbeat)
	if p.held != nil {
		p.due = now.Add(p.untilWord(now))
	}
	p.timer.Reset(time.Until(p.due))
}

// untilWord is how long it takes until the backend may say something, which is no
// less than a millisecond, since tokens are counted in floating point.
func (p *progress) untilWord(now time.Time) time.Duration {
	lacks := (1 - p.words.TokensAt(now)) / wordsInASec
	return max(time.Duration(lacks*float64(time.Second)), time.Millisecond)
}

// flush tells what was held back.
func (p *progress) flush(now time.Time) {
	switch {
	case p.held != nil:
		p.send(now, p.held, true)
		p.held = nil
	case !p.spoken && p.messages > p.announced:
		p.announce(now)
	}
}

// announce tells how many messages there were.
func (p *progress) announce(now time.Time) {
	p.announced = p.messages
	p.send(now, &mcp.Progress{Progress: float64(p.messages), Message: received(p.messages)}, true)
}

// received says how many messages there were.
func received(n int) string {
	if n == 1 {
		return "1 message received"
	}
	return fmt.Sprintf("%d messages received", n)
}

// beat tells that the call goes on. Where nobody counts anything, the seconds
// are what grows; else the number before grows by next to nothing.
func (p *progress) beat(now time.Time) {
	passed := now.Sub(p.started).Round(time.Second)
	next := &mcp.Progress{Progress: p.last, Total: p.total, Message: fmt.Sprintf("goes on after %v", passed)}
	if !p.streams && !p.spoken {
		next.Progress = passed.Seconds()
	}
	p.send(now, next, false)
}

// send tells, with a number that is above the one before.
func (p *progress) send(now time.Time, next *mcp.Progress, said bool) {
	if p.ended {
		return
	}
	if p.told && next.Progress <= p.last && !p.free {
		next.Progress = p.last + math.Max(math.Abs(p.last), 1)*1e-6
	}
	if next.Total != nil && next.Progress > *next.Total && !p.free {
		next.Total = nil // else it would be more than there is
	}
	p.sent = now
	if !finite(next.Progress) {
		return
	}
	p.told, p.last = true, next.Progress
	p.tell(next, said)
}

// finite reports whether a number is one in JSON.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
