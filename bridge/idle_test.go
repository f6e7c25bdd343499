package bridge_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
)

// TestOpenStreamKeepsItsSession: a session with an open stream is in use, however short the time is after which it would be
// idle.
func TestOpenStreamKeepsItsSession(t *testing.T) {
	t.Parallel()
	for _, idle := range []time.Duration{0, 100 * time.Millisecond, 3 * time.Second, time.Hour} {
		t.Run(idle.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var opts []bridge.Option
				if idle > 0 {
					opts = append(opts, bridge.WithSessionIdle(idle))
				}
				b := newBridge(t, []bridge.Backend{{Conn: noConn{}, Descriptors: echoOnly}}, opts...)
				id := send(t.Context(), b, "POST", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+
					`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`).Header().Get("Mcp-Session-Id")
				send(t.Context(), b, "POST", id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				ctx, leave := context.WithCancel(t.Context())
				var stream sync.WaitGroup
				stream.Go(func() { send(ctx, b, "GET", id, "") })
				time.Sleep(2 * time.Hour) // of the bubble's clock
				if resp := send(t.Context(), b, "POST", id, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); resp.Code != http.StatusOK {
					t.Errorf("status %d, body %s", resp.Code, resp.Body)
				}
				leave()
				stream.Wait()
			})
		})
	}
}

// send has a bridge serve one request in a session, "" being none.
func send(ctx context.Context, b *bridge.Bridge, method, session, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, method, "/mcp", strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}
