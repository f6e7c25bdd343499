package streamable

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// errLost says that the client of a stream can be sent nothing more on it.
var errLost = errors.New("the stream has no reader any more")

// stream is an answer by server-sent events (HTML Standard, section 9.2). Each event is one write, with a deadline of its
// own: a client that does not read holds up nobody for longer, and is let go. While the stream is open a comment is
// written every now and then, so that no proxy takes it for dead. Safe for concurrent use, until its exchange ends.
type stream struct {
	x       *exchange
	control *http.ResponseController
	timeout time.Duration // for the client to read an event
	every   time.Duration // between two comments
	// leave is called when the client can be sent nothing more: as if it had left.
	leave func()
	// alive is asked before each comment whether there still is a session; nil is always. Its context ends when the stream
	// is closed.
	alive func(context.Context) bool
	count func(reason string) // counts the stream as cut short

	lost   atomic.Bool // nothing is written any more
	opened atomic.Bool
	ended  atomic.Bool // by the bridge, and counted

	mu   sync.Mutex // held while something is written
	due  time.Time  // of what is being written
	buf  []byte
	quit context.CancelFunc // ends the comments
	done sync.WaitGroup
}

// newStream returns the stream of an exchange, which is not open yet.
func (h *Handler) newStream(x *exchange, leave func()) *stream {
	return &stream{
		x: x, control: http.NewResponseController(x.w), timeout: h.eventTimeout, every: h.keepAlive, leave: leave, count: h.cut,
	}
}

// open sends the head of the answer and begins with the comments. close has to be called then.
func (s *stream) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	head := s.x.w.Header()
	head.Set("Content-Type", mediaEvents)
	head.Set("X-Accel-Buffering", "no") // or nginx would keep events back
	s.x.sent = true
	s.opened.Store(true)
	s.limit()
	s.x.w.WriteHeader(http.StatusOK)
	if err := s.flush(); err != nil { // the event behind it tells the others
		s.late()
	}
	ctx, quit := context.WithCancel(context.WithoutCancel(s.x.ctx))
	s.quit = quit
	s.done.Go(func() { s.comments(ctx) })
}

// close ends the comments. Nothing is written to the stream afterwards but the end of the answer, by net/http.
func (s *stream) close() {
	if !s.opened.Load() {
		return
	}
	s.mu.Lock() // behind which open has ended
	quit := s.quit
	s.mu.Unlock()
	quit()
	s.done.Wait()
	if !s.lost.Swap(true) {
		limitWriting(s.x.w, s.timeout)
	}
}

// cut counts the stream as one that the bridge has ended, for a reason of package telemetry, once: one that is open, and
// whose client has not left before.
func (s *stream) cut(reason string) {
	if s.opened.Load() && !s.lost.Load() && !s.ended.Swap(true) {
		s.count(reason)
	}
}

// supersede ends the stream without waiting for a write that is under way: its client reads it elsewhere.
func (s *stream) supersede() {
	s.lost.Store(true)
	_ = s.control.SetWriteDeadline(time.Unix(1, 0)) // fails only where deadlines are not supported
}

// event sends one event; id "" is none. data is one JSON text, or empty in an event that only tells its id.
func (s *stream) event(id string, data []byte) error {
	return s.write(func(b []byte) []byte { return appendEvent(b, id, data, 0) })
}

// prime sends the event that tells its id alone, and how long to wait before coming back with it.
func (s *stream) prime(id string, retry time.Duration) error {
	return s.write(func(b []byte) []byte { return appendEvent(b, id, nil, retry) })
}

// part tells, on a stream that is open, how long to wait before coming back: the answer ends, and there may be more.
func (s *stream) part(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened.Load() {
		_ = s.put(func(b []byte) []byte { return append(appendRetry(b, d), '\n') }) // who is gone is gone
	}
}

// comments writes one comment after another until ctx ends.
func (s *stream) comments(ctx context.Context) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s.alive != nil && !s.alive(ctx) {
			s.cut(telemetry.CutSession)
			s.leave()
			return
		}
		if !s.mu.TryLock() {
			continue // an event is being written, which says as much
		}
		err := s.put(func(b []byte) []byte { return append(b, ": keep-alive\n\n"...) })
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// write sends what compose appends, in one write.
func (s *stream) write(compose func([]byte) []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(compose)
}

// put is write for a caller that holds mu.
func (s *stream) put(compose func([]byte) []byte) error {
	if s.lost.Load() {
		return errLost
	}
	s.buf = compose(s.buf[:0])
	s.limit()
	_, err := s.x.w.Write(s.buf) //nolint:gosec // G705: the type of the answer is no page's, and nosniff holds browsers to it
	if cap(s.buf) > maxFirstBuffer {
		s.buf = nil // of one large event, while the stream may last for hours
	}
	if err == nil {
		err = s.flush()
	}
	if err != nil {
		s.x.log.DebugContext(s.x.ctx, "event not delivered", "error", err)
		s.late()
		s.lost.Store(true)
		s.leave()
		return errLost
	}
	return nil
}

// limit gives the client its time to read what is written next. A stream that is superseded meanwhile gets none.
func (s *stream) limit() {
	s.due = time.Now().Add(s.timeout)
	limitWriting(s.x.w, s.timeout)
	if s.lost.Load() {
		_ = s.control.SetWriteDeadline(time.Unix(1, 0))
	}
}

// late counts the client of a write that has failed as slow where the time for it is over, of which HTTP/2 has no other
// sign. The caller holds mu.
func (s *stream) late() {
	if !time.Now().Before(s.due) {
		s.cut(telemetry.CutSlow)
	}
}

// flush sends what net/http holds back. A writer that cannot be flushed, such as that of a middleware, is served without.
func (s *stream) flush() error {
	if err := s.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// appendEvent appends an event. A line end in JSON is white space and would end the line of the event, so that it becomes
// a space.
func appendEvent(b []byte, id string, data []byte, retry time.Duration) []byte {
	if retry > 0 {
		b = appendRetry(b, retry)
	}
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = append(b, "data: "...)
	start := len(b)
	b = append(b, data...)
	for i := start; i < len(b); i++ {
		if b[i] == '\n' || b[i] == '\r' {
			b[i] = ' '
		}
	}
	return append(b, "\n\n"...)
}

// appendRetry appends the line that tells how long to wait before coming back, in milliseconds.
func appendRetry(b []byte, d time.Duration) []byte {
	return append(strconv.AppendInt(append(b, "retry: "...), max(0, d.Milliseconds()), 10), '\n')
}
