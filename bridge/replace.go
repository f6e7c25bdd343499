package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// Replace has the bridge serve other backends from now on, without dropping a call: calls in flight end with the backends that
// they began with, and what is watched is watched over the new ones. It returns when these are served, with an error and
// without a change if they cannot be.
//
// A backend with the name, the connection, the source of descriptors and the settings of one that is served stays as it is.
// The descriptors of all others are read. Replace fails where New would: settings that do not hold, and without [WithReload]
// descriptors of which none can be read. A single backend that cannot be read, or takes longer than two seconds while another
// is there, is read on; until then it has the tools of the backend that it replaces, which is the one of its name, if any.
//
// Each Conn of backends that are not served, be it since now or because Replace has failed, is released: see
// [Backend.Release]. Of several Replaces at once, and of Reload, one runs after the other; a reading that New has left behind
// ends for it. ctx bounds all of it; so does Close, after which it is an error.
func (b *Bridge) Replace(ctx context.Context, backends []Backend) error {
	ctx, cancel := b.within(ctx)
	defer cancel()
	before := b.catalog.Load()
	loaders, err := newLoaders(backends, true)
	for _, l := range loaders {
		l.tenure = b.epochs.hold(&l.Backend)
	}
	if err == nil {
		err = b.replace(ctx, loaders)
	}
	if err != nil {
		b.epochs.drop(tenures(loaders)...)
	}
	b.count(before, err)
	return err
}

// replace is Replace with connections that are held.
func (b *Bridge) replace(ctx context.Context, loaders []*loader) error {
	if err := b.turn.take(ctx); err != nil {
		return err
	}
	defer b.turn.give()
	if b.closed {
		return errClosed
	}
	next, kept := b.succeed(loaders)
	r, err := b.readNew(ctx, next)
	if err != nil {
		return err
	}
	made, err := b.compile(r)
	if err != nil {
		return err
	}
	var ended []*loader
	for _, l := range b.loaders {
		if !slices.Contains(next, l) {
			ended = append(ended, l)
		}
	}
	b.mu.Lock()
	r.settle(true)
	b.loaders = next
	b.mu.Unlock()
	b.swap(made, ended)
	b.epochs.drop(tenures(kept)...) // those who stay are held already
	b.plan(r)
	return nil
}

// swap serves a catalog in which some backends are no more.
func (b *Bridge) swap(made *catalog.Catalog, ended []*loader) {
	names := forwarded(b.loaders)
	b.forward.Store(&names)
	b.catalog.Store(made)
	b.epochs.change(tenures(ended))
	b.server.Changed() // after the change, so that watches find the connections that stay
	b.announce(made)
}

// succeed returns the loaders of which the next catalog is made: where nothing has changed, that which there is in place of
// the new one, which is returned as kept.
func (b *Bridge) succeed(loaders []*loader) (next, kept []*loader) {
	for _, l := range loaders {
		i := slices.IndexFunc(b.loaders, func(old *loader) bool { return old.Name == l.Name })
		switch {
		case i < 0:
		case b.loaders[i].equal(l):
			kept, l = append(kept, l), b.loaders[i]
		default:
			l.inherit(b.loaders[i])
		}
		next = append(next, l)
	}
	return next, kept
}

// errOverdue is why a reading is left to be read on.
var errOverdue = fmt.Errorf("its descriptors have not been read within %v", patience)

// readNew reads what has not been read yet. Who is late is left to be read on, where there is something to be served.
func (b *Bridge) readNew(ctx context.Context, next []*loader) (*round, error) {
	reading, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r, late := newRound(next), time.NewTimer(patience)
	defer late.Stop()
	results, n := r.begin(reading, (*loader).pending)
	for overdue := false; n > 0; {
		select {
		case one := <-results:
			n--
			if one.err != nil && errors.Is(context.Cause(reading), errOverdue) {
				one.err = &BackendError{Backend: next[one.backend].Name, Unread: true, Err: errOverdue}
			}
			r.note(one)
		case <-late.C:
			overdue = true
		}
		if overdue && n > 0 && (b.settings.reload > 0 || r.described()) {
			stop(errOverdue)
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case b.settings.reload <= 0 && !r.described():
		return nil, r.err()
	}
	return r, nil
}

// tenures are those of loaders.
func tenures(loaders []*loader) []*tenure {
	var held []*tenure
	for _, l := range loaders {
		held = append(held, l.tenure)
	}
	return held
}
