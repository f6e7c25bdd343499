package backend

import (
	"context"
	"maps"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// outgoing is the metadata of a call. It begins as that of all calls, and is a copy once something is added.
type outgoing struct {
	md  metadata.MD
	own bool
}

// set gives a key its values, which are not written to.
func (o *outgoing) set(key string, values ...string) {
	if !o.own {
		o.md, o.own = maps.Clone(o.md), true
	}
	o.md[key] = values
}

// outgoing returns the context of a call with all its metadata: the configured headers, what is forwarded of the client's,
// what is told of the client, and the trace; or why the call cannot be sent.
func (b *Backend) outgoing(ctx context.Context) (context.Context, *Failure) {
	out := outgoing{md: b.config.Headers}
	if f := b.forward(ctx, &out); f != nil {
		return nil, f
	}
	if f := interact(ctx, &out); f != nil {
		return nil, f
	}
	b.trace(ctx, &out)
	return metadata.NewOutgoingContext(ctx, out.md), nil
}

// trace adds the place of the call in a trace: the one of [WithTrace], or else that of the span in ctx. Where a place is
// configured, nothing is added to it, and where one of its other keys is, that stays as it is.
func (b *Backend) trace(ctx context.Context, out *outgoing) {
	if len(b.config.Headers[headerTraceParent]) > 0 {
		return
	}
	if t, ok := ctx.Value(traceKey{}).(Trace); ok {
		out.set(headerTraceParent, t.Parent)
		if t.State != "" {
			b.add(out, headerTraceState, t.State)
		}
		return
	}
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return
	}
	own := *out // so that where there is no span, nothing is allocated
	telemetry.Inject(ctx, func(key, value string) { b.add(&own, key, value) })
	*out = own
}

// add gives a key its value, unless it is configured.
func (b *Backend) add(out *outgoing, key, value string) {
	if len(b.config.Headers[key]) == 0 {
		out.set(key, value)
	}
}
