package main

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/stats"
)

// keptCalls is a handler of spans that hears only of calls whose trace is kept. The others need no span of their own: they
// carry the place of their SERVER span already, and to describe them in vain costs more than all the rest of tracing.
type keptCalls struct{ stats.Handler }

// TagRPC begins the span of a call.
func (k keptCalls) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	if dropped(ctx) {
		return ctx
	}
	return k.Handler.TagRPC(ctx, info)
}

// HandleRPC is told how the call goes on.
func (k keptCalls) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if !dropped(ctx) {
		k.Handler.HandleRPC(ctx, s)
	}
}

// dropped reports whether a call belongs to a trace that is not kept.
func dropped(ctx context.Context) bool {
	place := trace.SpanContextFromContext(ctx)
	return place.IsValid() && !place.IsSampled()
}
