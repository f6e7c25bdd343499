package streamable_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// traceKey is the key of a value in the context of a request, as middleware sets it.
type traceKey struct{}

// traced gives a request such a value.
func traced(r *http.Request) {
	*r = *r.WithContext(context.WithValue(r.Context(), traceKey{}, "4bf92f35"))
}

// TestValuesReachTheCall: what middleware has put into the context of a request is in that of its call, in both eras, also
// when the client of a legacy call has left.
func TestValuesReachTheCall(t *testing.T) {
	t.Parallel()
	for _, version := range []mcp.Version{mcp.V20250326, mcp.V20251125, mcp.V20260728} {
		for _, after := range []time.Duration{0, time.Second} {
			bubble(t, func(t *testing.T) {
				ctx, leave := context.WithCancel(t.Context())
				values := make(chan any, 2)
				h := scripted(&script{after: after, run: func(ctx context.Context, msg jsonrpc.Message, _ server.Sink) server.Reply {
					values <- ctx.Value(traceKey{})
					leave()
					time.Sleep(2 * time.Second) // of the bubble's clock
					values <- ctx.Value(traceKey{})
					return result(msg)
				}})
				r := request("POST", modernRequest, modern)
				if version != mcp.V20260728 {
					r = request("POST", call, in(open(t, h, version)))
				}
				r = r.WithContext(ctx)
				traced(r)
				abandons(h, httptest.NewRecorder(), r)
				for range 2 {
					if got := take(t, values); got != "4bf92f35" {
						t.Errorf("%s, its answer ending after %v: the call has %v", version, after, got)
					}
				}
				h.Close()
				h.Wait()
			})
		}
	}
}

// contexts is a slog.Handler that notes messages, and which of them have come without the value of a request.
type contexts struct {
	slog.Handler
	mu     sync.Mutex
	logged []string
	bare   []string
}

func (*contexts) Enabled(context.Context, slog.Level) bool { return true }

func (c *contexts) Handle(ctx context.Context, r slog.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logged = append(c.logged, r.Message)
	if ctx.Value(traceKey{}) == nil {
		c.bare = append(c.bare, r.Message)
	}
	return nil
}

// TestLogsHaveContexts: each line on the path of a request is logged with its context, that of a panic too.
func TestLogsHaveContexts(t *testing.T) {
	t.Parallel()
	panics := func(context.Context, jsonrpc.Message, server.Sink) server.Reply { panic("secret") }
	for name, tt := range map[string]struct {
		script *script
		send   func(h http.Handler, id string)
		want   string
	}{
		"a refusal": {&script{}, func(h http.Handler, _ string) { serve(h, request("POST", "{", traced)) }, "request refused"},
		"a panic": {&script{run: panics}, func(h http.Handler, id string) {
			serve(h, request("POST", call, in(id), traced))
		}, "panic while serving a request"},
		"a panic of a call that goes on": {&script{run: panics, after: time.Hour}, func(h http.Handler, id string) {
			serve(h, request("POST", call, in(id), traced))
		}, "panic while serving a request"},
		"a client that left": {&script{}, func(h http.Handler, _ string) {
			r := request("POST", modernRequest, modern, traced)
			ctx, leave := context.WithCancel(r.Context())
			leave()
			abandons(h, httptest.NewRecorder(), r.WithContext(ctx))
		}, "request abandoned: its client left"},
		"an answer that is lost": {&script{}, func(h http.Handler, id string) {
			abandons(h, &onceWriter{header: http.Header{}, err: http.ErrHandlerTimeout}, request("POST", ping, in(id), traced))
		}, "answer not delivered"},
		"an event that is lost": {&script{run: counts(1)}, func(h http.Handler, id string) {
			abandons(h, &onceWriter{header: http.Header{}, err: http.ErrHandlerTimeout}, request("POST", call, in(id), traced))
		}, "event not delivered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &contexts{}
			h := scripted(tt.script, func(c *streamable.Config) { c.Logger = slog.New(log) })
			id := open(t, h, mcp.V20251125)
			tt.send(h, id)
			h.Close()
			h.Wait()
			if !slices.Contains(log.logged, tt.want) || len(log.bare) > 0 {
				t.Errorf("logged %q, without a context %q", log.logged, log.bare)
			}
		})
	}
}

// TestTooManyRequests: a caller that has asked for too much is told when to come again, by the header as by the message.
func TestTooManyRequests(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		after time.Duration
		want  string
	}{
		"in seconds": {2 * time.Second, "2"},
		"in less":    {time.Millisecond, "1"},
		"rounded up": {2001 * time.Millisecond, "3"},
		"not known":  {0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refuses := func(_ context.Context, msg jsonrpc.Message, _ server.Sink) server.Reply {
				body := jsonrpc.AppendError(nil, msg.ID, jsonrpc.Errorf(jsonrpc.CodeInternal, "too much"))
				return server.Reply{Status: 429, RetryAfter: tt.after, Body: body}
			}
			for _, version := range []mcp.Version{mcp.V20250326, mcp.V20251125, mcp.V20260728} {
				resp := callAs(t, scripted(&script{run: refuses}), version)
				wantError(t, resp, 429, jsonrpc.CodeInternal, "1")
				if got := resp.Header.Get("Retry-After"); got != tt.want {
					t.Errorf("%s: Retry-After %q, want %q", version, got, tt.want)
				}
			}
		})
	}
}
