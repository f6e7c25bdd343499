package stdio

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// unanswered are the requests that run and have no answer yet: whoever answers one first, its call or the end of the stream,
// is the only one. The zero value is empty. Safe for concurrent use.
type unanswered struct {
	mu      sync.Mutex
	last    uint64
	open    map[uint64]asked // by the order of admission
	sending int              // answers that are on their way to the writer
	sent    chan struct{}    // closed when none is; nil before the end of the stream
}

// asked is a request without an answer.
type asked struct {
	id    jsonrpc.ID
	to    answer
	cause func() error // why its call is cancelled
}

// onlyAnswer answers a request, and reports false where it was answered before.
type onlyAnswer func(ctx context.Context, body []byte) bool

// add notes a request that to answers.
func (u *unanswered) add(c call, id jsonrpc.ID, to answer) onlyAnswer {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open == nil {
		u.open = map[uint64]asked{}
	}
	u.last++
	number, cancelled := u.last, c.Context()
	u.open[number] = asked{id, to, func() error { return context.Cause(cancelled) }}
	return func(ctx context.Context, body []byte) bool {
		if !u.begin(number) {
			return false
		}
		defer u.end()
		to(ctx, body)
		return true
	}
}

// begin takes a request to answer it, if it is still there; end follows when it is answered.
func (u *unanswered) begin(number uint64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, open := u.open[number]; !open {
		return false
	}
	delete(u.open, number)
	u.sending++
	return true
}

func (u *unanswered) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.sending--; u.sending == 0 && u.sent != nil {
		close(u.sent)
	}
}

// rest takes all requests, in the order of their admission, when no more are added. sent is closed when those answers are
// handed over that were on their way before. Call it once.
func (u *unanswered) rest() (all []asked, sent <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(u.open)) {
		all = append(all, u.open[number])
	}
	u.open = nil
	u.sent = make(chan struct{})
	if u.sending == 0 {
		close(u.sent)
	}
	return all, u.sent
}

// answerStuck answers, at the end of the stream, the requests whose calls go on although they are cancelled, with the error of
// those that have stopped. A client that takes none for ioStop is given up.
func (s *stream) answerStuck(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ioStop)
	defer cancel()
	stuck, sent := s.open.rest()
	for _, a := range stuck {
		if errors.Is(a.cause(), server.ErrStopped) {
			a.to(ctx, refusal(a.id, server.CutShort()))
		}
	}
	select {
	case <-sent:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		s.out.broken(ErrBlocked)
	}
}

// outlast returns a context that ends d after ctx does.
func outlast(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}
