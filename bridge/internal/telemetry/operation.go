package telemetry

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Operation is a request that is being served, or a task that runs behind the answer to one. A nil one records nothing. It
// belongs to one goroutine at a time.
type Operation struct {
	telemetry *Telemetry
	ctx       context.Context
	span      trace.Span // nil where there are no spans, or none of this request is kept
	key       seriesKey
	series    *series
	measures  *measures
	since     time.Time
	told      int // events of progress
}

// Start begins the span of a request, as a child of the place that its _meta names, or else of the span in ctx; with both,
// it links to the latter. A later round of a call is a child of the first, or, where its _meta names a place, linked to it. The
// returned context carries the span. With a nil Telemetry it carries the place alone, if there is one, so that what comes after
// belongs to the client's trace; so it does where there are no spans.
func (t *Telemetry) Start(ctx context.Context, r *Request) (context.Context, *Operation) {
	ambient := trace.SpanContextFromContext(ctx)
	ctx = At(ctx, cmp.Or(r.TraceParent, r.Continues), r.TraceState)
	if t == nil {
		return ctx, nil
	}
	ctx = t.carry(ctx, r.Baggage)
	o := t.operation(r.key())
	if t.tracer != nil {
		ctx = o.begin(ctx, ambient, r)
	}
	o.started(ctx)
	return ctx, o
}

// StartTask begins the span of a task, as a child of the span in ctx, which is that of the request that begins the task. tool
// is what it calls, by its name in the catalog. The returned context carries the span. A nil Telemetry does nothing.
func (t *Telemetry) StartTask(ctx context.Context, tool string) (context.Context, *Operation) {
	if t == nil {
		return ctx, nil
	}
	o := t.operation(seriesKey{task: true, tool: tool})
	if t.tracer != nil {
		var span trace.Span
		ctx, span = t.tracer.Start(ctx, o.series.name, o.series.start...)
		if span.IsRecording() {
			o.span = span
		}
	}
	o.started(ctx)
	return ctx, o
}

// operation returns one of the series with a key, without its span.
func (t *Telemetry) operation(key seriesKey) *Operation {
	o := &Operation{telemetry: t, key: key, series: t.seriesOf(key), measures: &t.measures.requests}
	if key.task {
		o.measures = &t.measures.tasks
	}
	return o
}

// started notes that the operation goes on from now, in a context with its span.
func (o *Operation) started(ctx context.Context) {
	o.ctx = ctx
	if o.telemetry.meter != nil {
		o.since = time.Now()
		o.measures.active.Add(ctx, 1, o.series.active...)
	}
}

// At returns ctx at a place in a trace, which a traceparent and a tracestate name; ctx itself where they name none.
func At(ctx context.Context, parent, state string) context.Context {
	if parent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, texts{parent, state})
}

// carry returns ctx with the baggage that goes on to backends: none unless it is configured, else that of the request, or
// else what is there.
func (t *Telemetry) carry(ctx context.Context, text string) context.Context {
	if !t.baggage {
		if baggage.FromContext(ctx).Len() > 0 {
			return baggage.ContextWithoutBaggage(ctx)
		}
		return ctx
	}
	if text == "" {
		return ctx
	}
	if b, err := baggage.Parse(text); err == nil {
		return baggage.ContextWithBaggage(ctx, b)
	}
	return ctx
}

// begin begins the span. ambient is the span around the request, whether or not it is the parent.
func (o *Operation) begin(ctx context.Context, ambient trace.SpanContext, r *Request) context.Context {
	opts := o.series.start
	if ambient.IsValid() && !ambient.Equal(trace.SpanContextFromContext(ctx)) {
		opts = append(slices.Clip(opts), trace.WithLinks(trace.Link{SpanContext: ambient}))
	}
	if r.Continues != "" && r.TraceParent != "" {
		opts = append(slices.Clip(opts), trace.WithLinks(earlier(ctx, r.Continues)))
	}
	ctx, span := o.telemetry.tracer.Start(ctx, o.series.name, opts...)
	if span.IsRecording() {
		o.span = span
		span.SetAttributes(r.own()...)
	}
	return ctx
}

// Opened notes what an initialize has agreed on: the version, and the id of the session, "" for none.
func (o *Operation) Opened(version, session string) {
	if o == nil {
		return
	}
	o.key.version = version
	o.series = o.telemetry.seriesOf(o.key)
	if o.span == nil {
		return
	}
	o.span.SetAttributes(keyVersion.String(version))
	if session != "" {
		o.span.SetAttributes(keySession.String(session))
	}
}

// Content reports whether the arguments and the result of the call are recorded: only then need they be written.
func (o *Operation) Content() bool { return o != nil && o.span != nil && o.telemetry.content }

// Arguments notes the arguments of a tool call, JSON without what must not be shown, where content is recorded. They are
// cut at 8 KiB.
func (o *Operation) Arguments(json []byte) { o.note(keyArguments, json) }

// Result notes the result of a tool call; see Arguments.
func (o *Operation) Result(json []byte) { o.note(keyResult, json) }

// note sets an attribute with content.
func (o *Operation) note(key attribute.Key, json []byte) {
	if o.Content() {
		o.span.SetAttributes(key.String(jsonrpc.Clip(string(json), maxContent)))
	}
}

// End ends the span and records the duration. Call it once.
func (o *Operation) End(out Outcome) {
	if o == nil {
		return
	}
	errorType := out.ErrorType()
	if o.span != nil {
		o.conclude(out, errorType)
		o.span.End()
	}
	if o.telemetry.meter == nil {
		return
	}
	o.measures.duration.Record(o.ctx, time.Since(o.since).Seconds(), o.series.record(errorType, out.Code)...)
	o.measures.active.Add(o.ctx, -1, o.series.active...)
}

// conclude has the span say how the request ended.
func (o *Operation) conclude(out Outcome, errorType string) {
	if errorType == "" {
		return
	}
	if out.Code != 0 && !out.Cancelled {
		o.span.SetAttributes(keyErrorType.String(errorType), keyStatusCode.String(errorType))
	} else {
		o.span.SetAttributes(keyErrorType.String(errorType))
	}
	if description, failed := out.fault(); failed {
		o.span.SetStatus(codes.Error, jsonrpc.Clip(description, maxText))
	}
}

// Bounds of attributes, in bytes: of content, and of all else that a peer writes.
const (
	maxContent = 8 << 10
	maxText    = 512
)

// own returns the attributes that are of this request alone.
func (r *Request) own() []attribute.KeyValue {
	own := make([]attribute.KeyValue, 0, 6)
	if r.ID != "" {
		own = append(own, keyRequestID.String(idText(r.ID)))
	}
	if r.SessionID != "" {
		own = append(own, keySession.String(r.SessionID))
	}
	if r.ResourceURI != "" {
		own = append(own, keyURI.String(jsonrpc.Clip(r.ResourceURI, maxText)))
	}
	if r.ClientAddress != "" {
		own = append(own, keyClientAddress.String(r.ClientAddress), keyClientPort.Int(r.ClientPort))
	}
	switch {
	case r.Known:
	case r.Tool != "":
		own = append(own, keyTool.String(jsonrpc.Clip(r.Tool, maxText)))
	case r.Prompt != "":
		own = append(own, keyPrompt.String(jsonrpc.Clip(r.Prompt, maxText)))
	}
	return own
}

// idText is an id in JSON as a text.
func idText(id string) string {
	if text, ok := jsonrpc.Unquote([]byte(id)); ok {
		id = text
	}
	return jsonrpc.Clip(id, maxText)
}
