package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
)

// recorded returns telemetry, and what says what it has recorded: of sums and histograms name, attributes and value, in
// the order of the text.
func recorded(t *testing.T) (*telemetry.Telemetry, func() []string) {
	t.Helper()
	reader := sdkmetric.NewManualReader()
	tel, err := telemetry.New(telemetry.Config{MeterProvider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))})
	if err != nil {
		t.Fatal(err)
	}
	return tel, func() []string {
		var all metricdata.ResourceMetrics
		if err := reader.Collect(context.Background(), &all); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				lines = append(lines, linesOf(m)...)
			}
		}
		slices.Sort(lines)
		return lines
	}
}

// linesOf writes the points of a counter, and of a histogram with their sums.
func linesOf(m metricdata.Metrics) (lines []string) {
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			lines = append(lines, strings.TrimSpace(fmt.Sprint(m.Name, " ", p.Value, " ", attributesOf(p.Attributes.ToSlice()))))
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			lines = append(lines, strings.TrimSpace(fmt.Sprint(m.Name, " ", p.Sum, " ", attributesOf(p.Attributes.ToSlice()))))
		}
	}
	return lines
}

// attributesOf writes attributes in the order of their names.
func attributesOf(all []attribute.KeyValue) string {
	var parts []string
	for _, a := range all {
		parts = append(parts, string(a.Key)+"="+a.Value.String())
	}
	return strings.Join(parts, " ")
}

// spoken are the attributes of a session that has begun with initialize.
const spoken = "mcp.protocol.version=2025-06-18 network.transport=pipe"

// TestSessionsRecorded: the end of a stream is recorded with its version where its client had begun the legacy handshake,
// however it ends; that it is a pipe, the requests say too.
func TestSessionsRecorded(t *testing.T) {
	t.Parallel()
	const session = "mcp.server.session.duration 0 "
	modern := `{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{` + modernMeta + `}}` + "\n"
	for name, tt := range map[string]struct {
		in   io.Reader
		want []string
	}{
		"legacy":  {strings.NewReader(initialize + initialized), []string{session + spoken}},
		"modern":  {strings.NewReader(modern), nil},
		"nothing": {strings.NewReader(""), nil},
		"a bad cable": {
			io.MultiReader(strings.NewReader(initialize), iotest.ErrReader(errors.New("pulled"))),
			[]string{session + "error.type=_OTHER " + spoken},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := healthConfig(t, nil)
				var read func() []string
				cfg.Telemetry, read = recorded(t)
				var out bytes.Buffer
				_ = stdio.Serve(t.Context(), cfg, tt.in, &out)
				if diff := cmp.Diff(tt.want, read()); diff != "" {
					t.Errorf("recorded (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestSlowClientIsCounted: a client that does not read its answers is counted, with its session as with itself.
func TestSlowClientIsCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := healthConfig(t, nil)
		var read func() []string
		cfg.Telemetry, read = recorded(t)
		in, feed := io.Pipe()
		unread, out := io.Pipe()
		defer unread.Close()
		go func() { _, _ = io.WriteString(feed, initialize) }()
		if err := stdio.Serve(t.Context(), cfg, in, out); !errors.Is(err, stdio.ErrBlocked) {
			t.Errorf("Serve returned %v", err)
		}
		want := []string{
			"bridge.streams.cut 1 reason=slow_client",
			fmt.Sprint("mcp.server.session.duration ", stdio.DefaultWriteTimeout.Seconds(), " error.type=slow_client "+spoken),
		}
		if diff := cmp.Diff(want, read()); diff != "" {
			t.Errorf("recorded (-want +got):\n%s", diff)
		}
		time.Sleep(time.Second) // of the bubble's clock: what is left behind ends
	})
}
