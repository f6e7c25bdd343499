package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// TestCheckEnv: each fault is told with its variable, its value and what is allowed; a password is not.
func TestCheckEnv(t *testing.T) {
	const (
		size   = "must be a whole number from 1 to 65536"
		time   = "must be a whole number from 1 to 2147483647, in milliseconds"
		limit  = "must be a whole number from -2147483648 to 2147483647"
		ratio  = "must be a number from 0 to 1"
		scheme = "must be a URL with http:// or https://"
	)
	folder := t.TempDir()
	tests := []struct{ name, value, want string }{
		{"OTEL_BSP_MAX_QUEUE_SIZE", "-1", size},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "0", size},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "9223372036854775807", size},
		{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "65537", size},
		{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "many", size},
		{"OTEL_BSP_SCHEDULE_DELAY", "0", time},
		{"OTEL_BSP_EXPORT_TIMEOUT", "5s", time},
		{"OTEL_METRIC_EXPORT_INTERVAL", "-1", time},
		{"OTEL_METRIC_EXPORT_TIMEOUT", "9223372036855", time},
		{"OTEL_EXPORTER_OTLP_TIMEOUT", "10s", time},
		{"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "-5", time},
		{"OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "1.5", time},
		{"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "all", limit},
		{"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "1k", limit},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", scheme + ": write http://localhost:4318"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "collector", scheme + " and a host, such as http://localhost:4318"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "unix:///run/otel", scheme + " and a host, such as http://localhost:4318"},
		{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://:4318", scheme + " and a host, such as http://localhost:4318"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "carrier pigeon", "must be one of http/protobuf, grpc"},
		{"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "zstd", "must be one of none, gzip"},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE", filepath.Join(folder, "ca.pem"), "cannot be read, no such file or directory: name a file in PEM"},
		{"OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY", folder, "is no file: name one in PEM"},
		{"OTEL_TRACES_SAMPLER", "sometimes", "must be one of always_on, always_off, traceidratio, parentbased_always_on, "},
		{"OTEL_TRACES_SAMPLER_ARG", "NaN", ratio},
		{"OTEL_TRACES_SAMPLER_ARG", "1.1", ratio},
		{"OTEL_TRACES_EXPORTER", "zipkin", "is not known: write otlp or none"},
		{"OTEL_TRACES_EXPORTER", "otlp,none", "is not known: write otlp or none"},
		{"OTEL_TRACES_EXPORTER", "console", "would write to stdout, which is for the protocol: write otlp or none"},
		{"OTEL_METRICS_EXPORTER", "prometheus", "would open a listener of its own: write otlp or none, and serve /metrics with --admin"},
		{"OTEL_METRICS_PRODUCERS", "prometheus", "is not possible, there are no metrics but the bridge's: write none, or leave it out"},
		{"OTEL_PROPAGATORS", "none", "is not possible, as the trace of a client always goes on to the backends: write tracecontext or baggage"},
	}
	for _, tt := range tests {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			clearOTel(t, map[string]string{tt.name: tt.value})
			err := checkEnv()
			if want := tt.name + `: "` + tt.value + `" ` + tt.want; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	for _, value := range []string{"http://me:hunter2@jaeger:4318", "me:hunter2@jaeger:4318", "jaeger:4318?key=hunter2"} {
		clearOTel(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": value})
		if err := checkEnv(); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v", value, err)
		}
	}
}

// TestCheckEnvAllows: what the SDK and its exporters take is taken.
func TestCheckEnvAllows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string][]string{
		"OTEL_BSP_MAX_QUEUE_SIZE":             {"", "1", "65536"},
		"OTEL_BSP_SCHEDULE_DELAY":             {"1", "5000"},
		"OTEL_EXPORTER_OTLP_TIMEOUT":          {" 200 "},
		"OTEL_SPAN_EVENT_COUNT_LIMIT":         {"-1", "0", "128"},
		"OTEL_EXPORTER_OTLP_ENDPOINT":         {"http://localhost:4318", " https://c.example.com/otlp ", "http://[::1]:4318"},
		"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": {"grpc", "http/protobuf"},
		"OTEL_EXPORTER_OTLP_COMPRESSION":      {"none", "gzip"},
		"OTEL_EXPORTER_OTLP_CERTIFICATE":      {file},
		"OTEL_TRACES_SAMPLER":                 {"always_off", "ParentBased_TraceIDRatio"},
		"OTEL_TRACES_SAMPLER_ARG":             {"0", "1", "0.25"},
		"OTEL_METRICS_EXPORTER":               {"otlp", "none"},
		"OTEL_METRICS_PRODUCERS":              {"none"},
		"OTEL_PROPAGATORS":                    {"tracecontext", "tracecontext, baggage"},
	} {
		for _, value := range values {
			clearOTel(t, map[string]string{name: value})
			if err := checkEnv(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestEnvFaultsTogether: all faults are told at the start, in one line; with telemetry off there are none.
func TestEnvFaultsTogether(t *testing.T) {
	clearOTel(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318", "OTEL_BSP_MAX_QUEUE_SIZE": "-1", "OTEL_METRICS_EXPORTER": "prometheus",
	})
	_, err := startTelemetry(t.Context(), &configv1.Config{}, false, slog.New(slog.DiscardHandler))
	if err == nil || strings.Contains(err.Error(), "\n") || strings.Count(err.Error(), "; OTEL_") != 2 {
		t.Errorf("got %v", err)
	}
	t.Setenv("OTEL_SDK_DISABLED", "true")
	if _, err := startTelemetry(t.Context(), &configv1.Config{}, false, slog.New(slog.DiscardHandler)); err != nil {
		t.Error(err)
	}
}
