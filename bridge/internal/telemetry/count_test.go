package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

func TestCounts(t *testing.T) {
	t.Parallel()
	r := newRecorder(t, telemetry.Config{}, sdktrace.NeverSample())
	r.StreamCut(telemetry.CutSlow)
	r.StreamCut(telemetry.CutSlow)
	r.StreamCut(telemetry.CutShutdown)
	r.Reloaded(telemetry.ReloadFailed)
	r.Declined(true)
	r.Declined(false)
	r.Retried("library", "made")
	r.Retried("library", "throttled")
	r.Refused("caller", "")
	r.Refused("backend", "library")
	r.SessionEnded("2025-11-25", "tcp", time.Minute, "")
	r.SessionEnded("2025-06-18", "pipe", time.Second, "expired")
	r.SessionEnded("", "", time.Second, "")
	want := []string{
		"bridge.catalog.reloads{result=failed} 1",
		"bridge.quota.refused{backend=library quota=backend} 1",
		"bridge.quota.refused{quota=caller} 1",
		"bridge.retries{backend=library result=made} 1",
		"bridge.retries{backend=library result=throttled} 1",
		"bridge.streams.cut{reason=shutdown} 1",
		"bridge.streams.cut{reason=slow_client} 2",
		"bridge.transcode.declined{of=arguments} 1",
		"bridge.transcode.declined{of=reply} 1",
		"mcp.server.session.duration{error.type=expired mcp.protocol.version=2025-06-18 network.transport=pipe} 1",
		"mcp.server.session.duration{mcp.protocol.version=2025-11-25 network.protocol.name=http network.transport=tcp} 1",
		"mcp.server.session.duration{} 1",
	}
	if diff := cmp.Diff(want, r.metrics(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestInstruments holds units, kinds and bounds.
func TestInstruments(t *testing.T) {
	t.Parallel()
	r, request := newRecorder(t, telemetry.Config{}, sdktrace.NeverSample()), call
	_, o := r.Start(context.Background(), &request)
	active := "bridge.requests.active{mcp.method.name=tools/call} 1"
	if got := r.metrics(t); len(got) != 1 || got[0] != active {
		t.Errorf("while a request is served: %s", got)
	}
	o.End(telemetry.Outcome{})
	var all metricdata.ResourceMetrics
	if err := r.reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	if name := all.ScopeMetrics[0].Scope.Name; name != "github.com/mcpgrpc/bridge" {
		t.Errorf("scope %q", name)
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		if m.Name != "mcp.server.operation.duration" {
			continue
		}
		bounds := m.Data.(metricdata.Histogram[float64]).DataPoints[0].Bounds
		if diff := cmp.Diff([]float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}, bounds); diff != "" || m.Unit != "s" {
			t.Errorf("unit %q, bounds (-want +got):\n%s", m.Unit, diff)
		}
		return
	}
	t.Error("there is no duration")
}

func TestObserve(t *testing.T) {
	t.Parallel()
	r := newRecorder(t, telemetry.Config{}, sdktrace.NeverSample())
	stop, err := r.Observe(func() telemetry.State {
		return telemetry.State{
			Tools: 3, Resources: 2, Prompts: 1, Withheld: 4, Omitted: 5, Sessions: 6, Backends: map[string]bool{"library": true, "echo": false},
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"bridge.backend.described{backend=echo} 0",
		"bridge.backend.described{backend=library} 1",
		"bridge.catalog.items{kind=prompt} 1",
		"bridge.catalog.items{kind=resource} 2",
		"bridge.catalog.items{kind=tool} 3",
		"bridge.catalog.omitted{} 5",
		"bridge.catalog.withheld{} 4",
		"bridge.sessions.open{} 6",
	}
	if diff := cmp.Diff(want, r.metrics(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if got := r.metrics(t); len(got) > 0 {
		t.Errorf("after stop: %s", got)
	}
}

// TestNil: what records nothing may be asked everything.
func TestNil(t *testing.T) {
	t.Parallel()
	none, err := telemetry.New(telemetry.Config{Baggage: true, RecordContent: true})
	if none != nil || err != nil {
		t.Fatalf("of no provider: %v, %v", none, err)
	}
	none.StreamCut(telemetry.CutSession)
	none.Reloaded(telemetry.ReloadChanged)
	none.Refused("caller", "")
	none.Retried("", "made")
	none.SessionEnded("", "", 0, "")
	if ctx, o := none.StartTask(context.Background(), "tool"); ctx != context.Background() || o != nil {
		t.Error("records a task")
	}
	if none.Baggage() {
		t.Error("asks for baggage")
	}
	ctx, o := none.Start(context.Background(), &telemetry.Request{})
	if ctx != context.Background() || o != nil || o.Content() {
		t.Error("records")
	}
	o.Result(nil)
	stop, err := none.Observe(nil)
	if err != nil || stop() != nil {
		t.Error("does not let itself be stopped")
	}
}

// TestRefusingMeter: an instrument that is not made is an error, of New or of Observe.
func TestRefusingMeter(t *testing.T) {
	t.Parallel()
	if _, err := telemetry.New(telemetry.Config{MeterProvider: refusing{counters: true}}); !errors.Is(err, errNoInstrument) {
		t.Errorf("New: %v", err)
	}
	tel, err := telemetry.New(telemetry.Config{MeterProvider: refusing{}})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := tel.Observe(func() telemetry.State { return telemetry.State{} })
	if !errors.Is(err, errNoInstrument) || stop() != nil {
		t.Errorf("Observe: %v", err)
	}
}

var errNoInstrument = errors.New("no instrument")

// refusing is a provider of meters that make no gauges, and no counters if so said.
type refusing struct {
	metricnoop.MeterProvider
	counters bool
}

func (r refusing) Meter(string, ...metric.MeterOption) metric.Meter {
	return refusingMeter{counters: r.counters}
}

type refusingMeter struct {
	metricnoop.Meter
	counters bool
}

func (m refusingMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	if m.counters {
		return nil, errNoInstrument
	}
	return metricnoop.Int64Counter{}, nil
}

func (refusingMeter) Int64ObservableGauge(string, ...metric.Int64ObservableGaugeOption) (metric.Int64ObservableGauge, error) {
	return nil, errNoInstrument
}

// TestSeries: many requests at once, of more targets than are kept ready.
func TestSeries(t *testing.T) {
	t.Parallel()
	r := newRecorder(t, telemetry.Config{}, sdktrace.NeverSample())
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 2000 {
				request := call
				request.Tool = fmt.Sprintf("tool_%d_%d", worker, i)
				_, o := r.Start(context.Background(), &request)
				o.End(telemetry.Outcome{Code: -32602})
			}
		})
	}
	all.Wait()
	if got := r.metrics(t); got[0] != "bridge.requests.active{mcp.method.name=tools/call} 0" {
		t.Errorf("got %s", got[0])
	}
}
