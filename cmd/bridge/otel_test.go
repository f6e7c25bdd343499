package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/host"
)

// clearOTel takes the variables of OpenTelemetry away, and sets those of the test.
func clearOTel(t *testing.T, env map[string]string) {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
	for name, value := range env {
		t.Setenv(name, value)
	}
}

// TestSwitches: what is on is said by the file and by the standard variables, and nothing is on by itself.
func TestSwitches(t *testing.T) {
	const collector = "http://127.0.0.1:4317"
	tests := map[string]struct {
		env        map[string]string
		otlp       *configv1.Otlp
		prometheus bool
		want       switches
	}{
		"nothing":             {},
		"admin listener":      {prometheus: true, want: switches{prometheus: true}},
		"file":                {otlp: &configv1.Otlp{Endpoint: collector}, want: switches{traces: true}},
		"file with metrics":   {otlp: &configv1.Otlp{Endpoint: collector, Metrics: true}, want: switches{traces: true, metrics: true}},
		"endpoint":            {env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector}, want: switches{traces: true, metrics: true}},
		"endpoint of traces":  {env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": collector}, want: switches{traces: true}},
		"endpoint of metrics": {env: map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": collector}, want: switches{metrics: true}},
		"exporter":            {env: map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, want: switches{traces: true}},
		"endpoint, not metrics": {
			env:  map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_METRICS_EXPORTER": "none"},
			want: switches{traces: true},
		},
		"name alone": {env: map[string]string{"OTEL_SERVICE_NAME": "bridge"}},
		"disabled": {
			env:  map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_SDK_DISABLED": "True"},
			otlp: &configv1.Otlp{Endpoint: collector, Metrics: true}, prometheus: true,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			clearOTel(t, tt.env)
			if got := switchesOf(tt.otlp, tt.prometheus); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestTelemetryOff: with nothing on, nothing stands in the way of a call.
func TestTelemetryOff(t *testing.T) {
	clearOTel(t, nil)
	setup := start(t, &configv1.Config{}, false)
	if setup.Options() != nil || setup.DialOptions() != nil || setup.TracerProvider() != nil || setup.Metrics() != nil {
		t.Errorf("something is on: %+v", setup)
	}
	mux := http.NewServeMux()
	if setup.Wrap(mux) != http.Handler(mux) {
		t.Error("the handler is wrapped")
	}
	setup.Shutdown(t.Context())
}

// TestTelemetryFaults: what the variables say wrongly is told with their names.
func TestTelemetryFaults(t *testing.T) {
	on := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
	tests := map[string][2]string{ // a variable, its value
		`OTEL_PROPAGATORS: "tracecontext,b3" has "b3", which is not known: write`: {"OTEL_PROPAGATORS", "tracecontext,b3"},
		"OTEL_RESOURCE_ATTRIBUTES: ": {"OTEL_RESOURCE_ATTRIBUTES", "nothing"},
	}
	for want, variable := range tests {
		t.Run(want, func(t *testing.T) {
			clearOTel(t, on)
			t.Setenv(variable[0], variable[1])
			_, err := startTelemetry(t.Context(), &configv1.Config{}, false, slog.New(slog.DiscardHandler))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

func TestSignalURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ endpoint, traces, metrics string }{
		{"http://jaeger:4318", "http://jaeger:4318/v1/traces", "http://jaeger:4318/v1/metrics"},
		{"https://c.example.com/", "https://c.example.com/v1/traces", "https://c.example.com/v1/metrics"},
		{"https://c.example.com/otlp/v1/traces", "https://c.example.com/otlp/v1/traces", "https://c.example.com/otlp/v1/metrics"},
		{"https://c.example.com/in?key=1", "https://c.example.com/in?key=1", "https://c.example.com/in?key=1"},
	} {
		if got := [2]string{signalURL(tt.endpoint, "traces"), signalURL(tt.endpoint, "metrics")}; got != [2]string{tt.traces, tt.metrics} {
			t.Errorf("%s: got %v", tt.endpoint, got)
		}
	}
}

// TestExport: what is sent to a collector says whose it is, has the headers of the configuration, and has the CLIENT span of
// each call, but none of reading the descriptors.
func TestExport(t *testing.T) {
	clearOTel(t, map[string]string{"OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test", "COLLECTOR_TOKEN": "s3cret"})
	for name, protocol := range map[string]configv1.Otlp_Protocol{"grpc": configv1.Otlp_PROTOCOL_GRPC, "http": configv1.Otlp_PROTOCOL_HTTP} {
		t.Run(name, func(t *testing.T) {
			collector := startCollector(t)
			setup := start(t, &configv1.Config{Telemetry: &configv1.Telemetry{Otlp: &configv1.Otlp{
				Endpoint: map[bool]string{true: collector.grpc, false: collector.http}[name == "grpc"],
				Protocol: protocol,
				Headers: []*configv1.Header{{Name: "x-token", Value: &configv1.Header_Secret{
					Secret: &configv1.Secret{Source: &configv1.Secret_Env{Env: "COLLECTOR_TOKEN"}},
				}}},
			}}}, false)
			url := serveEcho(t, setup)
			if body, _ := send(t, url, modernHeaders("echo_delay"), delayCall(1, "0s")); !strings.Contains(body, `"id":1`) {
				t.Fatal(body)
			}
			setup.Shutdown(t.Context())
			got := <-collector.got
			if got.token != "s3cret" {
				t.Errorf("the collector was sent the token %q", got.token)
			}
			if want := map[string]string{
				"service.name": "bridge", "service.version": bridge.Version(), "deployment.environment": "test",
			}; !cmp.Equal(want, got.resource("service.name", "service.version", "deployment.environment")) {
				t.Errorf("resource: %s", cmp.Diff(want, got.resource("service.name", "service.version", "deployment.environment")))
			}
			if calls := got.named(tracev1.Span_SPAN_KIND_CLIENT); !cmp.Equal(calls, []string{"echo.v1.EchoService/Delay"}) {
				t.Errorf("CLIENT spans: %v", calls)
			}
		})
	}
}

// TestSampling: the share of the file is for traces that begin here; what a client decided stands.
func TestSampling(t *testing.T) {
	clearOTel(t, nil)
	never := 0.0
	collector := startCollector(t)
	setup := start(t, &configv1.Config{Telemetry: &configv1.Telemetry{
		SampleRatio: &never, Otlp: &configv1.Otlp{Endpoint: collector.grpc},
	}}, false)
	url := serveEcho(t, setup)
	send(t, url, modernHeaders("echo_delay"), delayCall(1, "0s"))
	headers := modernHeaders("echo_delay")
	headers["Traceparent"] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	send(t, url, headers, delayCall(2, "0s"))
	setup.Shutdown(t.Context())
	got := <-collector.got
	for _, s := range got.spans() {
		if id := s.GetTraceId(); id[0] != 0x4b {
			t.Errorf("the span %s is of trace %x", s.GetName(), id)
		}
	}
}

// TestUnsampledGoesOn: the backend of a call whose trace is not kept is told of that trace all the same, and not to keep it.
func TestUnsampledGoesOn(t *testing.T) {
	clearOTel(t, nil)
	collector := startCollector(t)
	setup := start(t, &configv1.Config{Telemetry: &configv1.Telemetry{Otlp: &configv1.Otlp{Endpoint: collector.grpc}}}, false)
	url := serveEcho(t, setup)
	for flags, kept := range map[string]bool{"00": false, "01": true} {
		meta := `,"traceparent":"00-` + clientTrace + "-" + clientSpan + "-" + flags + `"`
		body, _ := send(t, url, modernHeaders("echo_metadata"), toolCall(1, "echo_metadata", "{}", meta))
		place := regexp.MustCompile("00-" + clientTrace + "-([0-9a-f]{16})-" + flags).FindStringSubmatch(body)
		if place == nil {
			t.Fatalf("the trace is not in %s", body)
		}
		if kept && place[1] == clientSpan {
			t.Errorf("the backend is below the client's own span in %s", body)
		}
	}
	setup.Shutdown(t.Context())
	got := <-collector.got
	for _, s := range got.spans() {
		if s.GetKind() == tracev1.Span_SPAN_KIND_CLIENT && s.GetFlags()&1 == 0 {
			t.Errorf("a span of the call that is not kept was sent: %v", s)
		}
	}
	if calls := got.named(tracev1.Span_SPAN_KIND_CLIENT); len(calls) != 1 {
		t.Errorf("CLIENT spans: %v", calls)
	}
}

// TestPrometheus: the metrics of calls and of the process are there to be read.
func TestPrometheus(t *testing.T) {
	clearOTel(t, nil)
	setup := start(t, &configv1.Config{}, true)
	send(t, serveEcho(t, setup), modernHeaders("echo_delay"), delayCall(1, "0s"))
	answer := httptest.NewRecorder()
	setup.Metrics().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	for _, want := range []string{
		`rpc_client_call_duration_seconds_count{rpc_method="echo.v1.EchoService/Delay"`, "go_goroutines ", `service_name="bridge"`,
		"\nbridge_backend_described{",
	} {
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("there is no %s in\n%s", want, answer.Body)
		}
	}
	setup.Shutdown(t.Context())
}

func start(t *testing.T, c *configv1.Config, prometheus bool) *telemetrySetup {
	t.Helper()
	setup, err := startTelemetry(t.Context(), c, prometheus, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// delayCall is a call of the echo service without a session, with a trace of its own.
func delayCall(id int, delay string) string {
	return toolCall(id, "echo_delay", `{"delay":"`+delay+`"}`, "")
}

// serveEcho serves the echo service behind a bridge with telemetry until the test ends. It is described by reflection.
func serveEcho(t *testing.T, setup *telemetrySetup) (url string) {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- host.Serve(ctx, lis, echo.New()) }()
	dialed, err := config.Dial(&configv1.Config{Backends: []*configv1.Backend{{
		Target: lis.Addr().String(), Transport: &configv1.Backend_Plaintext{Plaintext: &configv1.Plaintext{}},
	}}}, setup.DialOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bridge.New(t.Context(), dialed.Backends, append(dialed.Options, setup.Options()...)...)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mount(setup.Wrap(b)))
	t.Cleanup(func() {
		server.Close()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		_ = dialed.Close()
		cancel()
		<-done
	})
	return server.URL + path
}

// collector is a collector of traces that keeps what it is sent first.
type collector struct {
	collectorv1.UnimplementedTraceServiceServer

	grpc, http string
	got        chan export
}

type export struct {
	token   string
	request *collectorv1.ExportTraceServiceRequest
}

// Export is the RPC of OTLP.
func (c *collector) Export(ctx context.Context, r *collectorv1.ExportTraceServiceRequest) (*collectorv1.ExportTraceServiceResponse, error) {
	c.keep(export{strings.Join(metadata.ValueFromIncomingContext(ctx, "x-token"), ","), r})
	return &collectorv1.ExportTraceServiceResponse{}, nil
}

func (c *collector) keep(e export) {
	select {
	case c.got <- e:
	default:
	}
}

func startCollector(t *testing.T) *collector {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &collector{grpc: "http://" + lis.Addr().String(), got: make(chan export, 1)}
	server := grpc.NewServer()
	collectorv1.RegisterTraceServiceServer(server, c)
	done := make(chan error, 1)
	go func() { done <- server.Serve(lis) }()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.keep(export{r.Header.Get("X-Token"), readExport(t, r)})
	}))
	c.http = web.URL
	t.Cleanup(func() {
		web.Close()
		server.Stop()
		<-done
	})
	return c
}

// TestHeaderFile: a header of exports that cannot be read is told by the place in the configuration.
func TestHeaderFile(t *testing.T) {
	clearOTel(t, nil)
	missing := filepath.Join(t.TempDir(), "none")
	_, err := startTelemetry(t.Context(), &configv1.Config{Telemetry: &configv1.Telemetry{Otlp: &configv1.Otlp{
		Endpoint: "http://127.0.0.1:1",
		Headers: []*configv1.Header{{Name: "x-token", Value: &configv1.Header_Secret{
			Secret: &configv1.Secret{Source: &configv1.Secret_File{File: missing}},
		}}},
	}}}, false, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), `telemetry.otlp: header "x-token"`) {
		t.Errorf("got %v", err)
	}
}
