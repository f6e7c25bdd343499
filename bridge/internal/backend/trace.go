package backend

import (
	"context"

	"google.golang.org/grpc/metadata"
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

// WithTrace has the calls made with the returned context carry a trace, so that the backend goes on with it.
func WithTrace(ctx context.Context, t Trace) context.Context {
	if t.Parent == "" {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, t)
}

// outgoing returns the context of a call with all its metadata: the configured headers and the trace. One that is
// configured stays as it is.
func (b *Backend) outgoing(ctx context.Context) context.Context {
	headers := b.config.Headers
	t, ok := ctx.Value(traceKey{}).(Trace)
	if ok && len(headers[headerTraceParent]) == 0 {
		headers = headers.Copy()
		headers.Set(headerTraceParent, t.Parent)
		if t.State != "" {
			headers.Set(headerTraceState, t.State)
		}
	}
	return metadata.NewOutgoingContext(ctx, headers)
}
