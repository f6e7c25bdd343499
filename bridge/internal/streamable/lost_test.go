package streamable_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
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

// TestEndIsLost: a call whose last event cannot be kept, so that the journal never tells its end, holds up neither the
// client that has come back for it nor the end of the server.
func TestEndIsLost(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*streamable.Handler, chan<- struct{}){
		"by itself": func(_ *streamable.Handler, steps chan<- struct{}) { close(steps) },
		"by Close":  func(h *streamable.Handler, _ chan<- struct{}) { h.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				script, steps := stepping()
				h := scripted(script, journaled(&flaky{Journal: session.NewMemoryJournal(session.JournalOptions{}), last: true}))
				_, lis := start(t, h)
				id := open(t, h, mcp.V20251125)
				first, second := lis.dial(t), lis.dial(t)
				first.send(t, call, len(call), "Accept: text/event-stream, application/json", "Mcp-Session-Id: "+id)
				give(t, steps, struct{}{})
				second.get(t, "Mcp-Session-Id: "+id, "Last-Event-ID: "+first.head(t).next(t).id)
				stream := second.head(t)
				stream.next(t)
				synctest.Wait()
				began := time.Now()
				end(h, steps)
				if rest := stream.rest(t); len(rest) != 0 || time.Since(began) > 5*time.Second { // of the bubble's clock
					t.Errorf("after %v: %+v", time.Since(began), rest)
				}
			})
		})
	}
}

// TestRefusedResumptionTakesNothing: a GET that asks for events which are not kept does not cut the connection on which the
// client has its answer.
func TestRefusedResumptionTakesNothing(t *testing.T) {
	t.Parallel()
	script, steps := stepping()
	h := scripted(script, journaled(session.NewMemoryJournal(session.JournalOptions{StreamEvents: 2})))
	s := listen(t, h)
	id := open(t, h, mcp.V20251125)
	began := make(chan reading, 1)
	go func() { began <- begin(t, s, "POST", call, in(id)) }()
	for range 4 {
		give(t, steps, struct{}{})
	}
	first := take(t, began)
	var seen []event
	for range 5 {
		seen = append(seen, first.next(t))
	}
	wantError(t, serve(h, request("GET", "", in(id), header("Last-Event-ID", seen[0].id))), 404, jsonrpc.CodeInvalidRequest, "")
	give(t, steps, struct{}{})
	close(steps)
	if diff := cmp.Diff(conversation(5), messages(append(seen, first.rest(t)...))); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// TestStoppedListenerIsNoFault: the end of the server is not complained of.
func TestStoppedListenerIsNoFault(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := scripted(&script{listen: func(context.Context, *lifecycle.Conn, server.Sink) error { return server.ErrStopped }}, loud(&log))
	id := open(t, h, mcp.V20250618)
	if resp := serve(h, request("GET", "", in(id))); resp.StatusCode != http.StatusOK || log.Len() > 0 {
		t.Errorf("status %d, log %s", resp.StatusCode, log.String())
	}
}

// loud has a handler log what somebody should see to.
func loud(log *bytes.Buffer) func(*streamable.Config) {
	return func(c *streamable.Config) {
		c.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
}

// TestFullStoreIsLoggedAsFull: and not as one that cannot be reached.
func TestFullStoreIsLoggedAsFull(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	store := &failing{Store: session.NewMemory(session.MemoryOptions{})}
	h := scripted(&script{gate: lifecycle.NewGate(lifecycle.Config{Sessions: store})}, loud(&log))
	id := open(t, h, mcp.V20250618)
	store.set(session.ErrFull)
	wantError(t, serve(h, request("GET", "", in(id))), 503, jsonrpc.CodeInternal, "")
	if text := log.String(); !strings.Contains(text, "level=WARN") || !strings.Contains(text, "no room for sessions") ||
		strings.Contains(text, "reached") {
		t.Errorf("log %s", text)
	}
}

// TestKeepAliveWithinEventTimeout: comments come before the deadline of the event before them, whatever is asked for.
func TestKeepAliveWithinEventTimeout(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		keepAlive, eventTimeout, want time.Duration
	}{
		"defaults":                 {0, 0, streamable.DefaultKeepAlive},
		"below zero":               {-1, -1, streamable.DefaultKeepAlive},
		"longer than the deadline": {time.Minute, 8 * time.Second, 4 * time.Second},
		"shorter":                  {time.Second, 8 * time.Second, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				h := scripted(&script{}, func(c *streamable.Config) { c.KeepAlive, c.EventTimeout = tt.keepAlive, tt.eventTimeout })
				_, lis := start(t, h)
				c := lis.dial(t)
				c.get(t, "Mcp-Session-Id: "+open(t, h, mcp.V20250618))
				stream, began := c.head(t), time.Now()
				if text, err := stream.in.ReadString('\n'); err != nil || !strings.HasPrefix(text, ":") || time.Since(began) != tt.want {
					t.Errorf("after %v: %q, %v", time.Since(began), text, err)
				}
			})
		})
	}
}

// TestLimitsBelowZero: they are the defaults, and refuse nothing.
func TestLimitsBelowZero(t *testing.T) {
	t.Parallel()
	h := scripted(&script{run: counts(1)}, func(c *streamable.Config) {
		c.MaxBody, c.MaxStreams, c.MaxCalls = -1, -1, -1
		c.BodyTimeout, c.WriteTimeout, c.OrphanTimeout, c.KeepAlive, c.EventTimeout, c.Retry = -1, -1, -1, -1, -1, -1
	})
	s := listen(t, h)
	id := open(t, h, mcp.V20251125)
	stream := begin(t, s, "GET", "", in(id))
	if stream.StatusCode != http.StatusOK {
		t.Errorf("a stream: status %d", stream.StatusCode)
	}
	all := begin(t, s, "POST", call, in(id)).rest(t)
	if diff := cmp.Diff(conversation(1), messages(all)); diff != "" || all[0].retry != "500" {
		t.Errorf("events %+v, messages (-want +got):\n%s", all, diff)
	}
}
