package server_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// refusedPosts are POSTs that the gate refuses, by their headers Mcp-Protocol-Version, Mcp-Method and Mcp-Name and their
// bodies, each with the line of its span; "" for none.
var refusedPosts = []struct{ version, method, name, body, span string }{
	{
		"2026-07-28", "tools/call", "canary", `"id":1,"method":"tools/call","params":{"name":"shelf_get_book",` + placedMeta + `}`,
		`tools/call shelf_get_book < 00f067aa0ba902b7 Unset() -32020`,
	},
	{
		"2026-07-28", "canary", "", `"id":2,"method":"tools/list","params":{` + modernMeta + `}`,
		`tools/list < http Unset() -32020`,
	},
	{
		"2027-03-30", "tools/list", "", `"id":3,"method":"tools/list"`,
		`tools/list < http Unset() -32022`,
	},
	{
		"2026-07-28", "resources/read", "file:///canary", `"id":4,"method":"resources/read","params":{"uri":"books://1",` + modernMeta + `}`,
		`resources/read < http Unset() -32020`,
	},
	{
		"2026-07-28", "tools/list", "", `"id":5,"method":"tools/list","params":{}`,
		`tools/list < http Unset() -32602`,
	},
	{
		"2026-07-28", "no/such", "", `"id":6,"method":"canary","params":{` + modernMeta + `}`,
		`_OTHER < http Unset() -32020`,
	},
	{"2027-03-30", "", "", `"method":"notifications/cancelled"`, ""},
	{"2026-07-28", "", "", `"id":7,"result":{}`, ""},
	{"2025-11-25", "", "", `"id":8,"method":"tools/list"`, ""}, // of no session
}

// place is where the span of the HTTP request stands.
func place(t *testing.T) trace.SpanContext {
	t.Helper()
	id, err := trace.TraceIDFromHex("0102030405060708090a0b0c0d0e0f10")
	if err != nil {
		t.Fatal(err)
	}
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID{1}, TraceFlags: trace.FlagsSampled})
}

// TestRefusedPostsAreObserved: a request of the modern era that is refused for its headers or its version has a span, where
// its metadata says or else below that of the HTTP request, and a duration, as one that is answered with an error; what the
// client chose makes no series, and the values that contradict each other stand in no log. The line of the log is in the trace of
// the span.
func TestRefusedPostsAreObserved(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	var logged bytes.Buffer
	log := slog.New(telemetry.LogHandler(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	spans, reader := f.record(t, telemetry.Config{}, log)
	h := streamable.New(streamable.Config{Server: f.server, Gate: f.gate, Logger: log})
	var want []string
	for _, p := range refusedPosts {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(`{"jsonrpc":"2.0",`+p.body+`}`))
		r = r.WithContext(trace.ContextWithSpanContext(r.Context(), place(t)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range map[string]string{"Mcp-Protocol-Version": p.version, "Mcp-Method": p.method, "Mcp-Name": p.name} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if said := w.Body.String(); w.Code != http.StatusBadRequest ||
			strings.Contains(p.method+p.name+p.body, "canary") != strings.Contains(said, "canary") {
			t.Errorf("%s: %d %s", p.body, w.Code, said)
		}
		if p.span != "" {
			want = append(want, p.span)
		}
	}
	var got []string
	for _, span := range spans.Ended() {
		line, rest, _ := strings.Cut(written(span), " error.type=")
		code, _, _ := strings.Cut(rest, " ")
		if span.Parent().Equal(place(t).WithRemote(span.Parent().IsRemote())) {
			line = strings.Replace(line, "< -", "< http", 1)
		}
		if !strings.Contains(rest, " network.protocol.name=http") || !strings.Contains(rest, " rpc.response.status_code="+code) {
			t.Errorf("attributes: %s", rest)
		}
		line, _, _ = strings.Cut(line, " client.address")
		got = append(got, line+" "+code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	series, active := durations(t, reader)
	if diff := cmp.Diff([]string{
		"_OTHER  -32020 1", "resources/read  -32020 1", "tools/call shelf_get_book -32020 1",
		"tools/list  -32020 1", "tools/list  -32022 1", "tools/list  -32602 1",
	}, series); diff != "" || active != 0 {
		t.Errorf("%d active, durations (-want +got):\n%s", active, diff)
	}
	text := logged.String()
	if strings.Count(text, "request refused") != len(refusedPosts) || strings.Contains(text, "canary") {
		t.Errorf("logged: %s", text)
	}
	if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(first, "trace_id=4bf92f3577b34da6a3ce929d0e0e4736") {
		t.Errorf("the line of a request that has a trace is not in it: %s", first)
	}
}
