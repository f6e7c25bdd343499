package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc/filters"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc"
)

// flushGrace is how long the last spans may take to be sent.
const flushGrace = 5 * time.Second

// traced runs serve with the options that make spans of its calls, where the environment asks for spans, and sends the last
// of them when it has ended. names are the services'; what cannot be sent is told on log, and is no error.
func traced(ctx context.Context, log io.Writer, names []string, serve func(...grpc.ServerOption) error) error {
	if !tracing(os.Getenv) {
		return serve()
	}
	provider, err := newProvider(ctx, names)
	if err != nil {
		return fmt.Errorf("traces, which the OTEL_* environment variables ask for: %w", err)
	}
	served := serve(grpc.StatsHandler(otelgrpc.NewServerHandler(
		otelgrpc.WithTracerProvider(provider),
		otelgrpc.WithMeterProvider(noop.NewMeterProvider()),
		otelgrpc.WithPropagators(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})),
		otelgrpc.WithFilter(filters.None(filters.HealthCheck(), filters.ServicePrefix("grpc.reflection."))),
	)))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushGrace)
	defer cancel()
	if err := provider.Shutdown(ctx); err != nil {
		fmt.Fprintf(log, "serve: the last spans were not sent: %v\n", err)
	}
	return served
}

// tracing reports whether the environment asks for spans: by an exporter or by the place of a collector.
func tracing(env func(string) string) bool {
	if env("OTEL_SDK_DISABLED") == "true" || env("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return slices.ContainsFunc([]string{
		"OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
	}, func(name string) bool { return env(name) != "" })
}

// newProvider makes spans as the OTEL_* environment variables say. Without OTEL_SERVICE_NAME a single service is called by its
// name, several are called "samples".
func newProvider(ctx context.Context, names []string) (*trace.TracerProvider, error) {
	name := "samples"
	if len(names) == 1 {
		name = names[0]
	}
	exporter, err := autoexport.NewSpanExporter(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER=%q: %w", os.Getenv("OTEL_TRACES_EXPORTER"), err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", name)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, errors.Join(err, exporter.Shutdown(ctx))
	}
	return trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about)), nil
}
