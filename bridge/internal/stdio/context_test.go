package stdio_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// streamKey is the key of a value in the context of Serve.
type streamKey struct{}

// contexts is a slog.Handler that notes which messages have come with that value.
type contexts struct {
	slog.Handler
	mu            sync.Mutex
	with, without []string
}

func (*contexts) Enabled(context.Context, slog.Level) bool { return true }

func (c *contexts) Handle(ctx context.Context, r slog.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Value(streamKey{}) == nil {
		c.without = append(c.without, r.Message)
	} else {
		c.with = append(c.with, r.Message)
	}
	return nil
}

// TestValuesOfTheContext: calls have the values of the context of Serve, and so has what is logged of them.
func TestValuesOfTheContext(t *testing.T) {
	t.Parallel()
	var values []any
	d := &double{
		methods: methods{
			"ping": func(ctx context.Context, _ jsonrpc.Message) []byte {
				values = append(values, ctx.Value(streamKey{}))
				return nil
			},
			"panics": func(context.Context, jsonrpc.Message) []byte { panic("secret detail") },
		},
		listen: func(ctx context.Context, _ server.Sink) error {
			if ctx.Value(streamKey{}) == nil {
				return errors.New("no value")
			}
			return errors.New("ends early")
		},
	}
	log := &contexts{}
	ctx := context.WithValue(t.Context(), streamKey{}, "v")
	in := request(1, "ping") + request(2, "panics") + request(3, "admission panics")
	if err := stdio.ServeCalls(ctx, stdio.Config{Logger: slog.New(log), MaxRunning: 1}, d, strings.NewReader(in), io.Discard); err != nil {
		t.Fatal(err)
	}
	if len(values) != 1 || values[0] != "v" {
		t.Errorf("the call has %v", values)
	}
	if len(log.without) > 0 || !slices.Contains(log.with, "panic while serving a message") {
		t.Errorf("logged with the value %q, without %q", log.with, log.without)
	}
}
