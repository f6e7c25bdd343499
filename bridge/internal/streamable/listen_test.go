package streamable_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// announcing is a script that announces what it is given to whoever listens, and that is done with a listener.
func announcing() (*script, chan<- int) {
	news := make(chan int)
	return &script{listen: func(ctx context.Context, _ *lifecycle.Conn, out server.Sink) error {
		for {
			select {
			case n := <-news:
				if err := out.Send(ctx, notification(n)); err != nil {
					return err
				}
			case <-ctx.Done():
				return nil
			}
		}
	}}, news
}

// TestSessionStream: a GET opens the stream of its session, whose events no id numbers; a client that knows how to come
// back is told with what, and gets another one for it.
func TestSessionStream(t *testing.T) {
	t.Parallel()
	for _, version := range []mcp.Version{mcp.V20250326, mcp.V20250618, mcp.V20251125} {
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			script, news := announcing()
			h := scripted(script)
			s := listen(t, h)
			id := open(t, h, version)
			stream := begin(t, s, "GET", "", in(id))
			wantSafe(t, stream.Header)
			if got := stream.Header; got.Get("Content-Type") != "text/event-stream" || got.Get("X-Accel-Buffering") != "no" {
				t.Errorf("headers %v", got)
			}
			primed := event{}
			if version == mcp.V20251125 {
				if primed = stream.next(t); primed.id == "" || primed.data != "" || primed.retry != "500" {
					t.Errorf("the stream begins with %+v", primed)
				}
			}
			give(t, news, 1)
			if e := stream.next(t); e.data != string(notification(1)) || e.id != "" {
				t.Errorf("event %+v", e)
			}
			again := begin(t, s, "GET", "", in(id), header("Last-Event-ID", primed.id))
			if rest := stream.rest(t); len(rest) != 1 || rest[0] != (event{retry: "500"}) {
				t.Errorf("after it was replaced: %+v", rest)
			}
			if version == mcp.V20251125 {
				if e := again.next(t); e.id == primed.id {
					t.Errorf("the new stream begins with %+v", e)
				}
			}
			give(t, news, 2)
			if e := again.next(t); e.data != string(notification(2)) {
				t.Errorf("event %+v", e)
			}
			if resp := serve(h, request("DELETE", "", in(id))); resp.StatusCode != http.StatusNoContent {
				t.Errorf("DELETE: status %d", resp.StatusCode)
			}
			if rest := again.rest(t); len(rest) != 0 {
				t.Errorf("after the session: %+v", rest)
			}
		})
	}
}

// TestSecondGetOfAnotherSession: the stream of one session is nothing to another (CVE-2026-33946).
func TestSecondGetOfAnotherSession(t *testing.T) {
	t.Parallel()
	script, news := announcing()
	h := scripted(script)
	s := listen(t, h)
	mine := begin(t, s, "GET", "", in(open(t, h, mcp.V20250618)))
	wantError(t, serve(h, request("GET", "", in("guessed"))), 404, jsonrpc.CodeInvalidRequest, "")
	begin(t, s, "GET", "", in(open(t, h, mcp.V20250618))).Body.Close()
	wantError(t, serve(h, request("DELETE", "", in("guessed"))), 404, jsonrpc.CodeInvalidRequest, "")
	for range 50 { // until the other stream, which has left, has taken its last one
		select {
		case news <- 1:
			continue
		case <-time.After(time.Millisecond):
		}
	}
	if e := mine.next(t); e.data != string(notification(1)) {
		t.Errorf("event %+v", e)
	}
	h.Close()
}

// TestGetRefusals: what a GET needs.
func TestGetRefusals(t *testing.T) {
	t.Parallel()
	h := scripted(&script{})
	id := open(t, h, mcp.V20251125)
	for name, tt := range map[string]struct {
		request *http.Request
		status  int
	}{
		"no session":             {request("GET", ""), 400},
		"an unknown session":     {request("GET", "", in("x")), 404},
		"a modern client":        {request("GET", "", in(id), header("Mcp-Protocol-Version", "2026-07-28")), 405},
		"an unknown version":     {request("GET", "", in(id), header("Mcp-Protocol-Version", "1999-01-01")), 400},
		"no stream accepted":     {request("GET", "", in(id), header("Accept", "application/json")), 406},
		"a body":                 {request("GET", ping, in(id)), 400},
		"two last events":        {request("GET", "", in(id), header("Last-Event-ID", "a", "b")), 400},
		"two sessions":           {request("GET", "", in(id), header("Mcp-Session-Id", id, id)), 400},
		"HEAD instead":           {request("HEAD", "", in(id)), 405},
		"a Host from elsewhere":  {request("GET", "", in(id), host("evil.example")), 403},
		"a page from elsewhere":  {request("GET", "", in(id), header("Origin", "https://evil.example")), 403},
		"DELETE from elsewhere":  {request("DELETE", "", in(id), header("Origin", "https://evil.example")), 403},
		"OPTIONS from elsewhere": {request("OPTIONS", "", in(id), host("evil.example")), 403},
	} {
		resp := serve(h, tt.request)
		if wantError(t, resp, tt.status, jsonrpc.CodeInvalidRequest, ""); (resp.Header.Get("Allow") != "") != (tt.status == 405) {
			t.Errorf("%s: Allow %q", name, resp.Header.Get("Allow"))
		}
	}
}

