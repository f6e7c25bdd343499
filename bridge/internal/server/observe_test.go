package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// The place of clients in their trace.
const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientPlace = `"traceparent":"00-` + clientTrace + `-00f067aa0ba902b7-01"`
	placedMeta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		clientPlace + `}`
)

// record has a new server of the fixture record what it does.
func (f *fixture) record(t testing.TB, config telemetry.Config, log *slog.Logger) (*tracetest.SpanRecorder, *sdkmetric.ManualReader) {
	t.Helper()
	spans, reader := tracetest.NewSpanRecorder(), sdkmetric.NewManualReader()
	config.TracerProvider = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	config.MeterProvider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	records, err := telemetry.New(config)
	if err != nil {
		t.Fatal(err)
	}
	f.server = server.New(server.Config{Gate: f.gate, Catalog: f.offers, Logger: log, Telemetry: records})
	t.Cleanup(f.server.Close)
	return spans, reader
}

// written writes a span on one line: name, parent in the client's trace or "-", status, and attributes in their order.
func written(span sdktrace.ReadOnlySpan) string {
	parent := "-"
	if span.Parent().TraceID().String() == clientTrace {
		parent = span.Parent().SpanID().String()
	}
	out := fmt.Sprintf("%s < %s %s(%s)", span.Name(), parent, span.Status().Code, span.Status().Description)
	attributes := slices.Clone(span.Attributes())
	slices.SortFunc(attributes, func(a, b attribute.KeyValue) int { return strings.Compare(string(a.Key), string(b.Key)) })
	for _, a := range attributes {
		out += " " + string(a.Key) + "=" + a.Value.String()
	}
	return out
}

// durations returns the series of mcp.server.operation.duration, as method, target and error.type, and how many requests
// are being served.
func durations(t testing.TB, reader sdkmetric.Reader) (series []string, active int64) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				series = append(series, fmt.Sprintf("%s %d", strings.TrimSpace(get(p.Attributes, "mcp.method.name")+" "+
					get(p.Attributes, "gen_ai.tool.name")+get(p.Attributes, "gen_ai.prompt.name")+" "+get(p.Attributes, "error.type")), p.Count))
			}
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				active += p.Value
			}
		}
	}
	slices.Sort(series)
	return series, active
}

func get(set attribute.Set, key attribute.Key) string {
	value, _ := set.Value(key)
	return value.String()
}

