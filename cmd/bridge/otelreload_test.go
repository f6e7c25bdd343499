package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// TestReloadsAreCounted: a configuration that is taken over counts, and one that is refused does.
func TestReloadsAreCounted(t *testing.T) {
	t.Parallel()
	set, err := filepath.Abs("../../services/library/library.binpb")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "bridge.yaml")
	text := fmt.Sprintf("backends:\n  - target: %s\n    plaintext: {}\n    descriptors: {files: {descriptor_set: %s}}\n", startLibraryTest(t),
		set)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n := &renewal{load: func() (*configv1.Config, error) { return config.Read(file) }, file: file, cancel: func() {}}
	reader, metrics, err := prometheusReader()
	if err != nil {
		t.Fatal(err)
	}
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	r := begin(t, n)
	r.telemetry.meters, r.telemetry.failures = meters, newFailures(r.logger, time.Now)
	if !n.renew(t.Context(), "test") {
		t.Error("the same configuration was refused")
	}
	n.load = func() (*configv1.Config, error) { return nil, errors.New("unreadable") }
	for range 2 {
		if n.renew(t.Context(), "test") {
			t.Error("a configuration that cannot be read was taken over")
		}
	}
	answer := httptest.NewRecorder()
	metrics.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	for _, want := range []string{
		`(?m)^bridge_config_reloads_total\{.*result="renewed".*\} 1$`, `(?m)^bridge_config_reloads_total\{.*result="refused".*\} 2$`,
	} {
		if !regexp.MustCompile(want).MatchString(answer.Body.String()) {
			t.Errorf("there is no %s in\n%s", want, answer.Body)
		}
	}
}

// TestNoReloadsAreCounted: without metrics there is nothing to count with.
func TestNoReloadsAreCounted(t *testing.T) {
	t.Parallel()
	var none *telemetrySetup
	none.countReload(t.Context(), reloadRefused)
	(&telemetrySetup{}).countReload(t.Context(), reloadRefused)
}
