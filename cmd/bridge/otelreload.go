package main

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Results of reading the configuration again.
const (
	reloadRenewed = "renewed"
	reloadRefused = "refused"
)

// countReload counts that the configuration of a running bridge was read again, in bridge.config.reloads; nothing where there
// are no metrics. Equal instruments of a provider are one, so that none has to be kept for something this rare.
func (t *telemetrySetup) countReload(ctx context.Context, result string) {
	if t == nil || t.meters == nil {
		return
	}
	reloads, err := t.meters.Meter("github.com/mcpgrpc/bridge/cmd/bridge").Int64Counter("bridge.config.reloads",
		metric.WithUnit("{reload}"),
		metric.WithDescription("Times that the configuration was read again: renewed, or refused for its faults."))
	if err != nil {
		otel.Handle(err)
		return
	}
	reloads.Add(ctx, 1, metric.WithAttributes(attribute.String("result", result)))
}