// TestSpans: one span for each request, whatever becomes of it, and none for a notification.
func TestSpans(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "GetBook: NOT_FOUND no book secret\nListBooks: {}", nil)
	spans, reader := f.record(t, telemetry.Config{}, nil)
	conn := f.gate.Stream()
	conn.SetPeer(lifecycle.Peer{Transport: "pipe"})
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, // before the handshake
		`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
			`"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":3,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"shelf_list_books","_meta":{` + clientPlace + `}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"shelf_get_book","arguments":{"name":"secret"}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"shelf_no"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"shelf_list_books","arguments":{"no":1}}}`,
		`{"jsonrpc":"2.0","id":8,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":9,"method":"server/discover"}`, // of the other era
		`{"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":"books://1"}}`,
		`{"jsonrpc":"2.0","id":"11","method":"tools/list","params":{"cursor":7}}`,
	} {
		f.server.Handle(context.Background(), conn, decode(t, text))
	}
	f.server.Handle(context.Background(), f.gate.Stream(),
		decode(t, `{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"shelf_get_book",`+placedMeta+`}}`))
	const (
		legacy = " mcp.protocol.version=2025-11-25 network.transport=pipe"
		call   = " gen_ai.operation.name=execute_tool gen_ai.tool.name="
	)
	want := []string{
		`tools/list < - Unset() error.type=-32600 jsonrpc.request.id=1 mcp.method.name=tools/list network.transport=pipe` +
			` rpc.response.status_code=-32600`,
		`initialize < - Unset() jsonrpc.request.id=2 mcp.method.name=initialize` + legacy,
		`ping < - Unset() jsonrpc.request.id=3 mcp.method.name=ping` + legacy,
		`tools/call shelf_list_books < 00f067aa0ba902b7 Unset()` + call +
			`shelf_list_books jsonrpc.request.id=4 mcp.method.name=tools/call` + legacy,
		`tools/call shelf_get_book < - Error(NOT_FOUND) error.type=tool_error` + call +
			`shelf_get_book jsonrpc.request.id=5 mcp.method.name=tools/call` + legacy,
		`tools/call < - Unset() error.type=-32602` + call + `shelf_no jsonrpc.request.id=6 mcp.method.name=tools/call` + legacy +
			` rpc.response.status_code=-32602`,
		`tools/call shelf_list_books < - Error(INVALID_ARGUMENT) error.type=tool_error` + call +
			`shelf_list_books jsonrpc.request.id=7 mcp.method.name=tools/call` + legacy,
		`_OTHER < - Unset() error.type=-32601 jsonrpc.request.id=8 mcp.method.name=_OTHER` + legacy + ` rpc.response.status_code=-32601`,
		`server/discover < - Unset() error.type=-32601 jsonrpc.request.id=9 mcp.method.name=server/discover` + legacy +
			` rpc.response.status_code=-32601`,
		`resources/read < - Unset() error.type=-32002 jsonrpc.request.id=10 mcp.method.name=resources/read` + strings.Replace(legacy, " network",
			" mcp.resource.uri=books://1 network", 1) + ` rpc.response.status_code=-32002`,
		`tools/list < - Unset() error.type=-32602 jsonrpc.request.id=11 mcp.method.name=tools/list` + legacy + ` rpc.response.status_code=-32602`,
		`tools/call shelf_get_book < 00f067aa0ba902b7 Error(NOT_FOUND) error.type=tool_error` + call +
			`shelf_get_book jsonrpc.request.id=12 mcp.method.name=tools/call mcp.protocol.version=2026-07-28`,
	}
	var got []string
	for _, span := range spans.Ended() {
		got = append(got, written(span))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	series, active := durations(t, reader)
	if len(series) != 12 || active != 0 || slices.ContainsFunc(series, func(s string) bool { return strings.Contains(s, "no") }) {
		t.Errorf("%d requests are served, and durations are of %s", active, series)
	}
}

// TestSpansOfBackendErrors: where a method's results cannot say that they are failures either, its span has the code of the
// backend's error and not its text, which the client has.
func TestSpansOfBackendErrors(t *testing.T) {
	t.Parallel()
	for method, params := range counted {
		if method == "tools/call" {
			continue
		}
		f := newFixtureOf(t, desk, "GetRules: ABORTED a canary\nSummarise: ABORTED a canary", nil)
		spans, _ := f.record(t, telemetry.Config{}, nil)
		body := f.server.Handle(t.Context(), f.gate.Stream(),
			decode(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`,`+placedMeta+`}}`)).Body
		if !bytes.Contains(body, []byte("canary")) {
			t.Errorf("%s: the client is told %s", method, body)
		}
		if got := written(spans.Ended()[0]); !strings.Contains(got, "Error(ABORTED)") || strings.Contains(got, "canary") {
			t.Errorf("the span of %s is %s", method, got)
		}
	}
}

