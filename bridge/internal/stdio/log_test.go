package stdio_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// TestRefusalsAreLoggedWithoutValues: what a client is told of its own values stands in no log, whatever its level.
func TestRefusalsAreLoggedWithoutValues(t *testing.T) {
	t.Parallel()
	var logged, out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	gate := lifecycle.NewGate(lifecycle.Config{})
	cfg := stdio.Config{Gate: gate, Logger: log, Server: server.New(server.Config{
		Gate: gate, Logger: log, Catalog: func() *catalog.Catalog { return &catalog.Catalog{} },
	})}
	in := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.Replace(modernMeta, "2026-07-28", "sk-canary-1", 1) + "}}\n" +
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"file:///sk-canary-2",` + modernMeta + "}}\n"
	if err := stdio.Serve(t.Context(), cfg, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "sk-canary-") < 2 || !strings.Contains(out.String(), "-32022") {
		t.Errorf("answers: %s", out.String())
	}
	if strings.Count(logged.String(), "served") != 2 || strings.Contains(logged.String(), "canary") {
		t.Errorf("logged: %s", logged.String())
	}
}