// TestSessionGoneUnderStream: the stream of a session that is gone from its store ends with the next comment.
func TestSessionGoneUnderStream(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		store := session.NewMemory(session.MemoryOptions{})
		h := scripted(&script{gate: lifecycle.NewGate(lifecycle.Config{Sessions: store})})
		_, lis := start(t, h)
		id := open(t, h, mcp.V20250618)
		c := lis.dial(t)
		c.get(t, "Mcp-Session-Id: "+id)
		stream := c.head(t)
		if err := store.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if rest := stream.rest(t); len(rest) != 0 || time.Since(began) != streamable.DefaultKeepAlive {
			t.Errorf("after %v: %+v", time.Since(began), rest)
		}
	})
}

// TestStoreFailsUnderStream: a store that cannot be reached for a while ends nothing.
func TestStoreFailsUnderStream(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		store := &failing{Store: session.NewMemory(session.MemoryOptions{})}
		h := scripted(&script{gate: lifecycle.NewGate(lifecycle.Config{Sessions: store})})
		_, lis := start(t, h)
		id := open(t, h, mcp.V20250618)
		c := lis.dial(t)
		c.get(t, "Mcp-Session-Id: "+id)
		stream := c.head(t)
		store.set(context.DeadlineExceeded)
		for range 2 {
			if text, err := stream.in.ReadString('\n'); err != nil || !strings.HasPrefix(text, ":") {
				t.Errorf("read %q, %v", text, err)
			}
			if _, err := stream.in.ReadString('\n'); err != nil {
				t.Error(err)
			}
		}
		h.Close()
		stream.rest(t)
	})
}

// failing is a store that fails as long as it is told to.
type failing struct {
	session.Store
	mu  sync.Mutex
	err error
}

func (f *failing) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *failing) Get(ctx context.Context, id string) (session.Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return session.Record{}, f.err
	}
	return f.Store.Get(ctx, id)
}

// subscribed is a script whose every call is a stream of notifications, as subscriptions/listen is.
func subscribed() *script {
	return &script{streams: true, run: func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
		out.Send(ctx, notification(0))
		<-ctx.Done()
		if context.Cause(ctx) == server.ErrStopped {
			return result(msg)
		}
		return server.Reply{}
	}}
}

// TestListenRequest: the stream of a modern client lasts until it leaves, or ends with its result when the server stops.
func TestListenRequest(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*streamable.Handler){"Close": (*streamable.Handler).Close, "Drain": (*streamable.Handler).Drain} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := scripted(subscribed())
			s := listen(t, h)
			stream := begin(t, s, "POST", modernRequest, modern)
			if e := stream.next(t); e.data != string(notification(0)) || e.id != "" {
				t.Errorf("event %+v", e)
			}
			end(h)
			if rest := stream.rest(t); len(rest) != 1 || rest[0].data != reply {
				t.Errorf("at the end: %+v", rest)
			}
			wantError(t, serve(h, request("POST", modernRequest, modern)), 503, jsonrpc.CodeInternal, "1")
		})
	}
}

// TestDrainEndsSessionStreams: and leaves calls alone.
func TestDrainEndsSessionStreams(t *testing.T) {
	t.Parallel()
	h := scripted(&script{})
	s := listen(t, h)
	id := open(t, h, mcp.V20250618)
	stream := begin(t, s, "GET", "", in(id))
	h.Drain()
	h.Drain()
	if rest := stream.rest(t); len(rest) != 0 {
		t.Errorf("at the end: %+v", rest)
	}
	resp := serve(h, request("GET", "", in(id)))
	if wantError(t, resp, 503, jsonrpc.CodeInternal, ""); resp.Header.Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
	if resp := serve(h, request("POST", call, in(id))); resp.StatusCode != http.StatusOK {
		t.Errorf("a call: status %d", resp.StatusCode)
	}
}
