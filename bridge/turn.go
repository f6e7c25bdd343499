package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// errClosed is why nothing is read or replaced any more.
var errClosed = errors.New("the bridge is closed")

// errInterrupted is why a reading was ended that is made up for by what comes in its place.
var errInterrupted = errors.New("another reading takes its place")

// turn has those who read descriptors do so one after the other. What is read again and again by itself gives way: see
// yielding. The zero value is not usable: see newTurn.
type turn struct {
	token chan struct{} // holds one thing while somebody has the turn

	mu      sync.Mutex
	waiting int                     // for the turn
	giveWay context.CancelCauseFunc // of who has it and gives way; else nil
}

func newTurn() *turn { return &turn{token: make(chan struct{}, 1)} }

// take waits for the turn, or for the end of ctx, which is the error.
func (t *turn) take(ctx context.Context) error {
	t.wait(1)
	defer t.wait(-1)
	select {
	case t.token <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("another reading of descriptors has not ended: %w", context.Cause(ctx))
	}
}

// wait notes that one more or one less waits for the turn, and interrupts who gives way.
func (t *turn) wait(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting += n
	if n > 0 && t.giveWay != nil {
		t.giveWay(errInterrupted)
	}
}

// yielding returns a context that ends when somebody else waits for the turn, for who has it; call done before give.
func (t *turn) yielding(ctx context.Context) (yields context.Context, done func()) {
	yields, cancel := context.WithCancelCause(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.giveWay = cancel
	if t.waiting > 0 {
		cancel(errInterrupted)
	}
	return yields, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.giveWay = nil
		cancel(nil)
	}
}

// give ends the turn.
func (t *turn) give() { <-t.token }
