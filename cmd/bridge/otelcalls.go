package main

import (
	"context"
	"slices"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// calls stands before the handler that makes the spans and durations of gRPC calls. That puts the message of a failed call into
// the status of its span. A backend writes the message for those who called: it may repeat an argument, and the code says enough.
// A backend that asks for input has not failed, though gRPC has no other status for that: the status of its span is Ok.
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
		if asks(end.Error) {
			trace.SpanFromContext(ctx).SetStatus(codes.Ok, "") // which is final: the error that the handler sets later is ignored
		}
		silent := *end
		silent.Error = status.Error(status.Code(end.Error), "")
		s = &silent
	}
	c.Handler.HandleRPC(ctx, s)
}

// asks reports whether a status asks for input, by a detail of the type bridge.v1.InputRequired.
func asks(err error) bool {
	st, ok := status.FromError(err)
	if !ok || st.Code() != ask.Code {
		return false
	}
	return slices.ContainsFunc(st.Proto().GetDetails(), func(detail *anypb.Any) bool {
		return detail.MessageIs((*bridgev1.InputRequired)(nil))
	})
}

// dropped reports whether a call belongs to a trace that is not kept, and need not be heard of.
func (c calls) dropped(ctx context.Context) bool {
	place := trace.SpanContextFromContext(ctx)
	return c.kept && place.IsValid() && !place.IsSampled()
}