// TestSpansOfSessions: the id of a session is on the spans of the legacy era alone, and the peer's address on all.
func TestSpansOfSessions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "ListBooks: {}", nil)
	spans, _ := f.record(t, telemetry.Config{}, nil)
	legacy := f.open(t)
	peer := lifecycle.Peer{Transport: "tcp", Protocol: "http", ProtocolVersion: "2", Address: "192.0.2.1", Port: 4711}
	modern := lifecycle.Headers{ProtocolVersion: "2026-07-28", HasProtocolVersion: true, Method: "tools/list", HasMethod: true}
	for _, c := range []struct {
		headers lifecycle.Headers
		text    string
	}{
		{legacy, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		{modern, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`},
	} {
		msg := decode(t, c.text)
		conn, refusal := f.gate.Post(context.Background(), c.headers, &msg, "")
		if refusal != nil {
			t.Fatal(refusal.Error)
		}
		conn.SetPeer(peer)
		f.server.Handle(context.Background(), conn, msg)
	}
	ended := spans.Ended()
	if opened := written(ended[0]); len(ended) != 3 || !strings.Contains(opened, " mcp.session.id="+legacy.SessionID) {
		t.Errorf("initialize: %s", opened)
	}
	for _, span := range ended[1:] {
		line := written(span)
		session := strings.Contains(line, " mcp.session.id="+legacy.SessionID)
		if session == strings.Contains(line, "2026-07-28") || strings.Count(line, "session") > 1 {
			t.Errorf("session: %s", line)
		}
		if !strings.Contains(line, "client.address=192.0.2.1 client.port=4711") ||
			!strings.Contains(line, "network.protocol.name=http network.protocol.version=2 network.transport=tcp") {
			t.Errorf("peer: %s", line)
		}
	}
}

// TestSpansOfWhatIsCancelled: a call that its client withdraws, and a stream that ends as streams do.
func TestSpansOfWhatIsCancelled(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "DustShelf: hangs", nil)
		spans, reader := f.record(t, telemetry.Config{}, nil)
		conn := f.gate.Stream()
		for i, request := range []string{
			`"tools/call","params":{"name":"shelf_dust_shelf",`,
			`"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`,
		} {
			text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s%s}}`, i, request, modernMeta)
			call := f.server.Admit(context.Background(), conn, decode(t, text), &tape{})
			done := make(chan server.Reply)
			go func() { done <- call.Run() }()
			synctest.Wait()
			if _, active := durations(t, reader); active != 1 {
				t.Errorf("%d requests are being served", active)
			}
			f.server.Handle(context.Background(), conn,
				decode(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i)))
			if reply := <-done; len(reply.Body) > 0 {
				t.Errorf("answered: %s", reply.Body)
			}
		}
		series, active := durations(t, reader)
		if diff := cmp.Diff([]string{"subscriptions/listen 1", "tools/call shelf_dust_shelf cancelled 1"}, series); diff != "" || active != 0 {
			t.Errorf("%d active, (-want +got):\n%s", active, diff)
		}
		if got := written(spans.Ended()[0]); !strings.HasPrefix(got, "tools/call shelf_dust_shelf < - Unset() error.type=cancelled") {
			t.Errorf("got %s", got)
		}
		if got := written(spans.Ended()[1]); !strings.HasPrefix(got, "subscriptions/listen < - Unset() jsonrpc") {
			t.Errorf("got %s", got)
		}
	})
}

// TestSpanOfStop: what a transport that closes cuts short is no cancellation.
func TestSpanOfStop(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "DustShelf: hangs", nil)
		spans, _ := f.record(t, telemetry.Config{}, nil)
		ctx, stop := context.WithCancelCause(context.Background())
		call := f.server.Admit(ctx, f.gate.Stream(),
			decode(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shelf_dust_shelf",`+modernMeta+`}}`), nil)
		stop(server.ErrStopped)
		call.Run()
		want := "tools/call shelf_dust_shelf < - Error(" + server.ErrStopped.Error() + ") error.type=-32603"
		if got := written(spans.Ended()[0]); !strings.HasPrefix(got, want) {
			t.Errorf("got %s", got)
		}
	})
}

// TestSpanOfPanic: a fault of ours is the request's, and the span ends all the same.
func TestSpanOfPanic(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	asked := 0
	f.offers = func() *catalog.Catalog {
		if asked++; asked == 2 { // first for the observation, then for the call
			panic("a fault of the test")
		}
		return f.offered.Load()
	}
	spans, _ := f.record(t, telemetry.Config{}, nil)
	if a := f.call(t, context.Background(), "shelf_get_book", `{}`); a.Error == nil || a.Error.Code != -32603 {
		t.Errorf("answered: %s", a.Result)
	}
	want := "tools/call shelf_get_book < - Error(internal error: the bridge's log says more) error.type=-32603"
	if got := written(spans.Ended()[0]); !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
}

