package lifecycle_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// flood sends n initialize requests, as large as a session keeps, and nothing else.
func flood(t *testing.T, g *lifecycle.Gate, n int) {
	t.Helper()
	ctx, msg := context.Background(), message(t, "1", "initialize", "")
	for range n {
		// Each has memory of its own, as each request has.
		info := []byte(`{"name":"client","version":"` + strings.Repeat("x", 16_000) + `"}`)
		c, refusal := g.Post(ctx, headers(""), msg, "")
		accepted(t, refusal)
		_, _, end, err := g.Begin(ctx, c, msg)
		checkError(t, err, 0, "")
		_, refusal = g.Initialize(ctx, c, mcp.InitializeParams{ProtocolVersion: mcp.V20251125, Capabilities: []byte(`{}`), ClientInfo: info}, "")
		accepted(t, refusal)
		end()
	}
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestFloodOfInitialize: 2,000 strangers who open sessions leave as many as the
// store holds, and no goroutine. It is not parallel, to measure nobody else.
func TestFloodOfInitialize(t *testing.T) {
	const most, each = 100, 40_000 // bytes of a session with a client as large as may be, generously
	store := session.NewMemory(session.MemoryOptions{Max: most})
	g := lifecycle.NewGate(lifecycle.Config{Sessions: store})
	goroutines, before := runtime.NumGoroutine(), heap()
	flood(t, g, 2000)
	if grown := heap() - before; grown > most*each {
		t.Errorf("%d bytes are left, for %d sessions", grown, store.Len())
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
	if store.Len() != most {
		t.Errorf("%d sessions are left", store.Len())
	}
	runtime.KeepAlive(g)
}

// TestFloodPasses: what the strangers left is gone after the time that a
// handshake may take; a goroutine of theirs would keep the bubble from ending.
func TestFloodPasses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory(session.MemoryOptions{})
		g := lifecycle.NewGate(lifecycle.Config{Sessions: store})
		mine := open(t, g, "")
		flood(t, g, 2000)
		time.Sleep(session.DefaultHandshake)
		if store.Len() != 1 {
			t.Errorf("%d sessions are left", store.Len())
		}
		accepted(t, get(t, g, mine).Touch(t.Context()))
	})
}
