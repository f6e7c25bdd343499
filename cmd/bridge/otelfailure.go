package main

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// failureInterval is how often failures of one kind are logged, maxReason how much of the last one.
const (
	failureInterval = time.Minute
	maxReason       = 300
)

// Kinds of failures.
const (
	kindTraces  = "traces"
	kindMetrics = "metrics"
	kindOther   = "other"
)

// failures logs what goes wrong with telemetry, once in failureInterval for each kind: a collector that is down must not
// fill the log. A nil one logs nothing. Safe for concurrent use.
type failures struct {
	logger *slog.Logger
	now    func() time.Time

	mu    sync.Mutex
	kinds map[string]*failed
}

// failed are the failures of a kind.
type failed struct {
	count  int // since the last line
	last   error
	logged time.Time
}

func newFailures(logger *slog.Logger, now func() time.Time) *failures {
	return &failures{logger: logger, now: now, kinds: map[string]*failed{}}
}

// Handle is told by the SDK of errors that nobody else hears of.
func (f *failures) Handle(err error) {
	kind := kindOther
	if err != nil && strings.Contains(err.Error(), "metric") {
		kind = kindMetrics
	}
	f.note(kind, err)
}

// note counts an error, if it is one, and logs it if its kind has not been logged for a while.
func (f *failures) note(kind string, err error) {
	if err == nil || f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.kinds[kind]
	if k == nil {
		k = &failed{}
		f.kinds[kind] = k
	}
	k.count++
	k.last = err
	if now := f.now(); k.logged.IsZero() || now.Sub(k.logged) >= failureInterval {
		k.logged = now
		f.log(kind, k)
	}
}

// close logs what has not been logged yet, and how many spans never arrived.
func (f *failures) close(d *delivery) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, kind := range []string{kindTraces, kindMetrics, kindOther} {
		if k := f.kinds[kind]; k != nil && k.count > 0 {
			f.log(kind, k)
		}
	}
	if lost := d.lost(); lost > 0 {
		f.logger.Warn("spans were not delivered", "spans", lost)
	}
}

func (f *failures) log(kind string, k *failed) {
	f.logger.Warn("telemetry is not delivered; calls are not affected", "signal", kind, "failures", k.count, "reason", reason(k.last))
	k.count = 0
}

// userinfo is the name and password in a URL.
var userinfo = regexp.MustCompile(`//[^/@\s]*@`)

// reason is the text of an error, as much of it as a collector may put into the log.
func reason(err error) string {
	return userinfo.ReplaceAllString(beginning(err.Error(), maxReason), "//")
}

// beginning returns at most n bytes of a text, and something in place of what is no UTF-8.
func beginning(text string, n int) string {
	if len(text) > n {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// delivery is an exporter of spans whose failures are counted and go no further. Safe for concurrent use.
type delivery struct {
	sdktrace.SpanExporter
	failures    *failures
	ended, sent atomic.Int64 // spans
}

// ExportSpans sends spans.
func (d *delivery) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := d.SpanExporter.ExportSpans(ctx, spans); err != nil {
		d.failures.note(kindTraces, err)
		return nil
	}
	d.sent.Add(int64(len(spans)))
	return nil
}

// lost is how many spans have ended and were not sent.
func (d *delivery) lost() int64 {
	if d == nil {
		return 0
	}
	return d.ended.Load() - d.sent.Load()
}

// counted is a processor whose spans are counted before it may drop them.
type counted struct {
	sdktrace.SpanProcessor
	delivery *delivery
}

// OnEnd takes a span.
func (c counted) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		c.delivery.ended.Add(1)
	}
	c.SpanProcessor.OnEnd(s)
}
