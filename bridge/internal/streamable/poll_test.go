package streamable_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// lasting is a script whose call says something at once and after a minute, and then comes to its result. Its answer is
// to end after a second.
func lasting() *script {
	return &script{after: time.Second, run: func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
		out.Send(ctx, notification(0))
		select {
		case <-ctx.Done():
			return server.Reply{}
		case <-time.After(time.Minute):
		}
		out.Send(ctx, notification(1))
		return result(msg)
	}}
}

// TestPolling: the answer to a call ends before the call does, with the time to wait; the client comes back for the rest.
func TestPolling(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]time.Duration{"at once": 0, "when it is over": 2 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				h := scripted(lasting(), func(c *streamable.Config) { c.Retry = 700 * time.Millisecond; c.OrphanTimeout = 2 * time.Minute })
				id := open(t, h, mcp.V20251125)
				began := time.Now()
				resp := serve(h, request("POST", call, in(id)))
				all, _ := events(string(resp.body))
				if took := time.Since(began); took != time.Second || len(all) != 3 || all[0].data != "" || all[0].retry != "700" ||
					all[2] != (event{retry: "700"}) {
					t.Fatalf("after %v: %+v", took, all)
				}
				time.Sleep(back) // of the bubble's clock
				resp = serve(h, request("GET", "", in(id), header("Last-Event-ID", lastID(all))))
				rest, _ := events(string(resp.body))
				if diff := cmp.Diff(conversation(2), messages(append(all, rest...))); diff != "" {
					t.Errorf("messages (-want +got):\n%s", diff)
				}
				wantNoPlaces(t, h)
				h.Close()
				h.Wait()
			})
		})
	}
}

// TestPollingEndsInTime: a call that is over before its answer was to end is answered on its stream; so is one of a client
// that cannot come back.
func TestPollingEndsInTime(t *testing.T) {
	t.Parallel()
	quick := &script{after: time.Hour, run: counts(1)}
	h := scripted(quick)
	all, _ := events(string(callAs(t, h, mcp.V20251125).body))
	if diff := cmp.Diff(conversation(1), messages(all)); diff != "" || len(all) != 3 {
		t.Errorf("events %+v, messages (-want +got):\n%s", all, diff)
	}
	if resp := callAs(t, h, mcp.V20251125, header("Accept", "application/json")); string(resp.body) != reply {
		t.Errorf("body %s", resp.body)
	}
	broken := scripted(&script{after: time.Nanosecond, run: counts(1)}, func(c *streamable.Config) { c.Journal = forgetting{} })
	all, _ = events(string(callAs(t, broken, mcp.V20251125).body))
	if diff := cmp.Diff(conversation(1), messages(all)); diff != "" {
		t.Errorf("without a journal (-want +got):\n%s", diff)
	}
	h.Close()
	h.Wait()
}

// TestCloseEndsWhatGoesOn: Close ends a call whose answer has ended, and Wait waits for it; so does the time for which a
// call may go on without its client. What comes of it is kept.
func TestCloseEndsWhatGoesOn(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{"Close": "", "left alone": "nobody was there"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				h := scripted(lasting(), func(c *streamable.Config) { c.OrphanTimeout = 10 * time.Second })
				s, lis := start(t, h)
				id := open(t, h, mcp.V20251125)
				c := lis.dial(t)
				c.send(t, call, len(call), "Accept: text/event-stream, application/json", "Mcp-Session-Id: "+id)
				all := c.head(t).rest(t)
				began := time.Now()
				if says == "" {
					h.Close()
					h.Wait()
					if took := time.Since(began); took != 0 {
						t.Errorf("waited for %v", took)
					}
					return
				}
				time.Sleep(11 * time.Second)
				synctest.Wait()
				resp := serve(h, request("GET", "", in(id), header("Last-Event-ID", lastID(all))))
				rest, _ := events(string(resp.body))
				if len(rest) != 1 || !strings.Contains(rest[0].data, says) {
					t.Errorf("the rest is %+v", rest)
				}
				_ = s.Close()
			})
		})
	}
}

// TestPanicBehindAnswer: a fault of a call whose answer has ended ends nothing else, and its client is told.
func TestPanicBehindAnswer(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		h := scripted(&script{after: time.Second, run: func(context.Context, jsonrpc.Message, server.Sink) server.Reply {
			time.Sleep(time.Minute)
			panic("secret detail")
		}})
		id := open(t, h, mcp.V20251125)
		all, _ := events(string(serve(h, request("POST", call, in(id))).body))
		rest, _ := events(string(serve(h, request("GET", "", in(id), header("Last-Event-ID", lastID(all)))).body))
		if len(rest) != 1 || !strings.Contains(rest[0].data, "internal error") || strings.Contains(rest[0].data, "secret") {
			t.Errorf("the rest is %+v", rest)
		}
		h.Close()
		h.Wait()
	})
}
