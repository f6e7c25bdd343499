package main

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what the environment may say. The SDK makes room for a whole queue and a whole batch at its start, and counts
// milliseconds in nanoseconds, which overflow.
const (
	maxQueue        = 1 << 16
	maxMilliseconds = math.MaxInt32
)

// envFault is what is wrong with a value, in words that follow it; "" for nothing.
type envFault string

// envRule is what the value of some variables has to be.
type envRule struct {
	names []string
	fault func(value string) envFault
}

// envRules are the variables that the SDK and its exporters would pass over in silence, or fail at, when they are wrong.
var envRules = []envRule{
	{[]string{"OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"}, exporterFault},
	{[]string{"OTEL_METRICS_PRODUCERS"}, producerFault},
	{[]string{"OTEL_PROPAGATORS"}, propagatorFault},
	{ofOTLP("ENDPOINT"), endpointFault},
	{ofOTLP("PROTOCOL"), oneOf("http/protobuf", "grpc")},
	{ofOTLP("COMPRESSION"), oneOf("none", "gzip")},
	{slices.Concat(ofOTLP("CERTIFICATE"), ofOTLP("CLIENT_CERTIFICATE"), ofOTLP("CLIENT_KEY")), fileFault},
	{ofOTLP("TIMEOUT"), milliseconds},
	{[]string{"OTEL_TRACES_SAMPLER"}, samplerFault},
	{[]string{"OTEL_TRACES_SAMPLER_ARG"}, ratioFault},
	{[]string{"OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"}, between(1, maxQueue)},
	{
		[]string{"OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT", "OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_TIMEOUT"},
		milliseconds,
	},
	{
		[]string{
			"OTEL_ATTRIBUTE_COUNT_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
			"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
			"OTEL_SPAN_EVENT_COUNT_LIMIT", "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT",
			"OTEL_SPAN_LINK_COUNT_LIMIT", "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT",
		},
		between(math.MinInt32, math.MaxInt32),
	},
}

// checkEnv refuses what OTEL_* variables say wrongly: all faults in one line, each with its variable, its value and the mend. A
// variable that is empty counts as one that is not set, as OpenTelemetry's specification has it.
func checkEnv() error {
	var faults []string
	for _, rule := range envRules {
		for _, name := range rule.names {
			value := os.Getenv(name)
			if value == "" {
				continue
			}
			if fault := rule.fault(value); fault != "" {
				faults = append(faults, fmt.Sprintf("%s: %q %s", name, shown(value), fault))
			}
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(faults, "; "))
}

// shown is as much of a value as an error may show: no name and password, and nothing behind the path of a URL.
func shown(value string) string {
	if at := strings.LastIndexByte(value, '@'); at >= 0 {
		value = "…" + value[at:]
	}
	value, _, _ = strings.Cut(value, "?")
	return beginning(value, maxReason)
}

// ofOTLP are the three variables of a setting of the exporters: of both signals, and of each.
func ofOTLP(setting string) []string {
	return []string{
		"OTEL_EXPORTER_OTLP_" + setting, "OTEL_EXPORTER_OTLP_TRACES_" + setting, "OTEL_EXPORTER_OTLP_METRICS_" + setting,
	}
}

// exporterFault allows the exporters that need nothing of the process but the network.
func exporterFault(value string) envFault {
	switch value {
	case "otlp", "none":
		return ""
	case "console":
		return "would write to stdout, which is for the protocol: write otlp or none"
	case "prometheus":
		return "would open a listener of its own: write otlp or none, and serve /metrics with --admin"
	}
	return "is not known: write otlp or none"
}

func producerFault(value string) envFault {
	if value == "none" {
		return ""
	}
	return "is not possible, there are no metrics but the bridge's: write none, or leave it out"
}

// propagatorFault refuses none as well: the bridge passes the trace of a client on with telemetry or without.
func propagatorFault(value string) envFault {
	for name := range strings.SplitSeq(value, ",") {
		switch name = strings.TrimSpace(name); name {
		case "tracecontext", "baggage":
		case "none":
			return "is not possible, as the trace of a client always goes on to the backends: write tracecontext or baggage, or leave it out"
		default:
			return envFault(fmt.Sprintf("has %q, which is not known: write tracecontext or baggage, or leave it out", name))
		}
	}
	return ""
}

// endpointFault asks what the check of telemetry.otlp.endpoint asks.
func endpointFault(value string) envFault {
	u, err := url.Parse(strings.TrimSpace(value))
	switch {
	case err == nil && u.User != nil:
		return "must not have a user and a password in it: send them in OTEL_EXPORTER_OTLP_HEADERS"
	case err == nil && u.Hostname() != "" && (u.Scheme == "http" || u.Scheme == "https"):
		return ""
	case !strings.Contains(value, "/") && strings.Contains(value, ":"):
		return envFault("must be a URL with http:// or https://: write http://" + shown(strings.TrimSpace(value)))
	}
	return "must be a URL with http:// or https:// and a host, such as http://localhost:4318"
}

// fileFault refuses what is no file that can be opened. A pipe would be waited for, and is none.
func fileFault(value string) envFault {
	name := strings.TrimSpace(value)
	info, err := os.Stat(name) //nolint:gosec // a file that the operator names
	if err == nil && !info.Mode().IsRegular() {
		return "is no file: name one in PEM"
	}
	if err == nil {
		err = openable(name)
	}
	if reason, ok := errors.AsType[*os.PathError](err); ok {
		err = reason.Err
	}
	if err != nil {
		return envFault(fmt.Sprintf("cannot be read, %v: name a file in PEM", err))
	}
	return ""
}

func openable(name string) error {
	f, err := os.Open(name) //nolint:gosec // as above
	if err != nil {
		return err
	}
	return f.Close()
}

func samplerFault(value string) envFault {
	return oneOf("always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
		"parentbased_traceidratio")(strings.ToLower(value))
}

func ratioFault(value string) envFault {
	if ratio, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && ratio >= 0 && ratio <= 1 {
		return ""
	}
	return "must be a number from 0 to 1"
}

func milliseconds(value string) envFault {
	if fault := between(1, maxMilliseconds)(strings.TrimSpace(value)); fault != "" {
		return fault + ", in milliseconds"
	}
	return ""
}

// between allows whole numbers, both bounds among them.
func between(low, high int) func(string) envFault {
	return func(value string) envFault {
		if n, err := strconv.Atoi(value); err == nil && n >= low && n <= high {
			return ""
		}
		return envFault(fmt.Sprintf("must be a whole number from %d to %d", low, high))
	}
}

func oneOf(allowed ...string) func(string) envFault {
	return func(value string) envFault {
		if slices.Contains(allowed, strings.TrimSpace(value)) {
			return ""
		}
		return envFault("must be one of " + strings.Join(allowed, ", "))
	}
}
