package telemetry

import (
	"context"
	"log/slog"
	"slices"

	"go.opentelemetry.io/otel/trace"
)

// LogHandler returns a handler that adds trace_id and span_id, in hexadecimal digits, to the records of a context that has a
// trace, and hands all of them to next. The two stand beside the groups that a logger opens, and not in them.
func LogHandler(next slog.Handler) slog.Handler { return &logHandler{next: next, outer: next} }

// logHandler implements LogHandler.
type logHandler struct {
	// next is outer with the steps taken, so that records without a trace cost nothing.
	next, outer slog.Handler
	// steps are what was done to outer from its first group on.
	steps []func(slog.Handler) slog.Handler
}

// Enabled implements slog.Handler.
func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	sc := trace.SpanContextFromContext(ctx)
	if !sc.IsValid() {
		return h.next.Handle(ctx, r)
	}
	attrs := []slog.Attr{slog.String("trace_id", sc.TraceID().String()), slog.String("span_id", sc.SpanID().String())}
	if len(h.steps) == 0 {
		r = r.Clone()
		r.AddAttrs(attrs...)
		return h.next.Handle(ctx, r)
	}
	next := h.outer.WithAttrs(attrs)
	for _, step := range h.steps {
		next = step(next)
	}
	return next.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(h.steps) == 0 {
		return LogHandler(h.next.WithAttrs(attrs))
	}
	return h.with(func(next slog.Handler) slog.Handler { return next.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (h *logHandler) WithGroup(name string) slog.Handler {
	return h.with(func(next slog.Handler) slog.Handler { return next.WithGroup(name) })
}

// with returns the handler with one step more.
func (h *logHandler) with(step func(slog.Handler) slog.Handler) slog.Handler {
	return &logHandler{next: step(h.next), outer: h.outer, steps: append(slices.Clip(h.steps), step)}
}
