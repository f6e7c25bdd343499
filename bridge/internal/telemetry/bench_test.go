package telemetry_test

import (
	"context"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// BenchmarkOperation is what a request costs more than one of which nothing is recorded.
func BenchmarkOperation(b *testing.B) {
	sampled := sdktrace.NewTracerProvider()
	unsampled := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	sampled.RegisterSpanProcessor(discard{})
	unsampled.RegisterSpanProcessor(discard{})
	meter := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	for _, c := range []struct {
		name   string
		config telemetry.Config
	}{
		{"off", telemetry.Config{}},
		{"metrics", telemetry.Config{MeterProvider: meter}},
		{"unsampled", telemetry.Config{TracerProvider: unsampled, MeterProvider: meter}},
		{"sampled", telemetry.Config{TracerProvider: sampled, MeterProvider: meter}},
	} {
		b.Run(c.name, func(b *testing.B) {
			tel, err := telemetry.New(c.config)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				request := call
				request.TraceParent = traceParent
				_, o := tel.Start(context.Background(), &request)
				o.End(telemetry.Outcome{})
			}
		})
	}
}

// discard keeps no span.
type discard struct{}

func (discard) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (discard) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (discard) Shutdown(context.Context) error                  { return nil }
func (discard) ForceFlush(context.Context) error                { return nil }
