package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Inject calls set with traceparent, tracestate and baggage of ctx, each where there is one and at most once:
// the metadata by which a backend goes on with the trace (W3C Trace Context and Baggage). Where ctx has no valid span, set
// is not called. The baggage is that which Start has let in, so that there is none unless Config.Baggage says so.
//
// Package backend calls it for the metadata of each call; where the connection has otelgrpc's stats handler, that puts its
// own CLIENT span in the place of this one. Values of the operator's own under one of the keys are the caller's to keep.
func Inject(ctx context.Context, set func(key, value string)) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return
	}
	propagation.TraceContext{}.Inject(ctx, setter(set))
	if b := baggage.FromContext(ctx); b.Len() > 0 {
		set(keyBaggage, b.String())
	}
}

// TraceID returns the id of the trace of ctx, 32 hexadecimal digits; "" for none.
func TraceID(ctx context.Context) string {
	sc := trace.SpanContextFromContext(ctx)
	if !sc.HasTraceID() {
		return ""
	}
	return sc.TraceID().String()
}

// Keys of the W3C specifications.
const (
	keyTraceParent = "traceparent"
	keyTraceState  = "tracestate"
	keyBaggage     = "baggage"
)

// setter is a carrier that is only written to.
type setter func(key, value string)

// Get implements propagation.TextMapCarrier.
func (setter) Get(string) string { return "" }

// Set implements propagation.TextMapCarrier.
func (s setter) Set(key, value string) { s(key, value) }

// Keys implements propagation.TextMapCarrier.
func (setter) Keys() []string { return nil }

// texts is a carrier that is only read: what a request's _meta says of its trace.
type texts struct{ parent, state string }

// Get implements propagation.TextMapCarrier.
func (t texts) Get(key string) string {
	switch key {
	case keyTraceParent:
		return t.parent
	case keyTraceState:
		return t.state
	}
	return ""
}

// Set implements propagation.TextMapCarrier.
func (texts) Set(string, string) {}

// Keys implements propagation.TextMapCarrier.
func (texts) Keys() []string { return nil }
