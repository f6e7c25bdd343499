package main

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// calls stands before the handler that makes the spans and durations of gRPC calls. That puts the message of a failed call into
// the status of its span. A backend writes the message for those who called: it may repeat an argument, and the code says enough.
type calls struct {
	stats.Handler

	// kept leaves out calls whose trace is not kept. They need no span of their own: they carry the place of their SERVER span
	// already, and to describe them in vain costs more than all the rest of tracing. Where durations are recorded each call counts.
	kept bool
}

// TagRPC begins the span of a call.
func (c calls) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	if c.dropped(ctx) {
		return ctx
	}
	return c.Handler.TagRPC(ctx, info)
}

// HandleRPC is told how the call goes on.
func (c calls) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if c.dropped(ctx) {
		return
	}
	if end, ok := s.(*stats.End); ok && end.Error != nil {
		silent := *end
		silent.Error = status.Error(status.Code(end.Error), "")
		s = &silent
	}
	c.Handler.HandleRPC(ctx, s)
}

// dropped reports whether a call belongs to a trace that is not kept, and need not be heard of.
func (c calls) dropped(ctx context.Context) bool {
	place := trace.SpanContextFromContext(ctx)
	return c.kept && place.IsValid() && !place.IsSampled()
}
