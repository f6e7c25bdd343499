// Package telemetry says what the bridge does in the terms of OpenTelemetry's semantic conventions for MCP: a SERVER span
// and a duration for each request, and counts of what else happens. It uses the API of OpenTelemetry alone; which SDK is
// behind it, if any, is the embedder's to choose.
//
// Names of spans and attributes of metrics are made of the protocol's own words, of codes and of names in the catalog:
// nothing that a client chooses makes another series. What it chooses stands in attributes of its span, cut short.
package telemetry

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// Config is what New needs.
type Config struct {
	// TracerProvider makes spans; nil makes none.
	TracerProvider trace.TracerProvider
	// MeterProvider makes instruments; nil makes none.
	MeterProvider metric.MeterProvider
	// RecordContent has spans carry arguments and results.
	RecordContent bool
	// Baggage has the baggage of requests go on to backends. Without it, that of the HTTP request does not either.
	Baggage bool
}

// Telemetry records. A nil one records nothing, and its methods cost nothing. Safe for concurrent use.
type Telemetry struct {
	tracer           trace.Tracer // nil for none
	meter            metric.Meter // nil for none
	content, baggage bool
	measures         instruments
	series           cache[seriesKey, *series]
}

// New returns what records by a configuration; nil where that has neither provider. An error is the meter provider's, of an
// instrument that it does not make.
func New(c Config) (*Telemetry, error) {
	if c.TracerProvider == nil && c.MeterProvider == nil {
		return nil, nil
	}
	t := &Telemetry{content: c.RecordContent, baggage: c.Baggage}
	if c.TracerProvider != nil {
		t.tracer = c.TracerProvider.Tracer(scope)
	}
	if c.MeterProvider == nil {
		return t, nil
	}
	t.meter = c.MeterProvider.Meter(scope)
	var err error
	t.measures, err = newInstruments(t.meter)
	return t, err
}

// Baggage reports whether requests should be asked for their baggage.
func (t *Telemetry) Baggage() bool { return t != nil && t.baggage }

// scope is the name of what records here, for those who read the records.
const scope = "github.com/mcpgrpc/bridge"

// Names of attributes (semantic conventions for MCP, generative AI, RPC and networks), and those of our own counts.
const (
	keyMethod          = attribute.Key("mcp.method.name")
	keyVersion         = attribute.Key("mcp.protocol.version")
	keySession         = attribute.Key("mcp.session.id")
	keyURI             = attribute.Key("mcp.resource.uri")
	keyTool            = attribute.Key("gen_ai.tool.name")
	keyPrompt          = attribute.Key("gen_ai.prompt.name")
	keyOperation       = attribute.Key("gen_ai.operation.name")
	keyArguments       = attribute.Key("gen_ai.tool.call.arguments")
	keyResult          = attribute.Key("gen_ai.tool.call.result")
	keyRequestID       = attribute.Key("jsonrpc.request.id")
	keyErrorType       = attribute.Key("error.type")
	keyStatusCode      = attribute.Key("rpc.response.status_code")
	keyTransport       = attribute.Key("network.transport")
	keyProtocol        = attribute.Key("network.protocol.name")
	keyProtocolVersion = attribute.Key("network.protocol.version")
	keyClientAddress   = attribute.Key("client.address")
	keyClientPort      = attribute.Key("client.port")

	keyReason      = attribute.Key("reason")
	keyResultOf    = attribute.Key("result")
	keyKind        = attribute.Key("kind")
	keyBackend     = attribute.Key("backend")
	keyQuota       = attribute.Key("quota")
	keyOf          = attribute.Key("of")
	operationTool  = "execute_tool"
	other          = "_OTHER"
	errorTool      = "tool_error"
	errorCancelled = "cancelled"
)
