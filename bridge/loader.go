package bridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/limit"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// loader reads one backend's descriptors.
type loader struct {
	Backend

	given    descriptor.Source // what Descriptors was before its default
	limiter  *limit.Limiter
	throttle *backend.Throttle
	tenure   *tenure // nil where nothing is called

	// Written with both the turn and Bridge.mu, read with one of them:

	set *descriptor.Set // what the catalog was made of; nil while nothing has been read
	// borrowed says that set is that of the backend of this name which this one has replaced, until its own are read.
	borrowed bool
	fault    string        // why the last reading has failed; "" where it has not
	pause    time.Duration // before the next reading of what is pending
	next     time.Time     // when that is
}

// pending reports whether the descriptors have yet to be read for the first time.
func (l *loader) pending() bool { return l.set == nil || l.borrowed }

// load reads the descriptors and returns what to serve from now on: what was read or else, with an error, what is left
// of the last good ones, which is nil when there are none. A reload that lost something, rather than being told that it
// is gone, is such an error; in a first one there is nothing to lose, and what it lacks is for the report to tell.
func (l *loader) load(ctx context.Context) (*descriptor.Set, error) {
	next, err := l.Descriptors.Load(ctx)
	if err == nil && next == nil {
		err = errors.New("its source returned neither descriptors nor an error")
	}
	if err != nil {
		return l.set, &BackendError{Backend: l.Name, Unread: l.pending(), Err: err}
	}
	if l.pending() {
		return next, nil
	}
	if lost := next.Lost(l.set); len(lost) > 0 {
		err = fmt.Errorf("its descriptors are incomplete, so the last good ones stay: %s", enumerate(lost))
		return l.set.Still(next), &BackendError{Backend: l.Name, Err: err}
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

// source binds the backend's connection to descriptors. What is counted of it is counted by t.
func (l *loader) source(set *descriptor.Set, s *settings, t *telemetry.Telemetry) (catalog.Source, error) {
	c := l.config()
	c.Retried = func(result string) { t.Retried(l.Name, result) }
	c.Types, c.Logger, c.Limiter, c.Throttle, c.Origin = set.Types(), s.logger, l.limiter, l.throttle, l
	b, err := backend.New(c)
	if err != nil {
		return catalog.Source{}, fmt.Errorf("backend %q: %w", l.Name, err)
	}
	return catalog.Source{
		Backend:    b,
		Set:        set,
		Expose:     l.Expose,
		Hide:       l.Hide,
		Idempotent: l.Retry.Idempotent,
		Tools:      l.Tools,
		Visibility: l.Visibility,
		SkipRules:  l.SkipRules,
		NoOutput:   s.noOutput,
		Profile:    s.profile,
		Codec:      transcode.Options{EmitDefaults: !l.OmitDefaults, MaxResult: s.maxResult, Declined: t.Declined},
	}, nil
}

// equal reports whether both are the same backend with the same settings, as far as these can be compared.
func (l *loader) equal(other *loader) bool {
	if !sameValue(l.Conn, other.Conn) || !sameValue(l.given, other.given) || !maps.EqualFunc(l.Tools, other.Tools, sameTool) {
		return false
	}
	plain := func(b Backend) Backend {
		b.Conn, b.Descriptors, b.Tools, b.Release = nil, nil, nil, nil
		return b
	}
	return reflect.DeepEqual(plain(l.Backend), plain(other.Backend))
}

func sameTool(a, b *bridgev1.Tool) bool { return proto.Equal(a, b) }

// inherit takes over from the backend of the same name what does not depend on what has changed: what is offered of it, until
// its own descriptors have been read, how much of its quota is used up, and whether what it is connected to has failed of late.
func (l *loader) inherit(old *loader) {
	l.set, l.borrowed = old.set, old.set != nil
	if l.Quota == old.Quota {
		l.limiter = old.limiter
	}
	if sameValue(l.Conn, old.Conn) {
		l.throttle = old.throttle
	}
}

// forwarded are the headers of clients' requests that some of the backends may be sent, by their canonical names and once each.
func forwarded(loaders []*loader) []string {
	var names []string
	seen := map[string]bool{}
	for _, l := range loaders {
		for _, f := range l.ForwardHeaders {
			name := http.CanonicalHeaderKey(f.Header)
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
