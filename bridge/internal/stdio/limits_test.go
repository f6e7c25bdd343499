package stdio_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// TestLimitsBelowZero: they are the defaults, and refuse nothing.
func TestLimitsBelowZero(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &double{sends: map[string]func(context.Context, jsonrpc.Message, server.Sink) []byte{listen: announces(nil)}}
		c := connect(t, d, stdio.Config{MaxLine: -1, MaxRunning: -1, MaxPending: -1, MaxStreams: -1, WriteTimeout: -1})
		for id, method := range []string{"ping", "tools/call"} {
			c.request(id, method)
			c.want(id)
		}
		c.request(2, listen)
		c.wantLine(string(notification(fmt.Sprint("acknowledged/", 2))))
		c.cancelRequest(2)
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
}
