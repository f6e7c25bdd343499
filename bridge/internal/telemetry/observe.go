package telemetry

import (
	"context"
	"errors"
	"maps"
	"slices"

	"go.opentelemetry.io/otel/metric"
)

// State is what is observed whenever metrics are read.
type State struct {
	// Tools, Resources and Prompts are how many are offered, templates of resources among these; Withheld and Omitted how
	// many are not.
	Tools, Resources, Prompts, Withheld, Omitted int
	// Sessions is how many legacy HTTP sessions are open.
	Sessions int
	// Backends are whether each backend's descriptors have been read, by name.
	Backends map[string]bool
}

// Observe has metrics ask state whenever they are read, until stop is called. state is asked from any goroutine and must
// not wait. stop never is nil.
func (t *Telemetry) Observe(state func() State) (stop func() error, err error) {
	if !t.counts() {
		return func() error { return nil }, nil
	}
	g, err := newGauges(t.meter)
	if err != nil {
		return func() error { return nil }, err
	}
	callback := func(_ context.Context, o metric.Observer) error {
		g.observe(o, state())
		return nil
	}
	registration, err := t.meter.RegisterCallback(callback, g.items, g.withheld, g.omitted, g.sessions, g.described)
	if err != nil {
		return func() error { return nil }, err
	}
	return registration.Unregister, nil
}

// gauges are the instruments that are asked.
type gauges struct {
	items, withheld, omitted, sessions, described metric.Int64ObservableGauge
}

// newGauges makes them.
func newGauges(m metric.Meter) (g gauges, err error) {
	var errs [5]error
	g.items, errs[0] = m.Int64ObservableGauge("bridge.catalog.items", metric.WithUnit("{item}"),
		metric.WithDescription("Tools, resources and prompts that are offered."))
	g.withheld, errs[1] = m.Int64ObservableGauge("bridge.catalog.withheld", metric.WithUnit("{item}"),
		metric.WithDescription("Methods that are not offered for what they are."))
	g.omitted, errs[2] = m.Int64ObservableGauge("bridge.catalog.omitted", metric.WithUnit("{item}"),
		metric.WithDescription("Methods that are not offered and not withheld: not selected, or of the server's own machinery."))
	g.sessions, errs[3] = m.Int64ObservableGauge("bridge.sessions.open", metric.WithUnit("{session}"),
		metric.WithDescription("Legacy HTTP sessions that are open."))
	g.described, errs[4] = m.Int64ObservableGauge("bridge.backend.described",
		metric.WithDescription("Whether a backend's descriptors have been read: 1 or 0."))
	return g, errors.Join(errs[:]...)
}

// observe tells an observer of a state.
func (g *gauges) observe(o metric.Observer, s State) {
	o.ObserveInt64(g.items, int64(s.Tools), with(keyKind.String("tool")))
	o.ObserveInt64(g.items, int64(s.Resources), with(keyKind.String("resource")))
	o.ObserveInt64(g.items, int64(s.Prompts), with(keyKind.String("prompt")))
	o.ObserveInt64(g.withheld, int64(s.Withheld))
	o.ObserveInt64(g.omitted, int64(s.Omitted))
	o.ObserveInt64(g.sessions, int64(s.Sessions))
	for _, name := range slices.Sorted(maps.Keys(s.Backends)) {
		described := int64(0)
		if s.Backends[name] {
			described = 1
		}
		o.ObserveInt64(g.described, described, with(keyBackend.String(name)))
	}
}