// TestSpansInSearchMode: names are those of the three tools, and what they are to call is none of them.
func TestSpansInSearchMode(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "ListBooks: {}", nil)
	f.search(t)
	spans, _ := f.record(t, telemetry.Config{}, nil)
	f.call(t, context.Background(), "call_method", `{"name":"shelf_list_books"}`)
	f.call(t, context.Background(), "search_methods", `{"query":7}`)
	f.call(t, context.Background(), "shelf_list_books", `{}`)
	var got []string
	for _, span := range spans.Ended() {
		got = append(got, strings.TrimSpace(span.Name()+" "+span.Status().Description))
	}
	if diff := cmp.Diff([]string{"tools/call call_method", "tools/call search_methods INVALID_ARGUMENT", "tools/call"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestContent: what is recorded of a call when that is asked for, and then of tools alone.
func TestContent(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		f := newFixture(t, `GetBook: {"title":"Dune"}`, nil)
		spans, _ := f.record(t, telemetry.Config{RecordContent: on}, nil)
		f.call(t, context.Background(), "shelf_get_book", `{"name":"d\u00fcne"}`)
		f.call(t, context.Background(), "shelf_get_book", `{"name":7}`)
		line, refused := written(spans.Ended()[0]), written(spans.Ended()[1])
		content := strings.Contains(line, `gen_ai.tool.call.arguments={"name":"düne"} gen_ai.tool.call.result={"title":"Dune"}`)
		if content != on || strings.Contains(line, "ne") && strings.Contains(line, "gen_ai.tool.call") != on {
			t.Errorf("%v: %s", on, line)
		}
		if strings.Contains(refused, "gen_ai.tool.call") {
			t.Errorf("arguments that do not fit: %s", refused)
		}
	}
}

// TestTraceIDOfFailures: with telemetry, every failed tool has a trace, the client's or a new one.
func TestTraceIDOfFailures(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "GetBook: NOT_FOUND no", nil)
	spans, _ := f.record(t, telemetry.Config{}, nil)
	a := f.call(t, context.Background(), "shelf_get_book", `{}`)
	var result struct {
		Meta map[string]any `json:"_meta"`
	}
	if err := json.Unmarshal(a.Result, &result); err != nil {
		t.Fatal(err)
	}
	if want := spans.Ended()[0].SpanContext().TraceID().String(); result.Meta["io.github.mcpgrpc/traceId"] != want || len(result.Meta) != 3 {
		t.Errorf("got %v, want the trace %s", result.Meta, want)
	}
}

// TestDebugLog: a line for each request, with the trace and without what was said in it.
func TestDebugLog(t *testing.T) {
	t.Parallel()
	for level, lines := range map[slog.Level]int{slog.LevelDebug: 2, slog.LevelInfo: 0} {
		var out bytes.Buffer
		log := slog.New(telemetry.LogHandler(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: level})))
		f := newFixture(t, "GetBook: NOT_FOUND no book secret", log)
		for _, method := range []string{"tools/call", "resources/read"} {
			f.server.Handle(context.Background(), f.gate.Stream(), decode(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`",`+
				`"params":{"name":"shelf_get_book","uri":"secret://1","arguments":{"name":"secret"},`+placedMeta+`}}`))
		}
		if strings.Contains(out.String(), "secret") || strings.Count(out.String(), "\n") != lines ||
			strings.Count(out.String(), `"trace_id":"`+clientTrace+`","span_id":"00f067aa0ba902b7"`) != lines {
			t.Errorf("%v: %s", level, out.String())
		}
		const line = `"msg":"served","method":"tools/call","target":"shelf_get_book","error_type":"tool_error","duration":`
		if lines > 0 && !strings.Contains(out.String(), line) {
			t.Errorf("got %s", out.String())
		}
	}
}
