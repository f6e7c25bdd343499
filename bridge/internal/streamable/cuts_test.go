package streamable_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// cuts are the streams that a handler has cut short.
type cuts struct {
	mu      sync.Mutex
	reasons []string
}

func (c *cuts) of(h *streamable.Handler) *cuts {
	streamable.CountCuts(h, func(reason string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.reasons = append(c.reasons, reason)
	})
	return c
}

// want holds what was counted against the wanted.
func (c *cuts) want(t *testing.T, name string, reasons ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff(reasons, c.reasons); diff != "" {
		t.Errorf("%s: streams cut (-want +got):\n%s", name, diff)
	}
}

// talks says something and then waits for its end.
func talks(ctx context.Context, _ jsonrpc.Message, out server.Sink) server.Reply {
	out.Send(ctx, notification(0))
	<-ctx.Done()
	return server.Reply{}
}

var streamLines = []string{"Accept: text/event-stream, application/json"}

// TestStreamsCut: a stream counts as cut short, once, where it is the bridge that ends it, and not where its call is over,
// its client leaves, or comes back elsewhere.
func TestStreamsCut(t *testing.T) {
	t.Parallel()
	store := session.NewMemory(session.MemoryOptions{})
	leaves := func(_ *testing.T, _ *streamable.Handler, _ *script, c wire, _ string) { _ = c.Close() }
	drains := func(t *testing.T, h *streamable.Handler, s *script, c wire, id string) {
		h.Drain()
		reads(t, h, s, c, id)
	}
	deletes := func(t *testing.T, h *streamable.Handler, s *script, c wire, id string) {
		serve(h, request("DELETE", "", in(id)))
		reads(t, h, s, c, id)
	}
	loses := func(t *testing.T, h *streamable.Handler, s *script, c wire, id string) {
		if err := store.Delete(t.Context(), id); err != nil { // by another replica
			t.Error(err)
		}
		reads(t, h, s, c, id)
	}
	reopens := func(t *testing.T, h *streamable.Handler, s *script, c wire, id string) {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		serve(h, request("GET", "", in(id)).WithContext(ctx))
		reads(t, h, s, c, id)
	}
	for name, tt := range map[string]struct {
		run  func(context.Context, jsonrpc.Message, server.Sink) server.Reply // nil for a stream of notifications
		end  func(t *testing.T, h *streamable.Handler, s *script, c wire, id string)
		want []string
		only mcp.Version // "" for both eras
	}{
		"a call that is over":                 {run: counts(3), end: reads},
		"a call whose client leaves":          {run: talks, end: leaves},
		"a stream whose client leaves":        {end: leaves},
		"a slow reader":                       {run: counts(3), want: []string{"slow_client"}, end: waits},
		"a call and Drain":                    {run: counts(3), end: drains},
		"a call and Close":                    {run: talks, want: []string{"shutdown"}, end: closes},
		"a stream and Close":                  {want: []string{"shutdown"}, end: closes},
		"a stream and Drain":                  {want: []string{"shutdown"}, end: drains},
		"a stream and the end of its session": {only: mcp.V20251125, want: []string{"session_ended"}, end: deletes},
		"a stream whose session is gone":      {only: mcp.V20251125, want: []string{"session_ended"}, end: loses},
		"a stream that is opened anew":        {only: mcp.V20251125, end: reopens},
	} {
		for _, version := range []mcp.Version{mcp.V20251125, mcp.V20260728} {
			if tt.only != "" && tt.only != version {
				continue
			}
			t.Run(name+" "+string(version), func(t *testing.T) {
				t.Parallel()
				bubble(t, func(t *testing.T) {
					s := subscribed()
					if tt.run != nil {
						s = &script{run: tt.run}
					}
					s.gate = lifecycle.NewGate(lifecycle.Config{Sessions: store})
					h := scripted(s)
					counted := new(cuts).of(h)
					_, lis := start(t, h)
					c, id := lis.dial(t), open(t, h, mcp.V20251125)
					begins(t, c, version, id, tt.run == nil)
					synctest.Wait()
					tt.end(t, h, s, c, id)
					synctest.Wait()
					counted.want(t, name, tt.want...)
					_ = c.Close()
					h.Close()
					wantNoPlaces(t, h)
					counted.want(t, name+", afterwards", tt.want...)
				})
			})
		}
	}
}

// begins asks for a stream, of notifications or of a call.
func begins(t *testing.T, c wire, version mcp.Version, id string, notifications bool) {
	t.Helper()
	switch {
	case version == mcp.V20260728:
		c.send(t, modernRequest, len(modernRequest), slices.Concat(modernLines, streamLines)...)
	case notifications:
		c.get(t, "Mcp-Session-Id: "+id)
	default:
		c.send(t, call, len(call), append(slices.Clone(streamLines), "Mcp-Session-Id: "+id)...)
	}
}

// reads reads a stream to its end.
func reads(t *testing.T, _ *streamable.Handler, _ *script, c wire, _ string) {
	t.Helper()
	c.head(t).rest(t)
}

// closes closes the handler and reads to the end.
func closes(t *testing.T, h *streamable.Handler, s *script, c wire, id string) {
	t.Helper()
	h.Close()
	reads(t, h, s, c, id)
}

// waits waits until a client that does not read is given up.
func waits(*testing.T, *streamable.Handler, *script, wire, string) {
	time.Sleep(2 * streamable.DefaultEventTimeout) // of the bubble's clock
}

// TestSlowReaderOfHTTP2Counts: HTTP/2 says of a deadline that is over only that the stream has ended.
func TestSlowReaderOfHTTP2Counts(t *testing.T) {
	t.Parallel()
	large := []byte(`"` + strings.Repeat("x", 64<<10) + `"`)
	ended := make(chan struct{})
	h := scripted(&script{run: func(ctx context.Context, _ jsonrpc.Message, out server.Sink) server.Reply {
		defer close(ended)
		for out.Send(ctx, large) == nil { // until the windows of the connection are full
		}
		return server.Reply{}
	}}, func(c *streamable.Config) { c.EventTimeout = time.Second })
	counted := new(cuts).of(h)
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(func() { s.Client().CloseIdleConnections(); s.Close() })
	unread := begin(t, s, "POST", modernRequest, modern)
	take(t, ended)
	counted.want(t, "a client of "+unread.Proto, "slow_client")
}
