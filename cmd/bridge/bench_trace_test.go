package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/library"
)

// tracedSetup is a bridge with telemetry of some kind, as the program sets it up.
type tracedSetup struct {
	name         string
	traces, http bool
	metrics      bool
	flags        string // of the client's traceparent: "01" asks for the spans to be kept
}

var tracedSetups = []tracedSetup{
	{name: "off", flags: "01"},
	{name: "unsampled", traces: true, flags: "00"},
	{name: "sampled", traces: true, flags: "01"},
	{name: "unsampled+http", traces: true, http: true, flags: "00"},
	{name: "sampled+http", traces: true, http: true, flags: "01"},
	{name: "off+metrics", metrics: true, flags: "01"},
	{name: "unsampled+http+metrics", traces: true, http: true, metrics: true, flags: "00"},
	{name: "sampled+http+metrics", traces: true, http: true, metrics: true, flags: "01"},
}

// BenchmarkTelemetry measures what a call over loopback HTTP costs, with and without telemetry, in CPU time of the whole
// process: client, bridge and backend. The last sub-benchmark takes turns between the setups, so that the ratios to "off" that
// it reports do not depend on when each of them was measured.
func BenchmarkTelemetry(b *testing.B) {
	for _, s := range tracedSetups {
		b.Run(s.name, func(b *testing.B) {
			call := s.start(b)
			b.ReportAllocs()
			b.ResetTimer()
			began := cpuTime(b)
			for range b.N {
				call()
			}
			b.ReportMetric(float64(cpuTime(b)-began)/float64(b.N), "cpu-ns/op")
		})
	}
	b.Run("ratios", func(b *testing.B) { benchmarkRatios(b) })
}

// benchmarkRatios makes b.N calls of each setup, a few at a time, and compares the medians of the turns: what else the machine
// does in some of them does not count.
func benchmarkRatios(b *testing.B) {
	const turn = 25
	spent := make([][]int64, len(tracedSetups))
	var calls []func()
	for _, s := range tracedSetups {
		calls = append(calls, s.start(b))
	}
	b.ResetTimer()
	for done := 0; done < b.N; done += turn {
		for i, call := range calls {
			began := cpuTime(b)
			for range turn {
				call()
			}
			spent[i] = append(spent[i], cpuTime(b)-began)
		}
	}
	median := func(i int) float64 {
		slices.Sort(spent[i])
		return float64(spent[i][len(spent[i])/2]) / turn
	}
	b.ReportMetric(median(0), "off-cpu-ns/op")
	for i, s := range tracedSetups[1:] {
		b.ReportMetric(median(i+1)/median(0), s.name+"/off")
	}
}

// cpuTime is what the process has used of the processors so far, in nanoseconds.
func cpuTime(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// discard is an exporter for which nothing costs anything.
type discard struct{}

// ExportSpans drops spans.
func (discard) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }

// Shutdown has nothing to end.
func (discard) Shutdown(context.Context) error { return nil }

// start starts a bridge with a backend of its own and returns what makes a call.
func (s tracedSetup) start(b *testing.B) (call func()) {
	b.Helper()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithBatcher(discard{}))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	b.Cleanup(func() { _ = tracers.Shutdown(context.Background()) })
	setup := &telemetrySetup{propagator: propagation.TraceContext{}, httpSpans: s.http}
	if s.traces {
		setup.tracers = tracers
	}
	if s.metrics {
		setup.meters = meters
	}
	br, err := bridge.New(b.Context(), []bridge.Backend{{Conn: benchLibrary(b, setup.DialOptions()...)}}, setup.Options()...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = br.Close() })
	server := httptest.NewServer(mount(setup.Wrap(br)))
	b.Cleanup(server.Close)
	return s.caller(b, server)
}

// caller makes the same call again and again, at a place in a trace.
func (s tracedSetup) caller(b *testing.B, server *httptest.Server) func() {
	b.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"library_get_book","arguments":{"name":"books/dune"},"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},
		"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-` + s.flags + `"}}}`
	call := func() string {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, server.URL+path, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		req.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"library_get_book"},
			"Traceparent": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-" + s.flags},
		}
		res, err := server.Client().Do(req)
		if err != nil {
			b.Fatal(err)
		}
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			b.Fatal(err)
		}
		return string(answer)
	}
	if answer := call(); !strings.Contains(answer, "Dune") {
		b.Fatal(answer)
	}
	return func() { call() }
}

// benchLibrary serves the library in memory.
func benchLibrary(b *testing.B, options ...grpc.DialOption) *grpc.ClientConn {
	b.Helper()
	lis := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- host.Serve(ctx, lis, library.New()) }()
	conn, err := grpc.NewClient("passthrough:///library", append(options,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = conn.Close()
		cancel()
		<-done
	})
	return conn
}
