package telemetry_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// TestEvents holds the events of a span, of which those of progress are bounded.
func TestEvents(t *testing.T) {
	t.Parallel()
	r := newRecorder(t, telemetry.Config{}, sdktrace.AlwaysSample())
	_, o := r.Start(context.Background(), &call)
	total := 200.0
	for i := range 150 {
		o.Progress(float64(i), &total)
	}
	o.InputRequired(2, 3)
	o.Truncated("bytes", 7)
	o.End(telemetry.Outcome{})
	counts := map[string]int{}
	var rest []string
	for _, e := range r.span(t).Events() {
		if counts[e.Name]++; e.Name != "progress" || counts[e.Name] == 1 {
			rest = append(rest, e.Name+" "+text(e.Attributes))
		}
	}
	want := []string{
		"progress bridge.progress.total=200 bridge.progress=0",
		"input_required bridge.input.requests=3 bridge.input.round=2",
		"truncated bridge.truncated.messages=7 bridge.truncated.reason=bytes",
	}
	if diff := cmp.Diff(want, rest); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if counts["progress"] != 100 {
		t.Errorf("%d events of progress, not 100", counts["progress"])
	}
}

// TestNoEvents: what is not recorded has no events, and telling of them is safe.
func TestNoEvents(t *testing.T) {
	t.Parallel()
	var none *telemetry.Operation
	r := newRecorder(t, telemetry.Config{}, sdktrace.NeverSample())
	_, unsampled := r.Start(context.Background(), &call)
	for _, o := range []*telemetry.Operation{none, unsampled} {
		o.Progress(1, nil)
		o.InputRequired(1, 1)
		o.Truncated("messages", 1)
		o.End(telemetry.Outcome{})
	}
	if n := len(r.spans.Ended()); n != 0 {
		t.Errorf("%d spans", n)
	}
}

// TestLaterRounds: a later round of a call is in the trace of the first, or has a link to it where it has a trace of its own.
func TestLaterRounds(t *testing.T) {
	t.Parallel()
	const first = "00-" + ambientTrace + "-" + ambientSpan + "-01"
	for name, c := range map[string]struct{ own, parent, links string }{
		"without a trace": {"", ambientTrace + "-" + ambientSpan, ""},
		"with one":        {traceParent, traceID + "-" + parentSpan, ambientTrace + "-" + ambientSpan + " bridge.link=earlier_round"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecorder(t, telemetry.Config{}, sdktrace.AlwaysSample())
			round := call
			round.TraceParent, round.Continues = c.own, first
			_, o := r.Start(context.Background(), &round)
			o.End(telemetry.Outcome{})
			span := r.span(t)
			if got := span.Parent().TraceID().String() + "-" + span.Parent().SpanID().String(); got != c.parent {
				t.Errorf("parent %s, not %s", got, c.parent)
			}
			var links []string
			for _, l := range span.Links() {
				links = append(links, l.SpanContext.TraceID().String()+"-"+l.SpanContext.SpanID().String()+" "+text(l.Attributes))
			}
			if got := strings.Join(links, ", "); got != c.links {
				t.Errorf("links %q, not %q", got, c.links)
			}
		})
	}
}

// TestParentIsWrittenAsRead: the place of a span is written as it is read.
func TestParentIsWrittenAsRead(t *testing.T) {
	t.Parallel()
	if got := telemetry.Parent(telemetry.At(context.Background(), traceParent, "")); got != traceParent {
		t.Errorf("got %q", got)
	}
	if got := telemetry.Parent(context.Background()); got != "" {
		t.Errorf("got %q without a span", got)
	}
}
