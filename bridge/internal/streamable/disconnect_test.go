package streamable_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

const (
	legacyRequest = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	modernRequest = `{"jsonrpc":"2.0",` +
		`"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`
)

func modern(r *http.Request) {
	r.Header.Set("Mcp-Protocol-Version", string(mcp.V20260728))
	r.Header.Set("Mcp-Method", mcp.MethodToolsList)
}

// slow is a server whose call takes an hour, or until its context ends. It reports its begin, and its end with the
// cause.
type slow struct {
	began chan struct{}
	ended chan error
}

func newSlow() slow { return slow{began: make(chan struct{}), ended: make(chan error, 1)} }

func (slow) Listen(context.Context, *lifecycle.Conn, server.Sink) error { return nil }

func (s slow) Admit(ctx context.Context, _ *lifecycle.Conn, msg jsonrpc.Message, _ server.Sink) streamable.Call {
	return running(func() server.Reply { return s.run(ctx, msg) })
}

func (s slow) run(ctx context.Context, msg jsonrpc.Message) server.Reply {
	close(s.began)
	select {
	case <-ctx.Done():
		s.ended <- context.Cause(ctx)
		return server.Reply{}
	case <-time.After(time.Hour):
		s.ended <- nil
		return server.Reply{Status: 200, Body: jsonrpc.AppendResult(nil, msg.ID, nil)}
	}
}

// TestDisconnect: in the modern era a client that leaves has cancelled its call, at once; in the legacy era it has not,
// and the call goes on, for a time that is bounded.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		body   string
		change func(*http.Request)
		orphan time.Duration
		after  time.Duration // from the disconnect to the end of the call
		done   bool          // it ended by itself
	}{
		{name: "modern", body: modernRequest, change: modern, orphan: time.Minute},
		{name: "legacy", body: legacyRequest, orphan: time.Minute, after: time.Minute},
		{name: "legacy, and the call ends first", body: legacyRequest, orphan: 2 * time.Hour, after: time.Hour - time.Second, done: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				backend := newSlow()
				h := gated(backend, func(c *streamable.Config) { c.OrphanTimeout = tt.orphan })
				ctx, disconnect := context.WithCancel(t.Context())
				w, returned := httptest.NewRecorder(), make(chan struct{})
				go func() {
					defer close(returned)
					if abandoned := abandons(h, w, request("POST", tt.body, changes(tt.change)...).WithContext(ctx)); abandoned == tt.done {
						t.Errorf("abandoned is %v", abandoned)
					}
				}()
				time.Sleep(time.Second) // of the bubble's clock
				disconnect()
				left := time.Now()
				cause := take(t, backend.ended)
				if took := time.Since(left); took != tt.after || (cause == nil) != tt.done {
					t.Errorf("the call ended %v after the disconnect with %v", took, cause)
				}
				take(t, returned)
				if !tt.done && w.Body.Len() > 0 {
					t.Errorf("sent after the cancellation: %s", w.Body)
				}
			})
		})
	}
}

// TestNothingAfterCancellation: a result that comes when a modern client has left is not sent, nor does the status line
// promise one.
func TestNothingAfterCancellation(t *testing.T) {
	t.Parallel()
	ctx, disconnect := context.WithCancel(t.Context())
	d := &double{handle: func(_ context.Context, msg jsonrpc.Message) server.Reply {
		disconnect()
		return server.Reply{Status: 200, Body: jsonrpc.AppendResult(nil, msg.ID, nil)}
	}}
	h := gated(d)
	w := &onceWriter{header: http.Header{}}
	if !abandons(h, w, request("POST", modernRequest, modern).WithContext(ctx)) {
		t.Error("the connection is left open")
	}
	if w.writes != 0 || w.status != 0 {
		t.Errorf("status %d in %d writes: %s", w.status, w.writes, w.body)
	}
	wantServed(t, d, 1)
}

// abandons has h serve r and reports whether it told net/http to close the connection.
func abandons(h http.Handler, w http.ResponseWriter, r *http.Request) (abandoned bool) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			abandoned = true
		default:
			panic(p)
		}
	}()
	h.ServeHTTP(w, r)
	return false
}
