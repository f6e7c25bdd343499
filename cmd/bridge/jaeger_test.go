//go:build real

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// traceCase is a request of a client, and the spans that it leads to: a line each, with the events in brackets, those below
// another indented. In them %tool is the name of the tool, %id the id of the request, %version the revision, %transport that of
// the connection, and %session the id of the session with its name, or nothing.
type traceCase struct {
	name            string
	tool, arguments string
	key             string // of the execution during which the client changes its mind; "" for a call that ends
	body            string // in the answer; %trace is the id of the trace
	header          bool   // whether the trace is in the headers of HTTP, not in _meta
	spans           string
}

const calledAttributes = ` gen_ai.operation.name=execute_tool gen_ai.tool.name=%tool jsonrpc.request.id=%id mcp.method.name=tools/call` +
	` mcp.protocol.version=%version%session network.transport=%transport`

var traceCases = []traceCase{
	{
		name: "ok", tool: "library_get_book", arguments: `{"name":"books/dune"}`, body: `"title"`,
		spans: `
client CLIENT %tool
 bridge SERVER tools/call %tool` + calledAttributes + ` link=POST /mcp
  bridge CLIENT library.v1.LibraryService/GetBook rpc.response.status_code=OK
   samples SERVER library.v1.LibraryService/GetBook rpc.response.status_code=OK`,
	},
	{
		name: "backend error", tool: "library_get_book", arguments: `{"name":"books/none"}`, body: `"io.github.mcpgrpc/traceId":"%trace"`,
		spans: `
client CLIENT %tool
 bridge SERVER tools/call %tool ERROR(NOT_FOUND) error.type=tool_error` + calledAttributes + ` link=POST /mcp
  bridge CLIENT library.v1.LibraryService/GetBook ERROR rpc.response.status_code=NOT_FOUND
   samples SERVER library.v1.LibraryService/GetBook rpc.response.status_code=NOT_FOUND`,
	},
	{
		name: "protocol error", tool: "no_such_tool", arguments: `{}`, body: `"code":-32602`,
		spans: `
client CLIENT %tool
 bridge SERVER tools/call error.type=-32602` + calledAttributes + ` rpc.response.status_code=-32602 link=POST /mcp`,
	},
	{
		name: "cancelled", tool: "echo_delay", arguments: `{"delay":"60s","key":"%key"}`, key: "%key",
		spans: `
client CLIENT %tool
 bridge SERVER tools/call %tool error.type=cancelled` + calledAttributes + ` link=POST /mcp
  bridge CLIENT echo.v1.EchoService/Delay ERROR rpc.response.status_code=CANCELLED
   samples SERVER echo.v1.EchoService/Delay rpc.response.status_code=CANCELLED`,
	},
	{
		name: "trace in headers", tool: "library_get_book", arguments: `{"name":"books/dune"}`, body: `"title"`, header: true,
		spans: `
client CLIENT %tool
 bridge SERVER POST /mcp
  bridge SERVER tools/call %tool` + calledAttributes + `
   bridge CLIENT library.v1.LibraryService/GetBook rpc.response.status_code=OK
    samples SERVER library.v1.LibraryService/GetBook rpc.response.status_code=OK`,
	},
}

// TestRealJaeger: what a client, the bridge and a backend send to Jaeger comes back as one trace for each call, in both eras
// and over both transports, whichever way the call ends, and however often the client is told or asked something before.
func TestRealJaeger(t *testing.T) {
	otlp, query := os.Getenv("JAEGER_OTLP"), os.Getenv("JAEGER_QUERY")
	if otlp == "" || query == "" {
		t.Skip("JAEGER_OTLP and JAEGER_QUERY do not say where Jaeger is, such as 127.0.0.1:4317 and http://127.0.0.1:16686")
	}
	env := append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+otlp, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
		"OTEL_METRICS_EXPORTER=none", "OTEL_BSP_SCHEDULE_DELAY=50")
	backend := runSamples(t, append(env, "OTEL_SERVICE_NAME=samples"))
	var log lockedBuffer
	runUntilEnd(t, &log, env, "serve", "--listen", "127.0.0.1:0", "--backend", backend, "--plaintext")
	log.waitFor(t, "msg=ready")
	url := regexp.MustCompile(`url=(\S+)`).FindStringSubmatch(log.String())[1]
	j := &jaegerTest{query: query, backend: backend, tracer: clientTracer(t, otlp)}
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version+"/http", func(t *testing.T) { j.check(t, openHTTP(t, url, version)) })
		t.Run(version+"/stdio", func(t *testing.T) {
			j.check(t, openPipe(t, env, version, "--backend", backend, "--plaintext"))
		})
	}
}

