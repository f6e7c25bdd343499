package telemetry_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// call is a request that most cases vary.
var call = telemetry.Request{
	Method: "tools/call", Tool: "library_get_book", Known: true, ID: "7", Version: "2026-07-28",
	Transport: "tcp", Protocol: "http", ProtocolVersion: "1.1", ClientAddress: "192.0.2.1", ClientPort: 4711,
}

// common are the attributes of call's series, and own those of the request alone.
const (
	common = "gen_ai.operation.name=execute_tool gen_ai.tool.name=library_get_book mcp.method.name=tools/call" +
		" mcp.protocol.version=2026-07-28 network.protocol.name=http network.protocol.version=1.1 network.transport=tcp"
	own = "client.address=192.0.2.1 client.port=4711"
)

// operationCase is a request and what is recorded of it.
type operationCase struct {
	change  func(*telemetry.Request)
	out     telemetry.Outcome
	span    string   // "tools/call library_get_book" when empty
	without []string // of common and own
	with    string   // beyond common and own, on the span
	counted string   // beyond common, in the metric
	status  sdktrace.Status
}

// operationCases vary call.
var operationCases = map[string]operationCase{
	"ok": {with: "jsonrpc.request.id=7"},
	"tool error": {
		out:  telemetry.Outcome{ToolError: true, Status: "NOT_FOUND"},
		with: "error.type=tool_error jsonrpc.request.id=7", counted: "error.type=tool_error",
		status: sdktrace.Status{Code: codes.Error, Description: "NOT_FOUND"},
	},
	"invalid params": {
		out:     telemetry.Outcome{Code: -32602, Message: "unknown"},
		with:    "error.type=-32602 jsonrpc.request.id=7 rpc.response.status_code=-32602",
		counted: "error.type=-32602 rpc.response.status_code=-32602",
	},
	"internal error": {
		out:     telemetry.Outcome{Code: -32603, Message: "internal error"},
		with:    "error.type=-32603 jsonrpc.request.id=7 rpc.response.status_code=-32603",
		counted: "error.type=-32603 rpc.response.status_code=-32603",
		status:  sdktrace.Status{Code: codes.Error, Description: "internal error"},
	},
	"cancelled": {
		out:  telemetry.Outcome{Cancelled: true},
		with: "error.type=cancelled jsonrpc.request.id=7", counted: "error.type=cancelled",
	},
	"unknown tool": {
		change:  func(r *telemetry.Request) { r.Tool, r.Known = "no_such", false },
		out:     telemetry.Outcome{Code: -32602},
		span:    "tools/call",
		without: []string{"gen_ai.tool.name=library_get_book"},
		with:    "error.type=-32602 gen_ai.tool.name=no_such jsonrpc.request.id=7 rpc.response.status_code=-32602",
		counted: "error.type=-32602 rpc.response.status_code=-32602",
	},
	"unknown method": {
		change:  func(r *telemetry.Request) { r.Method, r.Tool, r.Known = "", "", false },
		out:     telemetry.Outcome{Code: -32601},
		span:    "_OTHER",
		without: []string{"gen_ai.operation.name=execute_tool", "gen_ai.tool.name=library_get_book", "mcp.method.name=tools/call"},
		with:    "error.type=-32601 jsonrpc.request.id=7 mcp.method.name=_OTHER rpc.response.status_code=-32601",
		counted: "error.type=-32601 mcp.method.name=_OTHER rpc.response.status_code=-32601",
	},
	"prompt": {
		change:  func(r *telemetry.Request) { r.Method, r.Tool, r.Prompt = "prompts/get", "", "greet" },
		span:    "prompts/get greet",
		without: []string{"gen_ai.operation.name=execute_tool", "gen_ai.tool.name=library_get_book", "mcp.method.name=tools/call"},
		with:    "gen_ai.prompt.name=greet jsonrpc.request.id=7 mcp.method.name=prompts/get",
		counted: "gen_ai.prompt.name=greet mcp.method.name=prompts/get",
	},
	"unknown prompt": {
		change:  func(r *telemetry.Request) { r.Method, r.Tool, r.Prompt, r.Known = "prompts/get", "", "greet", false },
		span:    "prompts/get",
		without: []string{"gen_ai.operation.name=execute_tool", "gen_ai.tool.name=library_get_book", "mcp.method.name=tools/call"},
		with:    "gen_ai.prompt.name=greet jsonrpc.request.id=7 mcp.method.name=prompts/get",
		counted: "mcp.method.name=prompts/get",
	},
	"resource": {
		change: func(r *telemetry.Request) {
			r.Method, r.Tool, r.Known, r.ResourceURI = "resources/read", "", false, "books://1"
		},
		span:    "resources/read",
		without: []string{"gen_ai.operation.name=execute_tool", "gen_ai.tool.name=library_get_book", "mcp.method.name=tools/call"},
		with:    "jsonrpc.request.id=7 mcp.method.name=resources/read mcp.resource.uri=books://1",
		counted: "mcp.method.name=resources/read",
	},
	"legacy session": {
		change:  func(r *telemetry.Request) { r.Version, r.SessionID, r.ID = "2025-11-25", "s1", `"a\"b"` },
		without: []string{"mcp.protocol.version=2026-07-28"},
		with:    `jsonrpc.request.id=a"b mcp.protocol.version=2025-11-25 mcp.session.id=s1`,
		counted: "mcp.protocol.version=2025-11-25",
	},
	"stdio": {
		change: func(r *telemetry.Request) {
			r.Transport, r.Protocol, r.ProtocolVersion, r.ClientAddress, r.ClientPort = "pipe", "", "", "", 0
		},
		without: []string{
			"network.protocol.name=http", "network.protocol.version=1.1", "network.transport=tcp", "client.address=192.0.2.1",
			"client.port=4711",
		},
		with:    "jsonrpc.request.id=7 network.transport=pipe",
		counted: "network.transport=pipe",
	},
	"version of HTTP that there is not": {
		change:  func(r *telemetry.Request) { r.ProtocolVersion = "1.7" },
		without: []string{"network.protocol.version=1.1"},
		with:    "jsonrpc.request.id=7",
	},
}

