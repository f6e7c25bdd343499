package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// maxProgressEvents is how many events a span has at most of progress; a stream may have a million.
const maxProgressEvents = 100

// Names of events on the span of a request, and of their attributes: our own, as the semantic conventions have none.
const (
	eventProgress      = "progress"
	eventInputRequired = "input_required"
	eventTruncated     = "truncated"

	keyProgress      = attribute.Key("bridge.progress")
	keyTotal         = attribute.Key("bridge.progress.total")
	keyRound         = attribute.Key("bridge.input.round")
	keyQuestions     = attribute.Key("bridge.input.requests")
	keyTruncation    = attribute.Key("bridge.truncated.reason")
	keyTruncatedAt   = attribute.Key("bridge.truncated.messages")
	keyRoundRelation = attribute.Key("bridge.link")
	earlierRound     = "earlier_round"
)

// Progress notes that the client was told how far its call has come; total is nil where that is not known. The first 100 of a
// span are kept. Unlike the other methods it may be called from any goroutine, but by one at a time.
func (o *Operation) Progress(progress float64, total *float64) {
	if o == nil || o.span == nil || o.told == maxProgressEvents {
		return
	}
	o.told++
	attributes := []attribute.KeyValue{keyProgress.Float64(progress)}
	if total != nil {
		attributes = append(attributes, keyTotal.Float64(*total))
	}
	o.span.AddEvent(eventProgress, trace.WithAttributes(attributes...))
}

// InputRequired notes that the backend has asked so many questions, in which of the rounds of a call, from 1.
func (o *Operation) InputRequired(round, questions int) {
	if o != nil && o.span != nil {
		o.span.AddEvent(eventInputRequired, trace.WithAttributes(keyRound.Int(round), keyQuestions.Int(questions)))
	}
}

// Truncated notes that a stream was ended after so many messages, and at which bound.
func (o *Operation) Truncated(reason string, messages int) {
	if o != nil && o.span != nil {
		o.span.AddEvent(eventTruncated, trace.WithAttributes(keyTruncation.String(reason), keyTruncatedAt.Int(messages)))
	}
}

// Parent returns the traceparent of the span of ctx, "" for none: by it another request goes on with the trace.
func Parent(ctx context.Context) (parent string) {
	Inject(ctx, func(key, value string) {
		if key == keyTraceParent {
			parent = value
		}
	})
	return parent
}

// earlier returns the link to the place in ctx of which a request is a later round.
func earlier(ctx context.Context, parent string) trace.Link {
	return trace.Link{
		SpanContext: trace.SpanContextFromContext(At(ctx, parent, "")),
		Attributes:  []attribute.KeyValue{keyRoundRelation.String(earlierRound)},
	}
}
