package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// loader reads one backend's descriptors.
type loader struct {
	Backend

	set *descriptor.Set // what the catalog was made of; nil while nothing has been read. Guarded by Bridge.reloading
}

// load reads the descriptors and returns what to serve from now on: what was read or else, with an error, what is left
// of the last good ones, which is nil when there are none. A reload that lost something, rather than being told that it
// is gone, is such an error; in a first one there is nothing to lose, and what it lacks is for the report to tell.
func (l *loader) load(ctx context.Context) (*descriptor.Set, error) {
	next, err := l.Descriptors.Load(ctx)
	if err == nil && next == nil {
		err = errors.New("its source returned neither descriptors nor an error")
	}
	if err != nil {
		return l.set, fmt.Errorf("backend %q: %w", l.Name, err)
	}
	if l.set == nil {
		return next, nil
	}
	if lost := next.Lost(l.set); len(lost) > 0 {
		return l.set.Still(next), fmt.Errorf("backend %q: its descriptors are incomplete, so the last good ones stay: %s", l.Name, enumerate(lost))
	}
	return next, nil
}

// enumerate tells the first of some problems and counts the others.
func enumerate(problems []descriptor.Problem) string {
	const told = 3
	var parts []string
	for _, p := range problems[:min(len(problems), told)] {
		parts = append(parts, p.Name+": "+p.Reason)
	}
	if rest := len(problems) - told; rest > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(parts, "; ")
}

// source binds the backend's connection to descriptors.
func (l *loader) source(set *descriptor.Set, s *settings) (catalog.Source, error) {
	c := l.config()
	c.Types, c.Logger = set.Types(), s.logger
	b, err := backend.New(c)
	if err != nil {
		return catalog.Source{}, fmt.Errorf("backend %q: %w", l.Name, err)
	}
	return catalog.Source{
		Backend:    b,
		Set:        set,
		Expose:     l.Expose,
		Hide:       l.Hide,
		Tools:      l.Tools,
		Visibility: l.Visibility,
		SkipRules:  l.SkipRules,
		NoOutput:   s.noOutput,
		Profile:    s.profile,
		Codec:      transcode.Options{EmitDefaults: !l.OmitDefaults, MaxResult: s.maxResult},
	}, nil
}
