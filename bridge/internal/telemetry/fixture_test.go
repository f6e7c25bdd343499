package telemetry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The place that a client's _meta names in these tests, and that of an HTTP span.
const (
	traceID      = "4bf92f3577b34da6a3ce929d0e0e4736"
	parentSpan   = "00f067aa0ba902b7"
	traceParent  = "00-" + traceID + "-" + parentSpan + "-01"
	ambientTrace = "0af7651916cd43dd8448eb211c80319c"
	ambientSpan  = "b7ad6b7169203331"
)

// recorder is a Telemetry with an SDK behind it.
type recorder struct {
	*telemetry.Telemetry
	spans  *tracetest.SpanRecorder
	reader *sdkmetric.ManualReader
}

// newRecorder returns one that samples what a sampler says.
func newRecorder(t testing.TB, config telemetry.Config, sampler sdktrace.Sampler) *recorder {
	t.Helper()
	r := &recorder{spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader()}
	config.TracerProvider = sdktrace.NewTracerProvider(sdktrace.WithSampler(sampler), sdktrace.WithSpanProcessor(r.spans))
	config.MeterProvider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(r.reader))
	var err error
	if r.Telemetry, err = telemetry.New(config); err != nil {
		t.Fatal(err)
	}
	return r
}

// span returns the only span that has ended.
func (r *recorder) span(t testing.TB) sdktrace.ReadOnlySpan {
	t.Helper()
	ended := r.spans.Ended()
	if len(ended) != 1 {
		t.Fatalf("%d spans have ended, not 1", len(ended))
	}
	return ended[0]
}

// metrics returns all points as "name{attributes} value", sorted; of a histogram the value is how many it has.
func (r *recorder) metrics(t testing.TB) []string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := r.reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					out = append(out, fmt.Sprintf("%s{%s} %d", m.Name, text(p.Attributes.ToSlice()), p.Count))
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					out = append(out, fmt.Sprintf("%s{%s} %d", m.Name, text(p.Attributes.ToSlice()), p.Value))
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					out = append(out, fmt.Sprintf("%s{%s} %d", m.Name, text(p.Attributes.ToSlice()), p.Value))
				}
			default:
				t.Errorf("%s is a %T", m.Name, data)
			}
		}
	}
	slices.Sort(out)
	return out
}

// text writes attributes, sorted.
func text(attributes []attribute.KeyValue) string {
	var out []string
	for _, a := range attributes {
		out = append(out, string(a.Key)+"="+a.Value.String())
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// ambient returns a context with an HTTP span.
func ambient(t testing.TB) context.Context {
	t.Helper()
	return telemetry.At(context.Background(), "00-"+ambientTrace+"-"+ambientSpan+"-01", "")
}

// spanID returns the id of the span of a context.
func spanID(ctx context.Context) string { return trace.SpanContextFromContext(ctx).SpanID().String() }
