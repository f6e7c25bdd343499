package streamable_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// TestDrain stops a server in the three steps of the package's documentation: in both eras, and with or without its
// client, a call that takes too long has ended when the last step is over, and the client knows.
func TestDrain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		body  string
		lines []string
		left  bool // the client leaves before the server is stopped
	}{
		{name: "modern", body: modernRequest, lines: modernLines},
		{name: "legacy", body: legacyRequest},
		{name: "legacy, client left", body: legacyRequest, left: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				backend := newSlow()
				h := gated(backend)
				s, lis := start(t, h)
				c := lis.dial(t)
				c.send(t, tt.body, len(tt.body), tt.lines...)
				take(t, backend.began)
				if tt.left {
					_ = c.Close()
				}
				patience, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := s.Shutdown(patience); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("the first Shutdown returned %v: the call is over too early", err)
				}
				h.Close()
				if !tt.left {
					wantCutShort(t, c.receive(t))
				}
				cut := time.Now()
				if err := s.Shutdown(t.Context()); err != nil || time.Since(cut) > time.Second {
					t.Errorf("the second Shutdown returned %v after %v", err, time.Since(cut))
				}
				select {
				case cause := <-backend.ended:
					if !errors.Is(cause, server.ErrStopped) {
						t.Errorf("the call ended with %v", cause)
					}
				default:
					t.Error("the call goes on")
				}
			})
		})
	}
}

// wantCutShort holds an answer against the last error of a client whose call was cut short.
func wantCutShort(t *testing.T, resp answer) {
	t.Helper()
	if says := wantError(t, resp, 200, jsonrpc.CodeInternal, "1"); !strings.Contains(says, "not known") {
		t.Errorf("message %q", says)
	}
}

// TestCloseKeepsResults: what has come to a result is not cut short.
func TestCloseKeepsResults(t *testing.T) {
	t.Parallel()
	var h *streamable.Handler
	d := &double{handle: func(ctx context.Context, msg jsonrpc.Message) server.Reply {
		h.Close()
		<-ctx.Done()
		return server.Reply{Status: 200, Body: jsonrpc.AppendResult(nil, msg.ID, nil)}
	}}
	for name, r := range map[string]*http.Request{"legacy": request("POST", legacyRequest), "modern": request("POST", modernRequest, modern)} {
		h = gated(d)
		if resp := serve(h, r); resp.StatusCode != http.StatusOK || !strings.Contains(string(resp.body), `"result"`) {
			t.Errorf("%s: status %d, body %s", name, resp.StatusCode, resp.body)
		}
	}
}

// TestCloseDuringNotification: a notification has no answer, and no error either.
func TestCloseDuringNotification(t *testing.T) {
	t.Parallel()
	var h *streamable.Handler
	d := &double{}
	d.handle = func(ctx context.Context, _ jsonrpc.Message) server.Reply {
		h.Close()
		<-ctx.Done()
		return server.Reply{}
	}
	h = endpoint(d)
	resp := serve(h, request("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if resp.StatusCode != http.StatusAccepted || len(resp.body) > 0 {
		t.Errorf("status %d, body %s", resp.StatusCode, resp.body)
	}
}

// TestClosed: after Close nothing is served, in either era, and closing again changes nothing.
func TestClosed(t *testing.T) {
	t.Parallel()
	d := &double{}
	h := gated(d)
	h.Close()
	h.Close()
	for name, r := range map[string]*http.Request{"legacy": request("POST", legacyRequest), "modern": request("POST", modernRequest, modern)} {
		resp := serve(h, r)
		if says := wantError(t, resp, 503, jsonrpc.CodeInternal, "1"); !strings.Contains(says, "did not serve") ||
			resp.Header.Get("Retry-After") == "" {
			t.Errorf("%s: message %q, Retry-After %q", name, says, resp.Header.Get("Retry-After"))
		}
	}
	wantServed(t, d, 0)
}
