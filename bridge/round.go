package bridge

import (
	"context"
	"errors"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// reading is what one backend gave.
type reading struct {
	backend int
	set     *descriptor.Set
	err     error
}

// round is what has come so far of reading some or all of the loaders.
type round struct {
	loaders []*loader
	sets    []*descriptor.Set // what is to be served of each; nil for nothing
	errs    []error
	read    []bool // which of them have been read, or could not be
}

// newRound is one before anything has been read.
func newRound(loaders []*loader) *round {
	r := &round{loaders, make([]*descriptor.Set, len(loaders)), make([]error, len(loaders)), make([]bool, len(loaders))}
	for i, l := range loaders {
		r.sets[i] = l.set
	}
	return r
}

// begin loads those that are wanted at the same time, so that a slow one does not hold up the reading of others, and returns
// a channel of one reading for each, which the caller receives all, and how many those are.
func (r *round) begin(ctx context.Context, wanted func(*loader) bool) (results <-chan reading, n int) {
	all := make(chan reading) // whoever asked receives them all, and so waits for all that is started here
	for i, l := range r.loaders {
		if !wanted(l) {
			continue
		}
		n++
		go func() {
			set, err := l.load(ctx)
			all <- reading{i, set, err}
		}()
	}
	return all, n
}

// note adds a reading.
func (r *round) note(one reading) {
	r.sets[one.backend], r.errs[one.backend], r.read[one.backend] = one.set, one.err, true
}

// forget leaves out what could not be read, as if it were being read still.
func (r *round) forget() {
	for i, l := range r.loaders {
		if r.errs[i] != nil {
			r.sets[i], r.errs[i], r.read[i] = l.set, nil, false
		}
	}
}

// described reports whether the descriptors of some backend are its own, be they read in this round or before.
func (r *round) described() bool {
	for i, l := range r.loaders {
		if r.read[i] && r.errs[i] == nil || !r.read[i] && !l.pending() {
			return true
		}
	}
	return false
}

// err are the errors of all backends.
func (r *round) err() error { return errors.Join(r.errs...) }

// differs reports whether a catalog of what was read would be another one than that which was made of the loaders.
func (r *round) differs() bool {
	for i, l := range r.loaders {
		if set := r.sets[i]; set != l.set && (l.set == nil || set.Digest() != l.set.Digest()) {
			return true
		}
	}
	return false
}

// settle notes with the loaders what came of reading them, and where served says so, that this is what is served from now
// on. The caller has the turn and Bridge.mu. What is still being read is left alone.
func (r *round) settle(served bool) {
	for i, l := range r.loaders {
		if !r.read[i] {
			continue
		}
		if served {
			l.set = r.sets[i]
		}
		if l.fault = ""; r.errs[i] != nil {
			l.fault = r.errs[i].Error()
			continue
		}
		l.borrowed, l.pause = false, 0
	}
}

// every wants all loaders.
func every(*loader) bool { return true }
