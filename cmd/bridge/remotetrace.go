package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// traceIDMark is where --trace-url has the id of a trace.
const traceIDMark = "{trace_id}"

// ownName is the service.name of a call, which is not a bridge's even where one is called, unless the environment says another.
var ownName = attribute.String("service.name", "bridge-call")

// callSpan is the CLIENT span of a call.
type callSpan struct{ span trace.Span }

// beginCall starts the span of a call of tool at endpoint, with the names of the semantic conventions for MCP; one that does
// nothing when provider is nil.
func beginCall(ctx context.Context, provider trace.TracerProvider, endpoint, tool string) (context.Context, callSpan) {
	if provider == nil {
		provider = noop.NewTracerProvider()
	}
	ctx, span := provider.Tracer("github.com/mcpgrpc/bridge/cmd/bridge").Start(ctx, "tools/call "+tool, //nolint:spancheck // see end
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(
			attribute.String("mcp.method.name", "tools/call"),
			attribute.String("gen_ai.operation.name", "execute_tool"),
			attribute.String("gen_ai.tool.name", tool),
			attribute.String("mcp.protocol.version", remoteRevision),
			attribute.String("network.transport", "tcp"),
			attribute.String("network.protocol.name", "http"),
		),
		trace.WithAttributes(serverAttributes(endpoint)...))
	return ctx, callSpan{span} //nolint:spancheck // see end
}

// serverAttributes say whom a call goes to.
func serverAttributes(endpoint string) []attribute.KeyValue {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	number, _ := strconv.Atoi(port) // URLs have no other ports
	return []attribute.KeyValue{attribute.String("server.address", u.Hostname()), attribute.Int("server.port", number)}
}

// end ends the span with what came of the call.
func (s callSpan) end(result *remoteResult, err error) {
	defer s.span.End()
	if refusal := (rpcError{}); errors.As(err, &refusal) {
		code := strconv.Itoa(refusal.Code)
		s.span.SetAttributes(attribute.String("error.type", code), attribute.String("rpc.response.status_code", code))
		s.span.SetStatus(codes.Error, refusal.Message)
		return
	}
	switch {
	case errors.Is(err, context.Canceled):
		s.span.SetAttributes(attribute.String("error.type", "cancelled"))
	case err != nil:
		s.span.SetAttributes(attribute.String("error.type", "_OTHER"))
		s.span.SetStatus(codes.Error, "no answer")
	case result.IsError:
		s.span.SetAttributes(attribute.String("error.type", "tool_error"))
		s.span.SetStatus(codes.Error, "")
	}
}

// tell prints where the trace is found: its id, or address with the id in the place of [traceIDMark]. Where no span is recorded
// here, the trace is the one that the server names in a result that failed; result may be nil. Without a trace, an address is told to
// be of no use, and nothing else is.
func (s callSpan) tell(w io.Writer, address string, result *remoteResult) {
	id := result.traceID()
	if s.span.SpanContext().IsSampled() {
		id = s.span.SpanContext().TraceID()
	}
	switch {
	case id.IsValid():
		fmt.Fprintln(w, "trace "+strings.ReplaceAll(cmp.Or(address, traceIDMark), traceIDMark, id.String()))
	case address != "":
		fmt.Fprintln(w, "bridge: warning: --trace-url: no trace of this call is known: set OTEL_EXPORTER_OTLP_ENDPOINT to send one from here")
	}
}
