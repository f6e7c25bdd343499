package bridge_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// absent is a backend that is not up yet.
type absent struct{}

func (absent) Load(context.Context) (*descriptor.Set, error) {
	return nil, errors.New("connection refused")
}

// TestDeclaredBeforeItComes: with reloading, a client that connects before the backend is up is told that there can be
// prompts and resources, and will be told when they come; without, nothing is declared that is not there.
func TestDeclaredBeforeItComes(t *testing.T) {
	t.Parallel()
	const both = `"prompts":{"listChanged":true},"resources":{"listChanged":true}`
	conn := startServices(t)
	for name, tt := range map[string]struct {
		source descriptor.Source
		opts   []bridge.Option
		want   bool
	}{
		"reloading":     {absent{}, []bridge.Option{bridge.WithReload(time.Hour)}, true},
		"not reloading": {echoOnly, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBridge(t, []bridge.Backend{{Name: "later", Conn: conn, Descriptors: tt.source}}, tt.opts...)
			var out strings.Builder
			in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
				`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n")
			if err := b.ServeStdio(t.Context(), in, &out); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(out.String(), both); got != tt.want {
				t.Errorf("got %s", out.String())
			}
		})
	}
}
