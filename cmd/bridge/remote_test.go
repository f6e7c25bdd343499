package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// answering serves one response for each request, in this order, and returns its address and what it was asked.
func answering(t *testing.T, responses ...func(http.ResponseWriter)) (address string, asked *[]*http.Request) {
	t.Helper()
	asked = new([]*http.Request)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || len(*asked) == len(responses) {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		*asked = append(*asked, r)
		responses[len(*asked)-1](w)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func says(status int, kind, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

const done = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text",` +
	`"text":"{}"}],"structuredContent":{"n":1.50}}}`

// TestRemoteAnswers: an answer comes as JSON or in a stream; whatever else comes is an error that says so.
func TestRemoteAnswers(t *testing.T) {
	t.Parallel()
	const stream = "text/event-stream"
	tests := map[string]struct {
		response func(http.ResponseWriter)
		want     string
		err      string
	}{
		"json": {says(200, "application/json; charset=utf-8", done), `{"n":1.50}`, ""},
		"stream": {
			says(200, stream, ": hello\n\nid: 1\ndata: {\"method\":\"notifications/progress\"}\n\ndata: "+done+"\n\n"), `{"n":1.50}`, "",
		},
		"in lines":   {says(200, stream, "data:{\r\ndata:"+done[1:]+"\r\n\r\n"), `{"n":1.50}`, ""},
		"ends early": {says(200, stream, "data: {\"method\":\"notifications/progress\"}\n\ndata: "+done), "", "ended without an answer"},
		"another id": {says(200, "application/json", strings.Replace(done, `"id":1`, `"id":2`, 1)), "", "no answer of MCP"},
		"refused": {
			says(400, "application/json", `{"id":null,"error":{"code":-32022,"message":"not this revision"}}`), "",
			"not this revision (error -32022)",
		},
		"no words":     {says(404, "application/json", `{"id":1,"error":{"code":-32601}}`), "", "does not say why (error -32601)"},
		"a page":       {says(200, "text/html", "<html>"), "", "HTTP status 200 OK and no answer"},
		"moved":        {says(307, "text/plain", ""), "", "HTTP status 307 Temporary Redirect"},
		"input":        {says(200, "application/json", `{"id":1,"result":{"resultType":"input_required","inputRequests":{}}}`), "", "asks its user"},
		"nothing":      {says(200, "application/json", `{"id":1,"result":{"resultType":"input_required"}}`), "", "asks its user"},
		"unknown type": {says(200, "application/json", `{"id":1,"result":{"resultType":"later"}}`), "", `unknown type "later"`},
		"no result":    {says(200, "application/json", `{"id":1,"result":[]}`), "", "not one of a tool"},
		"picture": {
			says(200, "application/json", `{"id":1,"result":{"content":[{"type":"image","data":"AA=="}],"structuredContent":{}}}`),
			`[{"type":"image","data":"AA=="}]`, "",
		},
		"plain text": {
			says(200, "application/json", `{"id":1,"result":{"content":[{"type":"text","text":"hi"}]}}`), `[{"type":"text","text":"hi"}]`, "",
		},
		"json text": {says(200, "application/json", `{"id":1,"result":{"content":[{"type":"text","text":"[1]"}]}}`), `[1]`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := answering(t, tt.response)
			result, err := newRemoteClient(address).call(t.Context(), "x", nil)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want an error with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if p := result.printed(); string(p.JSON)+string(p.Content) != tt.want {
				t.Errorf("printed %s%s, want %s", p.JSON, p.Content, tt.want)
			}
		})
	}
}

// TestRemoteRequest: one request when the tool wants no headers, with all that the revision asks for.
func TestRemoteRequest(t *testing.T) {
	t.Parallel()
	address, asked := answering(t, says(200, "application/json", done))
	if _, err := newRemoteClient(address).call(t.Context(), "büch", []byte(` {"a": 1.0} `)); err != nil {
		t.Fatal(err)
	}
	r := (*asked)[0]
	for name, want := range map[string]string{
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?YsO8Y2g=?=",
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Traceparent": "",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	var body struct {
		Params struct {
			Name      string
			Arguments json.RawMessage
			Meta      map[string]json.RawMessage `json:"_meta"`
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	if p := body.Params; p.Name != "büch" || string(p.Arguments) != `{"a":1.0}` || len(p.Meta) != 3 {
		t.Errorf("params %+v", p)
	}
}

// TestRemoteHeaders: a server that wants arguments in headers refuses, is asked for the tool, and then gets them.
func TestRemoteHeaders(t *testing.T) {
	t.Parallel()
	mismatch := says(400, "application/json", `{"id":1,"error":{"code":-32020,"message":"Mcp-Param-Region is missing"}}`)
	first := says(200, "application/json", `{"id":2,"result":{"tools":[{"name":"y"}],"nextCursor":""}}`)
	second := says(200, "application/json", `{"id":3,"result":{"tools":[{"name":"x","inputSchema":
		{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"o":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}}]}}`)
	address, asked := answering(t, mismatch, first, second, says(200, "application/json", strings.Replace(done, `"id":1`, `"id":4`, 1)))
	if _, err := newRemoteClient(address).call(t.Context(), "x", []byte(`{"region":"north","o":{"n":42}}`)); err != nil {
		t.Fatal(err)
	}
	last := (*asked)[3].Header
	if got := fmt.Sprint(last.Get("Mcp-Param-Region"), " ", last.Get("Mcp-Param-N")); got != "north 42" {
		t.Errorf("headers %q", got)
	}
	address, _ = answering(t, mismatch, says(200, "application/json", `{"id":2,"result":{"tools":[]}}`))
	if _, err := newRemoteClient(address).call(t.Context(), "x", nil); err == nil ||
		!strings.Contains(err.Error(), `"x" is not in the server's list`) {
		t.Errorf("got %v", err)
	}
}

func TestParamHeaders(t *testing.T) {
	t.Parallel()
	schema := func(property string) string { return `{"properties":{"a":` + property + `}}` }
	tests := map[string]struct{ schema, arguments, want string }{
		"string":  {schema(`{"type":"string","x-mcp-header":"A"}`), `{"a":"x y"}`, "map[Mcp-Param-A:[x y]]"},
		"boolean": {schema(`{"type":"boolean","x-mcp-header":"A"}`), `{"a":true}`, "map[Mcp-Param-A:[true]]"},
		"spaces":  {schema(`{"type":"string","x-mcp-header":"A"}`), `{"a":" x"}`, "map[Mcp-Param-A:[=?base64?IHg=?=]]"},
		"like base64": {
			schema(`{"type":"string","x-mcp-header":"A"}`), `{"a":"=?base64?QQ==?="}`, "map[Mcp-Param-A:[=?base64?PT9iYXNlNjQ/UVE9PT89?=]]",
		},
		"line end":    {schema(`{"type":"string","x-mcp-header":"A"}`), `{"a":"x\r\ny"}`, "map[Mcp-Param-A:[=?base64?eA0KeQ==?=]]"},
		"null":        {schema(`{"type":"string","x-mcp-header":"A"}`), `{"a":null}`, "map[]"},
		"absent":      {schema(`{"type":"string","x-mcp-header":"A"}`), `{}`, "map[]"},
		"no object":   {schema(`{"type":"string","x-mcp-header":"A"}`), `[1]`, "map[]"},
		"any value":   {schema(`true`), `{"a":1}`, "map[]"},
		"below items": {schema(`{"items":{"type":"string","x-mcp-header":"A"}}`), `{"a":["x"]}`, "map[]"},
		"number":      {schema(`{"type":"number","x-mcp-header":"A"}`), `{"a":1}`, "at an argument that is no string, integer or boolean"},
		"no token":    {schema(`{"type":"string","x-mcp-header":"A:"}`), `{"a":"x"}`, "no header's name"},
		"twice": {
			`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`, `{}`, "or there twice",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			headers, err := paramHeaders([]byte(tt.schema), []byte(tt.arguments))
			got := fmt.Sprint(headers)
			if err != nil {
				got = err.Error()
			}
			if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestRemoteSpan: the span is a client's, by the conventions' names, and the request is below it.
func TestRemoteSpan(t *testing.T) {
	t.Parallel()
	failed := strings.Replace(done, `"content"`, `"isError":true,"content"`, 1)
	tests := map[string]struct {
		response func(http.ResponseWriter)
		want     string
		status   codes.Code
	}{
		"ok":       {says(200, "application/json", done), "", codes.Unset},
		"tool":     {says(200, "application/json", failed), "tool_error", codes.Error},
		"protocol": {says(400, "application/json", `{"id":1,"error":{"code":-32602,"message":"unknown"}}`), "-32602", codes.Error},
		"nonsense": {says(200, "text/html", ""), "_OTHER", codes.Error},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorder := tracetest.NewSpanRecorder()
			address, asked := answering(t, tt.response)
			ctx, span := beginCall(t.Context(), sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)), address, "x")
			result, err := newRemoteClient(address).call(ctx, "x", nil)
			span.end(result, err)
			got := recorder.Ended()[0]
			if got.Name() != "tools/call x" || got.SpanKind() != trace.SpanKindClient || got.Status().Code != tt.status {
				t.Errorf("%s, a %s span with status %s", got.Name(), got.SpanKind(), got.Status().Code)
			}
			attributes := attribute.NewSet(got.Attributes()...)
			if kind, _ := attributes.Value("error.type"); kind.AsString() != tt.want {
				t.Errorf("error.type %q, want %q", kind.AsString(), tt.want)
			}
			parent := fmt.Sprintf("00-%s-%s-01", got.SpanContext().TraceID(), got.SpanContext().SpanID())
			body, err := io.ReadAll((*asked)[0].Body)
			if err != nil || !bytes.Contains(body, []byte(`"traceparent":"`+parent+`"`)) || (*asked)[0].Header.Get("Traceparent") != parent {
				t.Errorf("the request is not below %s: %s, %v", parent, body, err)
			}
			var told strings.Builder
			span.tell(&told, "http://j/{trace_id}", &remoteResult{})
			if diff := cmp.Diff("trace http://j/"+got.SpanContext().TraceID().String()+"\n", told.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	ctx, span := beginCall(context.Background(), nil, "http://x/", "x")
	span.end(&remoteResult{}, nil)
	if trace.SpanContextFromContext(ctx).IsValid() {
		t.Error("without traces there is one")
	}
}

// TestRemoteIsNamed: a call is called by its own name in traces, where the environment does not name it.
func TestRemoteIsNamed(t *testing.T) {
	for _, tt := range []struct{ variable, value, want string }{
		{"OTEL_SERVICE_NAME", "", "bridge-call"},
		{"OTEL_SERVICE_NAME", "shelf", "shelf"},
		{"OTEL_RESOURCE_ATTRIBUTES", "service.name=shelf", "shelf"},
	} {
		t.Run(tt.variable+"="+tt.value, func(t *testing.T) {
			t.Setenv(tt.variable, tt.value)
			res, err := resourceOf(t.Context(), []attribute.KeyValue{ownName})
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := res.Set().Value("service.name"); got.AsString() != tt.want {
				t.Errorf("service.name %q, want %q", got.AsString(), tt.want)
			}
		})
	}
}

// TestRemoteTraceOfFailure: where no span is recorded here, the trace is the one that the server names in a failure.
func TestRemoteTraceOfFailure(t *testing.T) {
	t.Parallel()
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	named := func(value string) string {
		return `{"isError":true,"_meta":{"io.github.mcpgrpc/traceId":` + value + `}}`
	}
	tests := map[string]struct{ result, address, want string }{
		"id":         {named(`"` + id + `"`), "", "trace " + id + "\n"},
		"address":    {named(`"` + id + `"`), "http://j/{trace_id}", "trace http://j/" + id + "\n"},
		"no failure": {strings.Replace(named(`"`+id+`"`), "true", "false", 1), "", ""},
		"no trace":   {`{"isError":true}`, "", ""},
		"of no use": {
			`{}`, "http://j/{trace_id}",
			"bridge: warning: --trace-url: no trace of this call is known: set OTEL_EXPORTER_OTLP_ENDPOINT to send one from here\n",
		},
		"no id":        {named(`"\u001b[2J"`), "", ""},
		"another type": {named(`7`), "", ""},
		"zero":         {named(`"00000000000000000000000000000000"`), "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := readResult([]byte(tt.result))
			if err != nil {
				t.Fatal(err)
			}
			_, span := beginCall(t.Context(), nil, "http://x/", "x")
			span.end(result, nil)
			var told strings.Builder
			if span.tell(&told, tt.address, result); told.String() != tt.want {
				t.Errorf("told %q, want %q", told.String(), tt.want)
			}
		})
	}
}