// TestOperation holds names, status and attributes against semantic conventions for MCP, "Server".
func TestOperation(t *testing.T) {
	t.Parallel()
	for name, c := range operationCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, request := newRecorder(t, telemetry.Config{}, sdktrace.AlwaysSample()), call
			if c.change != nil {
				c.change(&request)
			}
			_, o := r.Start(context.Background(), &request)
			o.End(c.out)
			span := r.span(t)
			if want := orDefault(c.span, "tools/call library_get_book"); span.Name() != want || span.SpanKind() != trace.SpanKindServer {
				t.Errorf("got a span %q of kind %v", span.Name(), span.SpanKind())
			}
			if diff := cmp.Diff(merged(c.without, common, own, c.with), strings.Fields(text(span.Attributes()))); diff != "" {
				t.Errorf("attributes of the span (-want +got):\n%s", diff)
			}
			if span.Status() != c.status {
				t.Errorf("status: got %+v, want %+v", span.Status(), c.status)
			}
			if span.Parent().IsValid() || len(span.Links()) > 0 {
				t.Errorf("a parent or a link of nothing: %v %v", span.Parent(), span.Links())
			}
			want := []string{
				"bridge.requests.active{mcp.method.name=" + orDefault(request.Method, "_OTHER") + "} 0",
				"mcp.server.operation.duration{" + strings.Join(merged(c.without, common, c.counted), " ") + "} 1",
			}
			if diff := cmp.Diff(want, r.metrics(t)); diff != "" {
				t.Errorf("metrics (-want +got):\n%s", diff)
			}
		})
	}
}

// merged returns attributes, sorted, but for some.
func merged(without []string, parts ...string) []string {
	var out []attribute.KeyValue
	for _, field := range strings.Fields(strings.Join(parts, " ")) {
		if key, value, _ := strings.Cut(field, "="); !contains(without, field) {
			out = append(out, attribute.String(key, value))
		}
	}
	return strings.Fields(text(out))
}

func contains(list []string, item string) bool {
	for _, s := range list {
		if s == item {
			return true
		}
	}
	return false
}

func orDefault(text, usual string) string {
	if text == "" {
		return usual
	}
	return text
}

// TestStatus: which codes are the server's fault.
func TestStatus(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]codes.Code{
		-32700: codes.Unset, -32600: codes.Unset, -32601: codes.Unset, -32602: codes.Unset, -32002: codes.Unset,
		-32020: codes.Unset, -32021: codes.Unset, -32022: codes.Unset,
		-32603: codes.Error, -32000: codes.Error, -32001: codes.Error, -32019: codes.Error, -32023: codes.Error, -32099: codes.Error,
		-32100: codes.Unset, 1: codes.Unset,
	} {
		r := newRecorder(t, telemetry.Config{}, sdktrace.AlwaysSample())
		request := call
		_, o := r.Start(context.Background(), &request)
		o.End(telemetry.Outcome{Code: code, Message: strings.Repeat("x", 1000)})
		if got := r.span(t).Status(); got.Code != want || len(got.Description) > 512 {
			t.Errorf("%d: got %v", code, got)
		}
	}
}

