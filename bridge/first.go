package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// patience is how long New waits for the first reading when others are to come. Most are done long before; one that hangs
// would otherwise keep the endpoint from clients that can be told at least that there is nothing yet.
const patience = 2 * time.Second

// open reads for the first time and goes on to read until Close. A single backend is read as a whole, or it fails. With
// reloading or several backends it returns when all is served or, if there is something to serve or reloading, after
// patience; the first reading then continues without ctx.
func (b *Bridge) open(ctx context.Context) error {
	if b.settings.reload <= 0 && len(b.loaders) == 1 {
		if err := b.start(ctx); err != nil {
			return err
		}
		b.done.Go(b.reloadLoop)
		b.done.Go(b.retryLoop)
		return nil
	}
	empty, err := b.compile(newRound(b.loaders))
	if err != nil {
		return err
	}
	b.catalog.Store(empty)
	settled := make(chan error, 1)
	// What ctx carries, such as metadata, is for the backends.
	first, end := b.within(context.WithoutCancel(ctx))
	b.done.Go(func() {
		defer end()
		if b.startPartial(first, settled) {
			b.done.Go(b.retryLoop)
			b.reloadLoop()
		}
	})
	select {
	case err = <-settled:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("reading the descriptors: %w", context.Cause(ctx))
	}
	if err != nil {
		b.end(errClosed)
		b.done.Wait()
	}
	return err
}

// within returns a context that ends with ctx and with the bridge.
func (b *Bridge) within(ctx context.Context) (merged context.Context, cancel func()) {
	merged, end := context.WithCancelCause(ctx)
	stop := context.AfterFunc(b.life, func() { end(errClosed) })
	return merged, func() { stop(); end(nil) }
}

// start reads and adopts for the first time. A backend that cannot be read is an error, and nothing is adopted.
func (b *Bridge) start(ctx context.Context) error {
	if err := b.turn.take(ctx); err != nil {
		return err
	}
	defer b.turn.give()
	r := b.read(ctx)
	if err := r.err(); err != nil {
		return err
	}
	return b.adopt(r)
}

// startPartial is start with what can be read, as far as it has been after patience. settled is told once whether the bridge
// serves, and why not. What is late is adopted when it comes, and what cannot be read is logged. It reports whether the
// bridge serves.
func (b *Bridge) startPartial(ctx context.Context, settled chan<- error) bool {
	if err := b.turn.take(ctx); err != nil {
		settled <- err
		return false
	}
	defer b.turn.give()
	yields, done := b.turn.yielding(ctx)
	defer done()
	r, late := newRound(b.loaders), time.NewTimer(patience)
	defer late.Stop()
	results, _ := r.begin(yields, every)
	overdue, early := false, false
	for slices.Contains(r.read, false) {
		select {
		case one := <-results:
			r.note(one)
		case <-late.C:
			overdue = true
		}
		if overdue && !early && slices.Contains(r.read, false) && (b.settings.reload > 0 || r.described()) {
			early = true
			b.adoptEarly(r)
			settled <- nil
		}
	}
	err := b.startRest(yields, r)
	if !early {
		settled <- err
	}
	return early || err == nil
}

// startRest adopts the first reading as a whole. Its error is that nothing is there to be served.
func (b *Bridge) startRest(ctx context.Context, r *round) error {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errInterrupted) {
		return context.Cause(ctx)
	}
	if ctx.Err() != nil {
		r.forget()
	}
	reloading := b.settings.reload > 0
	if !reloading && !r.described() {
		return r.err()
	}
	err := b.adopt(r)
	if err != nil && !reloading {
		return err
	}
	if err = errors.Join(r.err(), err); err != nil && reloading {
		b.settings.logger.Warn("started without some tools; trying again", "every", b.settings.reload, "error", err)
	}
	b.plan(r)
	return nil
}

// adoptEarly serves the backends that have been read and says for which others it did not wait.
func (b *Bridge) adoptEarly(r *round) {
	var slow []string
	for i, l := range r.loaders {
		if !r.read[i] {
			slow = append(slow, l.Name)
		}
	}
	b.settings.logger.Warn("serving without the tools of backends whose descriptors are still being read",
		"backends", strings.Join(slow, ", "), "after", patience)
	if err := b.adopt(r); err != nil {
		b.settings.logger.Error("what has been read cannot be served", "error", err)
	}
}

// read loads all backends; the caller has the turn.
func (b *Bridge) read(ctx context.Context) *round {
	r := newRound(b.loaders)
	results, n := r.begin(ctx, every)
	for range n {
		r.note(<-results)
	}
	return r
}
