package bridge

import (
	"context"
	"math/rand/v2"
	"time"
)

// minRetry and maxRetry bound the time between two attempts to read descriptors that have never been read; it doubles from
// one to the other, and up to half of it is added at random.
const minRetry, maxRetry = time.Second, time.Minute

// retries reports whether descriptors that could not be read are tried again by themselves, rather than with the reloads,
// which come often enough.
func (b *Bridge) retries() bool { return b.settings.reload <= 0 || b.settings.reload > maxRetry }

// plan has the backends of a round read again of which nothing of their own is known yet, unless that is planned already, and
// logs when; the caller has the turn.
func (b *Bridge) plan(r *round) {
	if !b.retries() {
		return
	}
	for i, l := range r.loaders {
		if !l.pending() || l.next.After(time.Now()) {
			continue
		}
		b.mu.Lock()
		l.pause = min(max(2*l.pause, minRetry), maxRetry)
		pause := l.pause + rand.N(l.pause/2) //nolint:gosec // no secret: it keeps many bridges from coming back at once
		l.next = time.Now().Add(pause)
		b.mu.Unlock()
		if r.errs[i] != nil {
			b.settings.logger.Warn("the descriptors of a backend cannot be read; trying again",
				"backend", l.Name, "in", pause.Round(time.Millisecond), "error", r.errs[i])
		}
	}
	select {
	case b.planned <- struct{}{}:
	default: // it is known already that there is a plan to look at
	}
}

// retryLoop reads what is pending when its time has come, until the bridge ends.
func (b *Bridge) retryLoop() {
	for b.life.Err() == nil {
		var due <-chan time.Time
		if next := b.nextRetry(); !next.IsZero() {
			due = time.After(time.Until(next))
		}
		select {
		case <-b.life.Done():
		case <-b.planned:
		case <-due:
			b.retry(b.life)
		}
	}
}

// nextRetry is the time of the next attempt; zero where nothing is planned.
func (b *Bridge) nextRetry() (next time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.loaders {
		if l.pending() && l.pause > 0 && (next.IsZero() || l.next.Before(next)) {
			next = l.next
		}
	}
	return next
}

// retry reads what is due. It gives way to whoever else wants to read, and then tries again behind him.
func (b *Bridge) retry(ctx context.Context) {
	if b.turn.take(ctx) != nil {
		return
	}
	defer b.turn.give()
	yields, done := b.turn.yielding(ctx)
	defer done()
	now, r := time.Now(), newRound(b.loaders)
	due := func(l *loader) bool { return l.pending() && l.pause > 0 && !l.next.After(now) }
	results, n := r.begin(yields, due)
	tried := &round{}
	for range n {
		one := <-results
		if one.err != nil && yields.Err() != nil {
			continue
		}
		b.adoptOne(one, tried)
	}
	b.plan(tried)
}

// adoptOne serves a backend that has been read at last; of one that has not, and so is to be tried again, it makes a note.
func (b *Bridge) adoptOne(one reading, again *round) {
	r, l := newRound(b.loaders), b.loaders[one.backend]
	r.note(one)
	err := b.adopt(r)
	if one.err != nil {
		err = one.err
	}
	if err == nil {
		b.settings.logger.Info("the descriptors of a backend have been read", "backend", l.Name)
		return
	}
	again.loaders, again.errs = append(again.loaders, l), append(again.errs, err)
}
