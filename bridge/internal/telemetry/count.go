package telemetry

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Places where a stream is cut short by the bridge: reasons of StreamCut.
const (
	// CutSlow is a client that does not read.
	CutSlow = "slow_client"
	// CutShutdown is the end of the process.
	CutShutdown = "shutdown"
	// CutSession is the end of the session.
	CutSession = "session_ended"
)

// Results of reading descriptors again: see Reloaded.
const (
	// ReloadChanged is a reload that changed what is offered, ReloadUnchanged one that did not, ReloadFailed one that
	// could not read some backend.
	ReloadChanged   = "changed"
	ReloadUnchanged = "unchanged"
	ReloadFailed    = "failed"
)

// StreamCut counts a stream to a client that the bridge has ended, for one of the reasons of this package.
func (t *Telemetry) StreamCut(reason string) {
	if t.counts() {
		t.measures.cuts.Add(context.Background(), 1, with(keyReason.String(reason)))
	}
}

// SessionEnded records the duration of a legacy session, or of a stdio stream, that spoke a protocol version. transport is
// "tcp", "pipe" or "". errorType is "" for a session that its client ended, and else of a few words of ours.
func (t *Telemetry) SessionEnded(version, transport string, lasted time.Duration, errorType string) {
	if !t.counts() {
		return
	}
	var attributes []attribute.KeyValue
	if version != "" {
		attributes = append(attributes, keyVersion.String(version))
	}
	if transport != "" {
		attributes = append(attributes, keyTransport.String(transport))
	}
	if transport == "tcp" {
		attributes = append(attributes, keyProtocol.String("http"))
	}
	if errorType != "" {
		attributes = append(attributes, keyErrorType.String(errorType))
	}
	t.measures.session.Record(context.Background(), lasted.Seconds(), with(attributes...))
}

// Reloaded counts a reload.
func (t *Telemetry) Reloaded(result string) {
	if t.counts() {
		t.measures.reloads.Add(context.Background(), 1, with(keyResultOf.String(result)))
	}
}

// Refused counts a call that a quota refused: quota is "caller" or "backend", backend the name of the latter, else "".
func (t *Telemetry) Refused(quota, backend string) {
	switch {
	case !t.counts():
	case backend == "":
		t.measures.refused.Add(context.Background(), 1, with(keyQuota.String(quota)))
	default:
		t.measures.refused.Add(context.Background(), 1, with(keyQuota.String(quota), keyBackend.String(backend)))
	}
}

// Retried counts a further attempt at a call of a backend: result is "made", or the reason for which it was withheld.
func (t *Telemetry) Retried(backend, result string) {
	if t.counts() {
		t.measures.retries.Add(context.Background(), 1, with(keyBackend.String(backend), keyResultOf.String(result)))
	}
}

// Declined counts arguments or a reply that went the slow way: see transcode.Codec.Declined.
func (t *Telemetry) Declined(reply bool) {
	if !t.counts() {
		return
	}
	of := "arguments"
	if reply {
		of = "reply"
	}
	t.measures.declined.Add(context.Background(), 1, with(keyOf.String(of)))
}

// counts reports whether there are instruments.
func (t *Telemetry) counts() bool { return t != nil && t.meter != nil }

// with returns the option of attributes.
func with(attributes ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attributes...))
}

// instruments are those that are written to when something happens.
type instruments struct {
	requests, tasks                           measures
	session                                   metric.Float64Histogram
	cuts, reloads, refused, declined, retries metric.Int64Counter
}

// measures are those of what takes its time: how long it took, and how much of it there is.
type measures struct {
	duration metric.Float64Histogram
	active   metric.Int64UpDownCounter
}

// newInstruments makes them.
func newInstruments(m metric.Meter) (i instruments, err error) {
	var errs [10]error
	buckets := metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
	i.requests.duration, errs[0] = m.Float64Histogram("mcp.server.operation.duration", buckets, metric.WithUnit("s"),
		metric.WithDescription("How long MCP requests took, from their admission to their answer."))
	i.session, errs[1] = m.Float64Histogram("mcp.server.session.duration", buckets, metric.WithUnit("s"),
		metric.WithDescription("How long MCP sessions lasted."))
	i.requests.active, errs[2] = m.Int64UpDownCounter("bridge.requests.active", metric.WithUnit("{request}"),
		metric.WithDescription("MCP requests that are being served."))
	i.cuts, errs[3] = m.Int64Counter("bridge.streams.cut", metric.WithUnit("{stream}"),
		metric.WithDescription("Streams to clients that the bridge has ended."))
	i.reloads, errs[4] = m.Int64Counter("bridge.catalog.reloads", metric.WithUnit("{reload}"),
		metric.WithDescription("Readings of the backends' descriptors after the first."))
	i.refused, errs[5] = m.Int64Counter("bridge.quota.refused", metric.WithUnit("{call}"),
		metric.WithDescription("Calls that a quota has refused."))
	i.declined, errs[6] = m.Int64Counter("bridge.transcode.declined", metric.WithUnit("{message}"),
		metric.WithDescription("Arguments and replies of a form that is transcoded by way of a message."))
	i.retries, errs[7] = m.Int64Counter("bridge.retries", metric.WithUnit("{attempt}"),
		metric.WithDescription("Further attempts at calls of backends, and those that were withheld."))
	i.tasks.duration, errs[8] = m.Float64Histogram("bridge.task.duration", metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600),
		metric.WithDescription("How long tasks took, from their creation to their end."))
	i.tasks.active, errs[9] = m.Int64UpDownCounter("bridge.tasks.active", metric.WithUnit("{task}"),
		metric.WithDescription("Tasks that have not ended."))
	return i, errors.Join(errs[:]...)
}
