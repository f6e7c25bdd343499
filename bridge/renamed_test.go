package bridge_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestNewcomersRenameNobody: a backend with the same service that comes later leaves the names that clients know; a name that
// is pinned after all changes them, and the log says so once, with a count instead of the rest.
func TestNewcomersRenameNobody(t *testing.T) {
	t.Parallel()
	log := new(logbook)
	late := &changing{err: errors.New("connection refused")}
	a := bridge.Backend{Name: "a", Conn: noConn{}, Descriptors: echoOnly}
	backends := []bridge.Backend{a, {Name: "b", Conn: noConn{}, Descriptors: late}}
	b := newBridge(t, backends, bridge.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
	before := b.Report().Tools
	late.set(echoOnly, nil)
	if err := b.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := map[string]string{}
	for _, tool := range b.Report().Tools {
		after[tool.Name] = tool.Backend
	}
	for _, tool := range before {
		if after[tool.Name] != "a" || after["b_"+tool.Name] != "b" {
			t.Errorf("%s has become that of %q, and b's that of %q", tool.Name, after[tool.Name], after["b_"+tool.Name])
		}
	}
	if text := log.read(); strings.Contains(text, "another name") {
		t.Errorf("logged %q", text)
	}
	backends[0].Tools = map[string]*bridgev1.Tool{}
	for _, tool := range before {
		backends[0].Tools[tool.Method] = &bridgev1.Tool{Name: "my_" + tool.Name}
	}
	if err := b.Replace(t.Context(), backends); err != nil {
		t.Fatal(err)
	}
	text, n := log.read(), min(len(before), 10)
	if strings.Count(text, "a tool has another name now") != n || !strings.Contains(text, "backend=a method=echo.v1.") ||
		strings.Contains(text, "more tools have other names") != (len(before) > n) {
		t.Errorf("of %d tools it logged %s", len(before), text)
	}
}