// TestParent: the place in _meta goes before the span around the request, to which it then is linked.
func TestParent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ambient       bool
		parent, state string
		want          string // trace and span of the parent; "" for none
		linked        bool
	}{
		"neither":         {},
		"meta":            {parent: traceParent, want: traceID + " " + parentSpan},
		"HTTP":            {ambient: true, want: ambientTrace + " " + ambientSpan},
		"both":            {ambient: true, parent: traceParent, state: "a=1", want: traceID + " " + parentSpan, linked: true},
		"meta is nothing": {ambient: true, parent: "00-00-00-00", want: ambientTrace + " " + ambientSpan},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, r, request := context.Background(), newRecorder(t, telemetry.Config{}, sdktrace.AlwaysSample()), call
			if c.ambient {
				ctx = ambient(t)
			}
			request.TraceParent, request.TraceState = c.parent, c.state
			ctx, o := r.Start(ctx, &request)
			o.End(telemetry.Outcome{})
			span := r.span(t)
			got := ""
			if span.Parent().IsValid() {
				got = span.Parent().TraceID().String() + " " + span.Parent().SpanID().String()
			}
			if got != c.want || span.Parent().TraceState().String() != c.state {
				t.Errorf("parent: got %q %q, want %q %q", got, span.Parent().TraceState(), c.want, c.state)
			}
			if spanID(ctx) != span.SpanContext().SpanID().String() || telemetry.TraceID(ctx) != span.SpanContext().TraceID().String() {
				t.Error("the context does not carry the span")
			}
			if (len(span.Links()) == 1) != c.linked || c.linked && span.Links()[0].SpanContext.SpanID().String() != ambientSpan {
				t.Errorf("links: %v", span.Links())
			}
		})
	}
}

func TestOpened(t *testing.T) {
	t.Parallel()
	r := newRecorder(t, telemetry.Config{}, sdktrace.AlwaysSample())
	_, o := r.Start(context.Background(), &telemetry.Request{Method: "initialize", ID: "1", Transport: "tcp"})
	o.Opened("2025-06-18", "s1")
	o.End(telemetry.Outcome{})
	want := "jsonrpc.request.id=1 mcp.method.name=initialize mcp.protocol.version=2025-06-18 mcp.session.id=s1 network.transport=tcp"
	if got := text(r.span(t).Attributes()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	const counted = "mcp.server.operation.duration{mcp.method.name=initialize mcp.protocol.version=2025-06-18 network.transport=tcp} 1"
	if got := r.metrics(t); got[1] != counted {
		t.Errorf("got %s", got)
	}
}

// TestUnsampled: a request of which nothing is kept still has its place in the trace, and its duration counts.
func TestUnsampled(t *testing.T) {
	t.Parallel()
	r, request := newRecorder(t, telemetry.Config{RecordContent: true}, sdktrace.NeverSample()), call
	request.TraceParent = traceParent
	ctx, o := r.Start(context.Background(), &request)
	if o.Content() {
		t.Error("content is recorded of a span that is not kept")
	}
	o.End(telemetry.Outcome{})
	if telemetry.TraceID(ctx) != traceID || spanID(ctx) == parentSpan || trace.SpanContextFromContext(ctx).IsSampled() {
		t.Errorf("got the place %v", trace.SpanContextFromContext(ctx))
	}
	if got := r.metrics(t); len(got) != 2 || len(r.spans.Ended()) > 0 {
		t.Errorf("got %s and %d spans", got, len(r.spans.Ended()))
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		r, request := newRecorder(t, telemetry.Config{RecordContent: on}, sdktrace.AlwaysSample()), call
		_, o := r.Start(context.Background(), &request)
		o.Arguments([]byte(`{"a":1}`))
		o.Result([]byte(strings.Repeat("é", 5000)))
		o.End(telemetry.Outcome{})
		got := map[attribute.Key]string{}
		for _, a := range r.span(t).Attributes() {
			got[a.Key] = a.Value.String()
		}
		arguments, result := got["gen_ai.tool.call.arguments"], got["gen_ai.tool.call.result"]
		if on != o.Content() || on != (arguments == `{"a":1}`) || on != (result != "") {
			t.Errorf("content %v: got %q and %d bytes", on, arguments, len(result))
		}
		if on && (len(result) > 8192 || len(result) < 8185 || strings.Trim(result, "é…") != "") {
			t.Errorf("a result is cut to %d bytes, or within a character", len(result))
		}
	}
}

// TestLongTexts: what a client chooses is cut.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	for _, request := range []telemetry.Request{
		{Method: "tools/call", Tool: long, ID: `"` + long + `"`},
		{Method: "prompts/get", Prompt: long},
		{Method: "resources/read", ResourceURI: long},
	} {
		r := newRecorder(t, telemetry.Config{}, sdktrace.AlwaysSample())
		_, o := r.Start(context.Background(), &request)
		o.End(telemetry.Outcome{})
		if got := text(r.span(t).Attributes()); len(got) > 1500 || r.span(t).Name() != request.Method {
			t.Errorf("%s: %d bytes of attributes", request.Method, len(got))
		}
	}
}
