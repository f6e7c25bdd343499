package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc/filters"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	nooptrace "go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// How long the end of the process waits for the last spans and metrics to be taken: see telemetrySetup.Shutdown.
const (
	flushTimeout     = 5 * time.Second
	pipeFlushTimeout = time.Second // on stdio, where clients kill what lingers
)

// maxSeries bounds how many combinations of attributes an instrument keeps; what is beyond it is counted as one.
const maxSeries = 2000

// telemetrySetup is where traces and metrics go. One with nothing on gives nothing from each method, and Wrap gives back
// what it is given.
type telemetrySetup struct {
	tracers    *sdktrace.TracerProvider // nil: no spans
	meters     *sdkmetric.MeterProvider // nil: no metrics
	spans      *delivery                // of tracers
	prometheus http.Handler
	propagator propagation.TextMapPropagator
	httpSpans  bool
	content    bool
	baggage    bool
	failures   *failures
}

// startTelemetry prepares what a configuration and the OTEL_* environment variables say of traces and metrics; nothing where
// they say nothing. prometheus asks for a handler of metrics. Exports that fail are told to logger. Nothing is connected to
// yet, so that a collector that is down is no error. What is given as own stands above what the resource says by itself.
//
// Call it once in a process: what the SDK has to say of itself goes to the last caller's logger.
func startTelemetry(
	ctx context.Context, c *configv1.Config, prometheus bool, logger *slog.Logger, own ...attribute.KeyValue,
) (*telemetrySetup, error) {
	said := cmp.Or(c.GetTelemetry(), &configv1.Telemetry{})
	on := switchesOf(said.GetOtlp(), prometheus)
	if on == (switches{}) {
		return &telemetrySetup{}, nil
	}
	if err := checkEnv(); err != nil {
		return nil, err
	}
	res, err := resourceOf(ctx, own)
	if err != nil {
		return nil, err
	}
	t := &telemetrySetup{
		propagator: propagatorOf(said.GetBaggage()),
		httpSpans:  said.HttpSpans == nil || said.GetHttpSpans(),
		content:    said.GetRecordContent(),
		baggage:    said.GetBaggage(),
		failures:   newFailures(logger, time.Now),
	}
	otel.SetErrorHandler(t.failures)
	otel.SetLogger(logr.Discard())
	if err := errors.Join(t.startTraces(ctx, on, said, res), t.startMetrics(ctx, on, said.GetOtlp(), res)); err != nil {
		t.Shutdown(ctx)
		return nil, err
	}
	return t, nil
}

// Options are what bridge.New is to be given.
func (t *telemetrySetup) Options() []bridge.Option {
	if t.tracers == nil && t.meters == nil {
		return nil
	}
	given := bridge.Telemetry{RecordContent: t.content, Baggage: t.baggage}
	if t.tracers != nil {
		given.TracerProvider = t.tracers
	}
	if t.meters != nil {
		given.MeterProvider = t.meters
	}
	return []bridge.Option{bridge.WithTelemetry(given)}
}

// DialOptions are what config.Dial is to be given: each call has a CLIENT span and a duration, but for those that read
// descriptors and ask for health.
func (t *telemetrySetup) DialOptions() []grpc.DialOption {
	if t.tracers == nil && t.meters == nil {
		return nil
	}
	var tracers trace.TracerProvider = nooptrace.NewTracerProvider()
	var meters metric.MeterProvider = noopmetric.NewMeterProvider()
	if t.tracers != nil {
		tracers = t.tracers
	}
	if t.meters != nil {
		meters = t.meters
	}
	handler := otelgrpc.NewClientHandler(
		otelgrpc.WithTracerProvider(tracers),
		otelgrpc.WithMeterProvider(meters),
		otelgrpc.WithPropagators(t.propagator),
		otelgrpc.WithFilter(filters.None(filters.ServicePrefix("grpc.reflection."), filters.ServicePrefix("grpc.health."))),
	)
	return []grpc.DialOption{grpc.WithStatsHandler(calls{handler, t.meters == nil})}
}

// TracerProvider makes spans; nil where there are none.
func (t *telemetrySetup) TracerProvider() trace.TracerProvider {
	if t.tracers == nil {
		return nil
	}
	return t.tracers
}

// Metrics serves the metrics to Prometheus; nil where that was not asked for.
func (t *telemetrySetup) Metrics() http.Handler { return t.prometheus }

// Shutdown sends what is left, and waits for that until ctx ends, but no longer than flushTimeout. What could not be sent is
// logged, and is no error of the process: no call has failed.
func (t *telemetrySetup) Shutdown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	var both sync.WaitGroup
	if t.tracers != nil {
		both.Go(func() { t.endTraces(ctx) })
	}
	if t.meters != nil {
		both.Go(func() { t.failures.note(kindMetrics, t.meters.Shutdown(ctx)) })
	}
	both.Wait()
	t.failures.close(t.spans)
}

// endTraces sends the last spans. When there is no time left for that, what is still being sent is given up.
func (t *telemetrySetup) endTraces(ctx context.Context) {
	t.failures.note(kindTraces, t.tracers.Shutdown(ctx))
	if ctx.Err() != nil {
		_ = t.spans.Shutdown(ctx) // says that there is no time left
	}
}

// startTraces makes the provider of spans, if it is on. Spans wait in a queue that drops what it has no room for.
func (t *telemetrySetup) startTraces(ctx context.Context, on switches, said *configv1.Telemetry, res *resource.Resource) error {
	if !on.traces {
		return nil
	}
	exporter, err := spanExporter(ctx, said.GetOtlp())
	if err != nil {
		return fmt.Errorf("traces: %w", err)
	}
	t.spans = &delivery{SpanExporter: exporter, failures: t.failures}
	options := []sdktrace.TracerProviderOption{
		sdktrace.WithResource(res),
		sdktrace.WithSpanProcessor(counted{sdktrace.NewBatchSpanProcessor(t.spans), t.spans}),
	}
	if said.SampleRatio != nil {
		options = append(options, sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(said.GetSampleRatio()))))
	}
	t.tracers = sdktrace.NewTracerProvider(options...)
	return nil
}

// startMetrics makes the provider of instruments, if it is on, with a reader for each place that they are wanted at.
func (t *telemetrySetup) startMetrics(ctx context.Context, on switches, o *configv1.Otlp, res *resource.Resource) error {
	var readers []sdkmetric.Reader
	var errs []error
	if on.metrics {
		reader, err := metricReader(ctx, o)
		readers, errs = append(readers, reader), append(errs, err)
	}
	if on.prometheus {
		reader, handler, err := prometheusReader()
		readers, errs = append(readers, reader), append(errs, err)
		t.prometheus = handler
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	if len(readers) == 0 {
		return nil
	}
	options := []sdkmetric.Option{sdkmetric.WithResource(res), sdkmetric.WithCardinalityLimit(maxSeries)}
	for _, r := range readers {
		options = append(options, sdkmetric.WithReader(r))
	}
	t.meters = sdkmetric.NewMeterProvider(options...)
	return nil
}

// resourceOf says whose spans and metrics these are; the environment may say it otherwise, and more.
func resourceOf(ctx context.Context, own []attribute.KeyValue) (*resource.Resource, error) {
	res, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "bridge"), attribute.String("service.version", bridge.Version())),
		resource.WithAttributes(own...),
		resource.WithTelemetrySDK(),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w; write it as key=value,key=value", err)
	}
	return res, nil
}
