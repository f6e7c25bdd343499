package backend_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// TestSpan: a call carries the span that its context has, and the baggage. What is configured stays, and a trace that the
// context was given stands before its span.
func TestSpan(t *testing.T) {
	t.Parallel()
	const own, given = "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for name, tt := range map[string]struct {
		headers, want metadata.MD
		trace         backend.Trace
		bare          bool // no span
	}{
		"span":       {nil, metadata.MD{"traceparent": {own}, "tracestate": {"a=1"}, "baggage": {"k=v"}}, backend.Trace{}, false},
		"no span":    {nil, metadata.MD{}, backend.Trace{}, true},
		"given":      {nil, metadata.MD{"traceparent": {given}}, backend.Trace{Parent: given}, false},
		"configured": {metadata.MD{"traceparent": {"mine"}}, metadata.MD{"traceparent": {"mine"}}, backend.Trace{}, false},
		"baggage": {
			metadata.MD{"baggage": {"mine=1"}, "tracestate": {"b=2"}},
			metadata.MD{"traceparent": {own}, "tracestate": {"b=2"}, "baggage": {"mine=1"}},
			backend.Trace{},
			false,
		},
		"given and state": {
			metadata.MD{"tracestate": {"b=2"}},
			metadata.MD{"traceparent": {given}, "tracestate": {"b=2"}},
			backend.Trace{Parent: given, State: "c=3"},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			if !tt.bare {
				ctx = withSpan(t, ctx)
			}
			if tt.trace != (backend.Trace{}) {
				ctx = backend.WithTrace(ctx, tt.trace)
			}
			sent := sentWith(t, backend.Config{Headers: tt.headers}, ctx)
			if diff := cmp.Diff(tt.want, sent); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNoBaggageWithoutTelemetry: where no span is made for a request, a span around it goes on, and its baggage does not.
func TestNoBaggageWithoutTelemetry(t *testing.T) {
	t.Parallel()
	sent := sentWith(t, backend.Config{}, backend.WithTrace(withSpan(t, t.Context()), backend.Trace{}))
	if len(sent["traceparent"]) != 1 || len(sent["baggage"]) != 0 {
		t.Errorf("sent %v", sent)
	}
}

// TestSpanLeavesTheConfiguration: what one call adds is not in the next.
func TestSpanLeavesTheConfiguration(t *testing.T) {
	t.Parallel()
	var sent metadata.MD
	b := newBackend(t, backend.Config{
		Conn: keeper{sent: &sent}, Headers: metadata.MD{"x-static": {"s"}}, Forward: []backend.Forward{{Header: "X-A"}},
	})
	do := compile(t).method("Do")
	_, _ = b.Unary(backend.WithForwarded(withSpan(t, t.Context()), map[string][]string{"X-A": {"1"}}), do, nil)
	if len(sent) != 5 {
		t.Fatalf("sent %v", sent)
	}
	_, _ = b.Unary(t.Context(), do, nil)
	if diff := cmp.Diff(metadata.MD{"x-static": {"s"}}, sent); diff != "" {
		t.Error(diff)
	}
}

// withSpan gives a context a span with all that goes along.
func withSpan(t *testing.T, ctx context.Context) context.Context {
	t.Helper()
	state, err := trace.ParseTraceState("a=1")
	if err != nil {
		t.Fatal(err)
	}
	member, err := baggage.NewMember("k", "v")
	if err != nil {
		t.Fatal(err)
	}
	bag, err := baggage.New(member)
	if err != nil {
		t.Fatal(err)
	}
	span := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, SpanID: trace.SpanID{1, 2, 3, 4, 5, 6, 7, 8},
		TraceFlags: trace.FlagsSampled, TraceState: state,
	})
	return baggage.ContextWithBaggage(trace.ContextWithSpanContext(ctx, span), bag)
}
