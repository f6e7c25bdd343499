package bridge

import (
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// Telemetry says where the bridge records what it does, in the terms of OpenTelemetry. The zero value records nothing.
type Telemetry struct {
	// TracerProvider makes the SERVER span of each request. That of the gRPC call below it is the business of the backend's
	// connection: give it the stats handler of otelgrpc with the same provider. Nil: no spans.
	TracerProvider trace.TracerProvider
	// MeterProvider makes the instruments. Nil: no metrics.
	MeterProvider metric.MeterProvider
	// RecordContent has spans carry the arguments and results of calls, but for fields with the option debug_redact.
	RecordContent bool
	// Baggage has the baggage of clients go on to backends.
	Baggage bool
}

// WithTelemetry sets where the bridge records what it does. Default: nowhere; the trace of a client still goes on to the
// backends.
func WithTelemetry(t Telemetry) Option {
	return func(s *settings) error {
		s.telemetry = t
		return nil
	}
}

// state is what metrics say of the bridge whenever they are read.
func (b *Bridge) state() telemetry.State {
	state := telemetry.State{Sessions: b.sessions.Len(), Backends: map[string]bool{}}
	if c := b.catalog.Load(); c != nil {
		state.Tools, state.Prompts = len(c.Tools()), len(c.Prompts())
		state.Resources = len(c.Resources()) + len(c.ResourceTemplates())
		for _, o := range c.Omitted() {
			if o.Kind == catalog.Withheld {
				state.Withheld++
			} else {
				state.Omitted++
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.loaders {
		state.Backends[l.Name] = !l.pending()
	}
	return state
}

// sessionEnded records how long an HTTP session has lasted.
func (b *Bridge) sessionEnded(r session.Record, lasted time.Duration, reason session.EndReason) {
	failure := string(reason)
	if reason == session.EndedByClient {
		failure = ""
	}
	b.telemetry.SessionEnded(r.Version, "tcp", lasted, failure)
}
