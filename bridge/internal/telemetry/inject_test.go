package telemetry_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/baggage"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// injected returns what Inject sets.
func injected(ctx context.Context) map[string]string {
	out := map[string]string{}
	telemetry.Inject(ctx, func(key, value string) { out[key] += value })
	return out
}

func TestInject(t *testing.T) {
	t.Parallel()
	r, request := newRecorder(t, telemetry.Config{}, sdktrace.AlwaysSample()), call
	request.TraceParent, request.TraceState = traceParent, "a=1"
	ctx, o := r.Start(context.Background(), &request)
	o.End(telemetry.Outcome{})
	want := map[string]string{"traceparent": "00-" + traceID + "-" + spanID(ctx) + "-01", "tracestate": "a=1"}
	if diff := cmp.Diff(want, injected(ctx)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := injected(context.Background()); len(got) > 0 {
		t.Errorf("of no trace: %v", got)
	}
}

// TestWithoutSpans: where nothing makes spans, the client's own place goes on.
func TestWithoutSpans(t *testing.T) {
	t.Parallel()
	metered, err := telemetry.New(telemetry.Config{MeterProvider: metricnoop.NewMeterProvider()})
	if err != nil {
		t.Fatal(err)
	}
	for name, tel := range map[string]*telemetry.Telemetry{"off": nil, "metrics": metered} {
		request := call
		request.TraceParent = traceParent
		ctx, o := tel.Start(context.Background(), &request)
		o.Opened("2025-11-25", "s")
		o.Arguments([]byte("{}"))
		o.End(telemetry.Outcome{})
		if diff := cmp.Diff(map[string]string{"traceparent": traceParent}, injected(ctx)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestBaggage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		on                  bool
		ambient, meta, want string
	}{
		"off":                 {false, "", "a=1", ""},
		"off, of HTTP":        {false, "h=1", "", ""},
		"on":                  {true, "", "a=1;p=2", "a=1;p=2"},
		"on, of HTTP":         {true, "h=1", "", "h=1"},
		"on, of both":         {true, "h=1", "a=1", "a=1"},
		"not well formed":     {true, "", "a=1,b", ""},
		"in part well formed": {true, "", "a=1,=", ""},
		"too many":            {true, "", strings.Repeat("a=1,", 9000) + "b=1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, request, ctx := newRecorder(t, telemetry.Config{Baggage: c.on}, sdktrace.AlwaysSample()), call, context.Background()
			if c.ambient != "" {
				b, err := baggage.Parse(c.ambient)
				if err != nil {
					t.Fatal(err)
				}
				ctx = baggage.ContextWithBaggage(ctx, b)
			}
			request.Baggage = c.meta
			ctx, o := r.Start(ctx, &request)
			o.End(telemetry.Outcome{})
			if got := injected(ctx)["baggage"]; got != c.want || r.Baggage() != c.on {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
