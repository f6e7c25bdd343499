package admin

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
)

// readTimeout bounds one reading: a probe gives up after a second or two, and then learns nothing.
const readTimeout = time.Second

// readings asks a bridge how it is, and tells the log of changes. Safe for concurrent use.
type readings struct {
	bridge Bridge
	policy Readiness
	logger *slog.Logger

	mu   sync.Mutex
	told string            // the reasons that were logged last; "" when it was ready
	down map[string]string // the reason that was logged last of each backend that was down
}

// read asks once.
func (r *readings) read(ctx context.Context) Report {
	limited, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	health := r.bridge.Health(limited)
	report := judge(health, r.policy)
	if ctx.Err() == nil && !health.Draining { // of its end, and of a lack of time to find out, there is nothing to tell
		r.mu.Lock()
		defer r.mu.Unlock()
		r.tellBackends(ctx, health.Backends)
		r.tell(ctx, report.Ready, reasons(health))
	}
	return report
}

// judge holds a bridge against a policy.
func judge(h bridge.Health, policy Readiness) Report {
	report := Report{Backends: make([]BackendReport, len(h.Backends))}
	up := 0
	for i, b := range h.Backends {
		report.Backends[i] = BackendReport{Name: b.Name, Up: b.Up()}
		if b.Up() {
			up++
		}
	}
	switch {
	case h.Draining:
	case policy == ReadinessNone:
		report.Ready = true
	case policy == ReadinessAll:
		report.Ready = up == len(h.Backends)
	default:
		report.Ready = up > 0
	}
	return report
}

// reasons says what is wrong, for the operator.
func reasons(h bridge.Health) string {
	var texts []string
	for _, b := range h.Backends {
		if !b.Up() {
			texts = append(texts, b.Name+": "+reason(b))
		}
	}
	return strings.Join(texts, "; ")
}

// reason says why a backend is down.
func reason(b bridge.BackendHealth) string { return cmp.Or(b.Reason, "not there") }

// tellBackends logs which backends have gone down since the last reading, or are down for another reason, and which are up
// again: one that is down may leave a bridge ready. One that is no longer configured is forgotten. The caller holds mu.
func (r *readings) tellBackends(ctx context.Context, backends []bridge.BackendHealth) {
	down := map[string]string{}
	for _, b := range backends {
		before, wasDown := r.down[b.Name]
		switch {
		case !b.Up():
			down[b.Name] = reason(b)
			if before != reason(b) {
				r.logger.WarnContext(ctx, "a backend is down", "backend", b.Name, "reason", reason(b))
			}
		case wasDown:
			r.logger.InfoContext(ctx, "a backend is up again", "backend", b.Name)
		}
	}
	r.down = down
}

// tell logs a reading that differs from the last one: a probe comes every few seconds, for as long as an outage lasts. The
// caller holds mu.
func (r *readings) tell(ctx context.Context, ready bool, why string) {
	if ready {
		why = ""
	}
	switch {
	case r.told == "" && !ready, why != "" && r.told != why:
		r.told = cmp.Or(why, "no backend")
		r.logger.WarnContext(ctx, "not ready", "reason", r.told)
	case r.told != "" && ready:
		r.told = ""
		r.logger.InfoContext(ctx, "ready again")
	}
}
