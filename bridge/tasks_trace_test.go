package bridge_test

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/ask"
)

// working answers a job by how often it has been called: a job that asks, cannot be done at first, and ends with err, nil for well.
func working(err error) func(context.Context, string) (proto.Message, error) {
	calls := 0
	return func(ctx context.Context, _ string) (proto.Message, error) {
		if !ask.FromContext(ctx).Has("where") {
			return nil, ask.Require(ask.Roots("where"))
		}
		if calls++; calls == 1 {
			return nil, status.Error(codes.Unavailable, "not yet")
		}
		return &emptypb.Empty{}, err
	}
}

// operating begins an operation that tells how far it is, and then is done.
func operating() func(context.Context, string) (proto.Message, error) {
	polls := 0
	return func(_ context.Context, method string) (proto.Message, error) {
		if method == "GetOperation" {
			polls++
		}
		far, err := anypb.New(wrapperspb.Int32(int32(polls)))
		return &longrunningpb.Operation{Name: "operations/7", Done: polls == 3, Metadata: far}, err
	}
}

// nothing answers with an empty message.
func nothing(context.Context, string) (proto.Message, error) { return &emptypb.Empty{}, nil }

// stuck answers nothing until nobody waits any more.
func stuck(ctx context.Context, _ string) (proto.Message, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestTaskIsObserved: a task has a span below that of the call which began it, with what happens in it, a duration and a line in
// the log, all of which say how it ended.
func TestTaskIsObserved(t *testing.T) {
	t.Parallel()
	asked := "input_required bridge.input.round=1 bridge.input.requests=1"
	retried := ", retry bridge.retry.attempt=2 bridge.retry.outcome=executed"
	for name, tt := range map[string]struct {
		tool   string
		answer func(context.Context, string) (proto.Message, error)
		give   string // how it is given up; "" for not at all
		span   string // status and events
		ended  string // error.type
	}{
		"done": {tool: "job_work", answer: working(nil), span: "Unset(): " + asked + retried},
		"failed": {
			tool: "job_work", answer: working(status.Error(codes.NotFound, "no job")),
			span: "Error(NOT_FOUND): " + asked + retried, ended: "tool_error",
		},
		"operation": {tool: "job_start", answer: operating(), span: "Unset(): progress bridge.progress=0"},
		"truncated": {
			tool: "job_report", answer: nothing,
			span: "Unset(): truncated bridge.truncated.reason=messages bridge.truncated.messages=2",
		},
		"cancelled": {tool: "job_work", answer: stuck, give: "cancel", span: "Unset(): ", ended: "cancelled"},
		"stopped":   {tool: "job_work", answer: stuck, give: "close", span: "Error(the bridge stops): ", ended: "-32603"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkTaskIsObserved(t, tt.tool, tt.answer, tt.give, tt.span, tt.ended)
		})
	}
}

// furtherProgress is what a span has of progress after its beginning: how much is a matter of time.
var furtherProgress = regexp.MustCompile(`progress bridge\.progress=[1-9]\d*(, )?`)

func checkTaskIsObserved(
	t *testing.T, tool string, answer func(context.Context, string) (proto.Message, error), give, span, ended string,
) {
	t.Helper()
	_, backend := startJobs(t, answer)
	backend.Retry.Idempotent = []string{"*"}
	spans, reader, log := tracetest.NewInMemoryExporter(), metric.NewManualReader(), new(logbook)
	b := newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{}), bridge.WithMaxStreamMessages(2),
		bridge.WithTelemetry(bridge.Telemetry{
			TracerProvider: trace.NewTracerProvider(trace.WithSyncer(spans)),
			MeterProvider:  metric.NewMeterProvider(metric.WithReader(reader)),
		}),
		bridge.WithLogger(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	c := httpClient(t, serveHTTP(t, b), modern)
	c.can = map[string]any{"roots": map[string]any{}, "extensions": withTasks["extensions"]}
	began := c.task(t, "tools/call", map[string]any{"name": tool, "arguments": map[string]any{}})
	switch give {
	case "cancel":
		c.task(t, "tasks/cancel", map[string]any{"taskId": began.TaskID})
	case "close":
		b.Close()
	default:
		if now := c.ended(t, began); now.Status == "input_required" {
			c.task(t, "tasks/update", map[string]any{
				"taskId": began.TaskID, "inputResponses": map[string]any{"where": map[string]any{"roots": []any{}}},
			})
		}
	}
	var got, call tracetest.SpanStub
	var told string
	until(t, func() bool {
		got, call = named(spans.GetSpans(), "task "+tool), named(spans.GetSpans(), "tools/call "+tool)
		told += log.read()
		return got.SpanContext.IsValid() && strings.Contains(told, `msg="task ended"`)
	})
	if got.Parent.SpanID() != call.SpanContext.SpanID() || got.SpanContext.TraceID() != call.SpanContext.TraceID() {
		t.Error("it is not below the call that began it")
	}
	text := got.Status.Code.String() + "(" + got.Status.Description + "): " + eventsWithoutTimes(got)
	if lasting := strings.TrimSuffix(furtherProgress.ReplaceAllString(text, ""), ", "); lasting != span {
		t.Errorf("the span is\n%s, not\n%s", lasting, span)
	}
	if ended != "" && !strings.Contains(told, `msg="task ended" target=`+tool+" error_type="+ended) {
		t.Errorf("the log says\n%s", told)
	}
	checkTaskIsCounted(t, reader, tool, ended, strings.Contains(span, "retry"))
}

// checkTaskIsCounted: there is the duration of one task, none is left, and retries are counted.
func checkTaskIsCounted(t *testing.T, reader metric.Reader, tool, ended string, retried bool) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.WithoutCancel(t.Context()), &all); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				if m.Name == "bridge.task.duration" && p.Count == 1 {
					got = append(got, m.Name+" "+p.Attributes.Encoded(attribute.DefaultEncoder()))
				}
			}
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				if m.Name == "bridge.tasks.active" && p.Value == 0 || m.Name == "bridge.retries" && p.Value == 1 {
					got = append(got, m.Name+" "+p.Attributes.Encoded(attribute.DefaultEncoder()))
				}
			}
		}
	}
	slices.Sort(got)
	duration := "bridge.task.duration gen_ai.tool.name=" + tool
	switch ended {
	case "":
	case "-32603":
		duration = "bridge.task.duration error.type=" + ended + ",gen_ai.tool.name=" + tool + ",rpc.response.status_code=" + ended
	default:
		duration = "bridge.task.duration error.type=" + ended + ",gen_ai.tool.name=" + tool
	}
	want := []string{duration, "bridge.tasks.active gen_ai.tool.name=" + tool}
	if retried {
		want = slices.Insert(want, 0, "bridge.retries backend=jobs,result=made")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

// named returns the span of a name, the zero one where there is none.
func named(spans tracetest.SpanStubs, name string) tracetest.SpanStub {
	for _, s := range spans {
		if s.Name == name {
			return s
		}
	}
	return tracetest.SpanStub{}
}

// eventsWithoutTimes writes the events of a span on one line, without what is different each time.
func eventsWithoutTimes(span tracetest.SpanStub) string {
	var all []string
	for _, e := range span.Events {
		line := e.Name
		for _, a := range e.Attributes {
			if a.Key != "bridge.retry.pause_ms" {
				line += " " + string(a.Key) + "=" + a.Value.String()
			}
		}
		all = append(all, line)
	}
	return strings.Join(all, ", ")
}
