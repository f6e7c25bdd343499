package bridge

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// Reload reads the descriptors of all backends again, at the same time, and swaps the catalog if they changed. It
// returns when all have been read. Calls in flight are not disturbed.
//
// What was good is not lost to a reload that fails. A backend that cannot be read keeps the tools that it had. So does
// one whose descriptors have become incomplete: a service that the server lists but cannot describe any more, a file
// that cannot be built any more, comments that cannot be read any more; it takes nothing new on until it is whole
// again. Only a service that it no longer names goes. The joined errors name each such backend and what it lacks.
func (b *Bridge) Reload(ctx context.Context) error {
	ctx, cancel := b.within(ctx)
	defer cancel()
	before := b.catalog.Load()
	err := b.reload(ctx)
	b.count(before, err)
	return err
}

func (b *Bridge) reload(ctx context.Context) error {
	if err := b.turn.take(ctx); err != nil {
		return err
	}
	defer b.turn.give()
	if b.closed {
		return errClosed
	}
	r := b.read(ctx)
	err := errors.Join(r.err(), b.adopt(r))
	b.plan(r)
	return err
}

// count counts a reading of descriptors after which another catalog may be served than before.
func (b *Bridge) count(before *catalog.Catalog, err error) {
	switch {
	case err != nil:
		b.telemetry.Reloaded(telemetry.ReloadFailed)
	case b.catalog.Load() != before:
		b.telemetry.Reloaded(telemetry.ReloadChanged)
	default:
		b.telemetry.Reloaded(telemetry.ReloadUnchanged)
	}
}

// adopt swaps in a catalog of a round, if that differs from the last one; the caller has the turn. Only what a catalog has
// been made of counts as known: after an error the same sets are tried again.
func (b *Bridge) adopt(r *round) error {
	if b.catalog.Load() != nil && !r.differs() {
		b.mu.Lock()
		defer b.mu.Unlock()
		r.settle(false)
		return nil
	}
	next, err := b.compile(r)
	if err != nil {
		return err
	}
	b.mu.Lock()
	r.settle(true)
	b.mu.Unlock()
	b.catalog.Store(next)
	if b.server != nil { // else nobody is served yet
		b.server.Changed()
	}
	b.announce(next)
	return nil
}

// reloadSoon has the descriptors read again and does not wait for it. Those who ask before that begins share one reading.
func (b *Bridge) reloadSoon() {
	select {
	case b.again <- struct{}{}:
	default:
	}
}

// reloadLoop reads the descriptors again at each interval, if there is one, and when asked to, until the bridge ends.
func (b *Bridge) reloadLoop() {
	var tick <-chan time.Time
	if every := b.settings.reload; every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		tick = ticker.C
	}
	var failing failure
	for {
		select {
		case <-b.life.Done():
			return
		case <-b.again:
		case <-tick:
		}
		if err := b.Reload(b.life); b.life.Err() == nil {
			failing.tell(b.settings.logger, err, b.catalog.Load())
		}
	}
}

// repeatFailure is how often a failure that stays the same is logged.
const repeatFailure = time.Minute

// failure is the reload that failed last, so that a backend that is away for long does not fill the log.
type failure struct {
	text  string           // "" after a success
	left  *catalog.Catalog // what was served with it
	told  time.Time
	since time.Time
}

// tell logs the outcome of a reload that left a catalog: a failure when it, or what it leaves, is another than the last, and
// once a minute while all stays the same; and the first success after it.
func (f *failure) tell(log *slog.Logger, err error, left *catalog.Catalog) {
	switch now := time.Now(); {
	case err == nil && f.text != "":
		log.Info("reload works again", "failed_for", now.Sub(f.since).Round(time.Second))
		*f = failure{}
	case err == nil || err.Error() == f.text && left == f.left && now.Sub(f.told) < repeatFailure:
	default:
		if f.text == "" {
			f.since = now
		}
		f.text, f.left, f.told = err.Error(), left, now
		log.Error("reload failed; what could not be read stays as it was", "error", err, "failing_for", now.Sub(f.since).Round(time.Second))
	}
}
