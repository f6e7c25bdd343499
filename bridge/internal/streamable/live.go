package streamable

import (
	"context"
	"sync"
)

// streamKey names the stream of a POST in a session.
type streamKey struct {
	session string
	number  uint64
}

// live holds the calls in flight whose streams can be resumed, so that the HTTP request which resumes one takes the place
// of the one that began it. Safe for concurrent use.
type live struct {
	mu    sync.Mutex
	calls map[streamKey]*liveCall
}

// liveCall is one call in flight.
type liveCall struct {
	writer   *stream // of the HTTP request that began it; nil when that has ended
	audience *audience
	over     context.Context // ends with the call, when its last event is in the journal
	end      context.CancelFunc
}

func newLive() *live { return &live{calls: map[streamKey]*liveCall{}} }

// begin notes a call whose stream has begun.
func (l *live) begin(key streamKey, writer *stream, a *audience) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &liveCall{writer: writer, audience: a}
	c.over, c.end = context.WithCancel(context.Background())
	l.calls[key] = c
}

// unwritten notes that the HTTP request has ended which began the stream.
func (l *live) unwritten(key streamKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.calls[key]; c != nil {
		c.writer = nil
	}
}

// end forgets a call, and tells those who read its stream that there is nothing to come.
func (l *live) end(key streamKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.calls[key]; c != nil {
		c.end()
		delete(l.calls, key)
	}
}

// over returns a context that ends with a call; nil where none is in flight.
func (l *live) over(key streamKey) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.calls[key]; c != nil {
		return c.over
	}
	return nil
}

// resume has the caller read a stream in the place of the HTTP request that began it. While it reads, the client of the
// call is there. The function says that it reads no longer, and must be called.
func (l *live) resume(key streamKey) (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.calls[key]
	if c == nil {
		return func() {}
	}
	if c.writer != nil {
		c.writer.supersede()
		c.writer = nil
	}
	c.audience.enter()
	return c.audience.leave
}
