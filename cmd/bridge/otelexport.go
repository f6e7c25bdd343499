package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	slashpath "path"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// switches are what is to be sent, and how.
type switches struct{ traces, metrics, prometheus bool }

// switchesOf asks the configuration and the environment. The latter turns a signal on by naming its exporter or a collector,
// and everything off by OTEL_SDK_DISABLED.
func switchesOf(o *configv1.Otlp, prometheus bool) switches {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return switches{}
	}
	return switches{
		traces:     o.GetEndpoint() != "" || inEnv("TRACES"),
		metrics:    o.GetEndpoint() != "" && o.GetMetrics() || inEnv("METRICS"),
		prometheus: prometheus,
	}
}

// inEnv reports whether the environment turns a signal on.
func inEnv(signal string) bool {
	if exporter := os.Getenv("OTEL_" + signal + "_EXPORTER"); exporter != "" {
		return exporter != "none"
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}

// propagatorOf is what OTEL_PROPAGATORS names, which checkEnv has seen. Baggage goes on only where the configuration wants
// that, too.
func propagatorOf(baggage bool) propagation.TextMapPropagator {
	names := cmp.Or(os.Getenv("OTEL_PROPAGATORS"), "tracecontext,baggage")
	var list []propagation.TextMapPropagator
	for name := range strings.SplitSeq(names, ",") {
		switch strings.TrimSpace(name) {
		case "tracecontext":
			list = append(list, propagation.TraceContext{})
		case "baggage":
			if baggage {
				list = append(list, propagation.Baggage{})
			}
		}
	}
	return propagation.NewCompositeTextMapPropagator(list...)
}

// spanExporter sends to the collector of the configuration, else to what the environment says.
func spanExporter(ctx context.Context, o *configv1.Otlp) (sdktrace.SpanExporter, error) {
	if o.GetEndpoint() == "" {
		return autoexport.NewSpanExporter(ctx)
	}
	headers, err := otlpHeaders(o)
	if err != nil {
		return nil, err
	}
	if o.GetProtocol() == configv1.Otlp_PROTOCOL_HTTP {
		return otlptracehttp.New(ctx,
			otlptracehttp.WithEndpointURL(signalURL(o.GetEndpoint(), "traces")), otlptracehttp.WithHeaders(headers))
	}
	return otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(o.GetEndpoint()), otlptracegrpc.WithHeaders(headers),
		otlptracegrpc.WithDialOption(grpc.WithDisableServiceConfig())) // which would wait for a name server that does not answer
}

// metricReader is spanExporter for metrics, which are sent once a minute or at OTEL_METRIC_EXPORT_INTERVAL.
func metricReader(ctx context.Context, o *configv1.Otlp) (sdkmetric.Reader, error) {
	if o.GetEndpoint() == "" || !o.GetMetrics() {
		return autoexport.NewMetricReader(ctx)
	}
	headers, err := otlpHeaders(o)
	if err != nil {
		return nil, err
	}
	var exporter sdkmetric.Exporter
	if o.GetProtocol() == configv1.Otlp_PROTOCOL_HTTP {
		exporter, err = otlpmetrichttp.New(ctx,
			otlpmetrichttp.WithEndpointURL(signalURL(o.GetEndpoint(), "metrics")), otlpmetrichttp.WithHeaders(headers))
	} else {
		exporter, err = otlpmetricgrpc.New(ctx, otlpmetricgrpc.WithEndpointURL(o.GetEndpoint()), otlpmetricgrpc.WithHeaders(headers),
			otlpmetricgrpc.WithDialOption(grpc.WithDisableServiceConfig()))
	}
	if err != nil {
		return nil, err
	}
	return sdkmetric.NewPeriodicReader(exporter), nil
}

// otlpHeaders reads what is sent with each export.
func otlpHeaders(o *configv1.Otlp) (map[string]string, error) {
	md, err := config.ResolveHeaders(o.GetHeaders())
	if err != nil {
		return nil, fmt.Errorf("telemetry.otlp: %w", err)
	}
	headers := make(map[string]string, len(md))
	for name, values := range md {
		headers[name] = strings.Join(values, ",")
	}
	return headers, nil
}

// signalURL is where a signal goes over HTTP: the endpoint, with the usual path where it has none. A path is that of traces;
// that of metrics stands beside it.
func signalURL(endpoint, signal string) string {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return endpoint // the exporter says what is wrong with it
	case u.Path == "" || u.Path == "/":
		u.Path = "/v1/" + signal
	case slashpath.Base(u.Path) == "traces":
		u.Path = slashpath.Join(slashpath.Dir(u.Path), signal)
	}
	return u.String()
}

// prometheusReader serves metrics, among them those of the process itself.
func prometheusReader() (sdkmetric.Reader, http.Handler, error) {
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := registry.Register(c); err != nil {
			return nil, nil, err
		}
	}
	reader, err := otelprometheus.New(otelprometheus.WithRegisterer(registry), otelprometheus.WithoutScopeInfo())
	return reader, promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}), err
}
