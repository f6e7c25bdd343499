package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// patience is how long New waits for the first reading when there are others to come. Most are done long before; one
// that hangs would otherwise keep the endpoint from clients that can be told at least that there is nothing yet.
const patience = 2 * time.Second

// open reads for the first time and, with reloading, goes on to do so until Close. It returns when all is served or,
// with reloading, after patience; the first reading then continues without ctx.
func (b *Bridge) open(ctx context.Context) error {
	if b.settings.reload <= 0 {
		return b.openWhole(ctx)
	}
	empty, err := b.compile(make([]*descriptor.Set, len(b.loaders)))
	if err != nil {
		return err
	}
	b.catalog.Store(empty)
	loop, cancel := context.WithCancel(context.Background())
	first, end := context.WithCancel(context.WithoutCancel(ctx)) // what ctx carries, such as metadata, is for the backends
	b.stop = func() { end(); cancel() }
	settled := make(chan struct{})
	b.done.Go(func() {
		b.startPartial(first, settled)
		b.reloadLoop(loop)
	})
	select {
	case <-settled:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		b.stop()
		b.done.Wait()
		return fmt.Errorf("reading the descriptors: %w", context.Cause(ctx))
	}
	return nil
}

// openWhole is open without reloading at an interval: all is read, or it fails.
func (b *Bridge) openWhole(ctx context.Context) error {
	if err := b.start(ctx); err != nil {
		return err
	}
	loop, cancel := context.WithCancel(context.Background())
	b.stop = cancel
	b.done.Go(func() { b.reloadLoop(loop) })
	return nil
}

// start reads and adopts for the first time. A backend that cannot be read is an error, and nothing is adopted.
func (b *Bridge) start(ctx context.Context) error {
	b.reloading.Lock()
	defer b.reloading.Unlock()
	sets, err := b.read(ctx)
	if err != nil {
		return err
	}
	return b.adopt(sets)
}

// startPartial is start with what can be read, as far as it has been after patience, when it closes settled. What is
// late is adopted when it comes, and what cannot be read is logged.
func (b *Bridge) startPartial(ctx context.Context, settled chan<- struct{}) {
	b.reloading.Lock()
	defer b.reloading.Unlock()
	results, late := b.readEach(ctx), time.NewTimer(patience)
	defer late.Stop()
	sets, errs, read := make([]*descriptor.Set, len(b.loaders)), make([]error, len(b.loaders)), make([]bool, len(b.loaders))
	overdue := false
	for slices.Contains(read, false) {
		select {
		case r := <-results:
			sets[r.backend], errs[r.backend], read[r.backend] = r.set, r.err, true
		case <-late.C:
			overdue = true
			b.adoptEarly(sets, read)
			close(settled)
		}
	}
	if !overdue {
		defer close(settled)
	}
	if ctx.Err() != nil {
		return
	}
	if err := errors.Join(errors.Join(errs...), b.adopt(sets)); err != nil {
		b.settings.logger.Warn("started without some tools; trying again", "every", b.settings.reload, "error", err)
	}
}

// adoptEarly serves the backends that have been read and says for which others it did not wait.
func (b *Bridge) adoptEarly(sets []*descriptor.Set, read []bool) {
	var slow []string
	for i, l := range b.loaders {
		if !read[i] {
			slow = append(slow, l.Name)
		}
	}
	b.settings.logger.Warn("serving without the tools of backends whose descriptors are still being read",
		"backends", strings.Join(slow, ", "), "after", patience)
	if err := b.adopt(sets); err != nil {
		b.settings.logger.Error("what has been read cannot be served", "error", err)
	}
}

// reading is what one backend gave.
type reading struct {
	backend int
	set     *descriptor.Set
	err     error
}

// readEach loads all backends at once, so that a slow one does not hold up the reading of others, and returns a channel
// of one reading for each.
func (b *Bridge) readEach(ctx context.Context) <-chan reading {
	results := make(chan reading) // whoever asked receives them all, and so waits for all that is started here
	for i, l := range b.loaders {
		go func() {
			set, err := l.load(ctx)
			results <- reading{i, set, err}
		}()
	}
	return results
}

// read loads all backends and returns for each what is to be served of it, nil for nothing.
func (b *Bridge) read(ctx context.Context) ([]*descriptor.Set, error) {
	sets, errs := make([]*descriptor.Set, len(b.loaders)), make([]error, len(b.loaders))
	results := b.readEach(ctx)
	for range b.loaders {
		r := <-results
		sets[r.backend], errs[r.backend] = r.set, r.err
	}
	return sets, errors.Join(errs...)
}
