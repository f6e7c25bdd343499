package backend

import (
	"context"

	"go.opentelemetry.io/otel/baggage"
)

// Trace is the place of a call in a distributed trace, as W3C Trace Context writes it. It must be valid.
type Trace struct {
	// Parent is a traceparent, State a tracestate; "" for none.
	Parent, State string
}

// Names of the metadata that carry a trace, the same as those of the HTTP headers (W3C Trace Context, 3.2 and 3.3).
const (
	headerTraceParent = "traceparent"
	headerTraceState  = "tracestate"
)

type traceKey struct{}

// WithTrace has the calls made with the returned context carry a trace, so that the backend goes on with it. It stands
// before the span that the context may have, and is for where none is made for the request. Then nobody has said that
// baggage may go on, and that of the context does not.
func WithTrace(ctx context.Context, t Trace) context.Context {
	if baggage.FromContext(ctx).Len() > 0 {
		ctx = baggage.ContextWithoutBaggage(ctx)
	}
	if t.Parent == "" {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, t)
}
