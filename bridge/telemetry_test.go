package bridge_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/services/library"
)

// TestTraceEndToEnd: in both eras a call over HTTP is one trace: the client's span, that of the request, that of the call, and
// that of the backend, each the parent of the next; and a log line in the request has its ids.
func TestTraceEndToEnd(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			spans := tracetest.NewInMemoryExporter()
			provider := trace.NewTracerProvider(trace.WithSyncer(spans))
			stats := []otelgrpc.Option{otelgrpc.WithTracerProvider(provider), otelgrpc.WithPropagators(propagation.TraceContext{})}
			p := newSite(t, grpc.WithStatsHandler(otelgrpc.NewClientHandler(stats...)))
			defer p.serve(t, library.New(), grpc.StatsHandler(otelgrpc.NewServerHandler(stats...)))()
			log := new(logbook)
			b := newBridge(t, []bridge.Backend{{Conn: p.conn, Descriptors: libraryOnly, HideInternalErrors: true}},
				bridge.WithTelemetry(bridge.Telemetry{TracerProvider: provider}),
				bridge.WithLogger(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
			c := httpClient(t, serveHTTP(t, b), version)
			ctx, mine := provider.Tracer("client").Start(t.Context(), "mine", oteltrace.WithSpanKind(oteltrace.SpanKindClient))
			meta := propagation.MapCarrier{}
			propagation.TraceContext{}.Inject(ctx, meta)
			r := c.request(t, "tools/call", map[string]any{
				"name": "library_get_book", "arguments": map[string]any{"name": "books/dune"},
				"_meta": map[string]any{"traceparent": meta["traceparent"]},
			})
			if r.Error != nil || strings.Contains(string(r.Result), `"isError":true`) {
				t.Fatalf("got %+v", r)
			}
			mine.End()
			var chain []tracetest.SpanStub
			until(t, func() bool { chain = chainOf(spans.GetSpans(), mine.SpanContext()); return len(chain) == 4 })
			kinds := []oteltrace.SpanKind{oteltrace.SpanKindClient, oteltrace.SpanKindServer, oteltrace.SpanKindClient, oteltrace.SpanKindServer}
			names := []string{"mine", "tools/call library_get_book", "library.v1.LibraryService/GetBook", "library.v1.LibraryService/GetBook"}
			for i, s := range chain {
				if s.Name != names[i] || s.SpanKind != kinds[i] || s.SpanContext.TraceID() != mine.SpanContext().TraceID() {
					t.Errorf("span %d is %q, %v in %v", i, s.Name, s.SpanKind, s.SpanContext.TraceID())
				}
			}
			if text := log.read(); !strings.Contains(text, "trace_id="+mine.SpanContext().TraceID().String()) {
				t.Errorf("no line has the trace: %q", text)
			}
		})
	}
}

// chainOf returns a span and those below it, of which each has to have one at most.
func chainOf(spans tracetest.SpanStubs, root oteltrace.SpanContext) (chain []tracetest.SpanStub) {
	next := root.SpanID()
	for range spans {
		at := slices.IndexFunc(spans, func(s tracetest.SpanStub) bool {
			if len(chain) == 0 {
				return s.SpanContext.SpanID() == next
			}
			return s.Parent.SpanID() == next
		})
		if at < 0 {
			return chain
		}
		chain, next = append(chain, spans[at]), spans[at].SpanContext.SpanID()
	}
	return chain
}

// TestMetrics: what is offered, which backends are there, how reloads went and how long sessions were, until the end.
func TestMetrics(t *testing.T) {
	t.Parallel()
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	source := &changing{source: libraryOnly}
	b := newBridge(t,
		[]bridge.Backend{{Name: "a", Conn: startServices(t), Descriptors: source}, {Name: "b", Conn: noConn{}, Descriptors: absent{}}},
		bridge.WithTelemetry(bridge.Telemetry{MeterProvider: provider}))
	c := httpClient(t, serveHTTP(t, b), "2025-11-25")
	source.set(nil, errors.New("the disk is gone"))
	if err := b.Reload(t.Context()); err == nil {
		t.Error("no error")
	}
	c.call(t, "library_get_book", `{"name":"books/dune"}`)
	names := func() []string {
		var all metricdata.ResourceMetrics
		if err := reader.Collect(context.WithoutCancel(t.Context()), &all); err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				found = append(found, m.Name)
			}
		}
		return found
	}
	found := names()
	for _, want := range []string{
		"mcp.server.operation.duration", "bridge.catalog.items", "bridge.catalog.omitted", "bridge.catalog.withheld",
		"bridge.catalog.reloads", "bridge.sessions.open", "bridge.backend.described",
	} {
		if !slices.Contains(found, want) {
			t.Errorf("%s is missing in %v", want, found)
		}
	}
	b.Close()
	if slices.Contains(names(), "bridge.catalog.items") {
		t.Error("a bridge that is closed is still asked")
	}
}

// TestForwardedHeader: the headers that are named go on, under the names that are given to them, and no others; also after a
// Replace.
func TestForwardedHeader(t *testing.T) {
	t.Parallel()
	backend := bridge.Backend{Conn: startServices(t), ForwardHeaders: []bridge.ForwardedHeader{{Header: "x-request-id", Metadata: "request"}}}
	b := newBridge(t, []bridge.Backend{backend})
	c := httpClient(t, serveHTTP(t, b), modern)
	send := c.send
	c.send = func(t *testing.T, message []byte, header http.Header) []byte {
		t.Helper()
		header["X-Request-Id"], header["X-Other"] = []string{"canary-1"}, []string{"canary-2"}
		return send(t, message, header)
	}
	check := func(first, second bool) {
		t.Helper()
		got := string(c.call(t, "echo_metadata", `{}`).StructuredContent)
		if strings.Contains(got, "canary-1") != first || strings.Contains(got, "canary-2") != second {
			t.Errorf("the backend has %s", got)
		}
	}
	check(true, false)
	next := backend
	next.ForwardHeaders = []bridge.ForwardedHeader{{Header: "X-Other"}}
	if err := b.Replace(t.Context(), []bridge.Backend{next}); err != nil {
		t.Fatal(err)
	}
	check(false, true)
}

// TestQuotas: those that cannot hold are refused, and that of a backend lasts beyond reloads.
func TestQuotas(t *testing.T) {
	t.Parallel()
	for want, q := range map[string]bridge.Quota{
		"in flight":      {InFlight: -1},
		"per second":     {PerSecond: -0.5},
		"burst of -1":    {PerSecond: 1, Burst: -1},
		"bounds nothing": {Burst: 5},
	} {
		if _, err := bridge.Inspect(t.Context(), []bridge.Backend{{Descriptors: libraryOnly}}, bridge.WithCallerQuota(q)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("of a caller: got %v, want %q", err, want)
		}
		if _, err := bridge.Inspect(t.Context(), []bridge.Backend{{Descriptors: libraryOnly, Quota: q}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("of a backend: got %v, want %q", err, want)
		}
	}
	source := &changing{source: libraryOnly}
	b := newBridge(t, []bridge.Backend{{Conn: startServices(t), Descriptors: source, Quota: bridge.Quota{PerSecond: 0.001, Burst: 1}}})
	var errs []bool
	for range 2 {
		r, err := b.Call(t.Context(), "library_list_books", nil)
		if err != nil {
			t.Fatal(err)
		}
		errs = append(errs, r.IsError)
		source.set(conformanceOnly, nil)
		if err := b.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		source.set(libraryOnly, nil)
		if err := b.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(errs, []bool{false, true}) {
		t.Errorf("refused: %v", errs)
	}
}