// jaegerTest is what the cases have in common.
type jaegerTest struct {
	query, backend string
	tracer         trace.Tracer
	asked          int
}

// check plays the cases over a connection.
func (j *jaegerTest) check(t *testing.T, c tracedClient) {
	t.Helper()
	for _, tt := range traceCases {
		if tt.header && c.transport != "tcp" {
			continue
		}
		t.Run(tt.name, func(t *testing.T) { j.checkCase(t, c, tt) })
	}
	j.checkAsked(t, c)
}

func (j *jaegerTest) checkCase(t *testing.T, c tracedClient, tt traceCase) {
	t.Helper()
	r := j.begin(t, tt.tool, "")
	key := fmt.Sprintf("jaeger-%d-%d", os.Getpid(), r.id)
	r.arguments, r.header = strings.ReplaceAll(tt.arguments, "%key", key), tt.header
	if tt.key != "" {
		c.abandon(t, r, func() { waitForExecution(t, j.backend, key) })
	} else {
		body := c.ask(t, r)
		if want := strings.ReplaceAll(tt.body, "%trace", r.trace()); !strings.Contains(body, want) {
			t.Errorf("there is no %s in %s", want, body)
		}
	}
	r.span.End()
	j.compare(t, c, r, tt.spans)
}

// begin begins a span of the client and a request at its place; the ids of requests follow one another.
func (j *jaegerTest) begin(t *testing.T, tool, arguments string) tracedRequest {
	t.Helper()
	j.asked++
	r := tracedRequest{id: j.asked + 1000, tool: tool, arguments: arguments}
	_, r.span = j.tracer.Start(t.Context(), tool, trace.WithSpanKind(trace.SpanKindClient)) //nolint:spancheck // who makes the request ends it
	r.place = fmt.Sprintf("00-%s-%s-01", r.trace(), r.span.SpanContext().SpanID())
	return r
}

// compare checks what Jaeger has of the trace of a request.
func (j *jaegerTest) compare(t *testing.T, c tracedClient, r tracedRequest, spans string) {
	t.Helper()
	j.compareLongest(t, c, r, spans, "")
}

// compareLongest is compare where those of more, which begins a line, may follow any number of times.
func (j *jaegerTest) compareLongest(t *testing.T, c tracedClient, r tracedRequest, spans, more string) {
	t.Helper()
	session := ""
	if c.session != "" {
		session = " mcp.session.id=" + c.session
	}
	want := strings.NewReplacer("%tool", r.tool, "%id", fmt.Sprint(r.id), "%version", c.version, "%transport", c.transport,
		"%session", session).Replace(strings.TrimSpace(spans))
	if c.transport != "tcp" {
		want = strings.ReplaceAll(want, " link=POST /mcp", "")
	}
	got := j.read(t, r.trace(), strings.Count(want, "\n")+1)
	for more != "" && strings.Count(got, "\n") > strings.Count(want, "\n") {
		want += more
		got = j.read(t, r.trace(), strings.Count(want, "\n")+1)
	}
	if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the trace of the call (-want +got):\n%s", diff)
	}
}

// clientTracer makes the spans of the client, and sends each as it ends.
func clientTracer(t *testing.T, otlp string) trace.Tracer {
	t.Helper()
	exporter, err := otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpoint(otlp), otlptracegrpc.WithInsecure())
	if err != nil {
		t.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter), sdktrace.WithSampler(sdktrace.AlwaysSample()),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "client"))))
	t.Cleanup(func() { _ = provider.Shutdown(context.WithoutCancel(t.Context())) })
	return provider.Tracer("test")
}

// runSamples builds and runs the sample services as a process of their own and returns their address.
func runSamples(t *testing.T, env []string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "serve")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, "../../services/serve").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var log lockedBuffer
	cmd := exec.Command(file, "--listen", "127.0.0.1:0", "library", "echo", "orders")
	startUntilEnd(t, &log, env, cmd)
	log.waitFor(t, "gRPC on ")
	return strings.TrimSpace(strings.TrimPrefix(log.String(), "gRPC on "))
}

// runUntilEnd runs the bridge until the test ends, when it must end well.
func runUntilEnd(t *testing.T, log *lockedBuffer, env []string, args ...string) {
	t.Helper()
	startUntilEnd(t, log, env, bridgeProgram(t, args...))
}

func startUntilEnd(t *testing.T, log *lockedBuffer, env []string, cmd *exec.Cmd) {
	t.Helper()
	cmd.Env, cmd.Stderr = env, cmp.Or(log, &lockedBuffer{})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v ended with %v\n%s", cmd.Args, err, log.String())
		}
		if strings.Contains(log.String(), "not delivered") {
			t.Errorf("%v lost spans:\n%s", cmd.Args, log.String())
		}
	})
}
