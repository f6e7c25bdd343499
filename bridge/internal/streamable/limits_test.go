package streamable_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// wantBusy holds an answer against the refusal of what finds no place.
func wantBusy(t *testing.T, resp answer, id string) {
	t.Helper()
	if says := wantError(t, resp, 503, jsonrpc.CodeInternal, id); !strings.Contains(says, "the most") ||
		resp.Header.Get("Retry-After") != "5" {
		t.Errorf("message %q, Retry-After %q", says, resp.Header.Get("Retry-After"))
	}
}

// TestMaxCalls: so many POSTs are served at once and no more; each gives its place back, however it ends.
func TestMaxCalls(t *testing.T) {
	t.Parallel()
	script := &script{run: func(ctx context.Context, _ jsonrpc.Message, out server.Sink) server.Reply {
		out.Send(ctx, notification(0))
		<-ctx.Done()
		return server.Reply{}
	}}
	h := scripted(script, func(c *streamable.Config) { c.MaxCalls = 2 })
	s := listen(t, h)
	id := open(t, h, mcp.V20251125)
	for range 3 {
		var streams [2]reading
		for i := range streams {
			streams[i] = begin(t, s, "POST", strings.Replace(call, `"id":1`, fmt.Sprintf(`"id":%d`, i), 1), in(id))
		}
		wantBusy(t, serve(h, request("POST", ping, in(id))), "7")
		for i, one := range streams {
			gone := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i)
			script.gate.Notify(t.Context(), conversationOf(t, script.gate, id), decoded(t, gone))
			one.rest(t)
		}
		wantNoPlaces(t, h)
		for _, r := range []*http.Request{
			request("POST", "{", in(id)), request("POST", ping), request("POST", ping, in(id)), request("GET", ""),
		} {
			if resp := serve(h, r); resp.StatusCode == http.StatusServiceUnavailable {
				t.Errorf("body %s", resp.body)
			}
		}
	}
}

// wantNoPlaces waits until a handler serves nothing: it notices a little later than its clients that they have left.
func wantNoPlaces(t *testing.T, h *streamable.Handler) {
	t.Helper()
	for range 10_000 {
		if streamable.Places(h) == [3]int64{} {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("calls and streams left: %v", streamable.Places(h))
}

// conversationOf returns the conversation of a session.
func conversationOf(t *testing.T, gate *lifecycle.Gate, id string) *lifecycle.Conn {
	t.Helper()
	c, refused := gate.Open(t.Context(), lifecycle.Headers{SessionID: id, HasSessionID: true}, "")
	if refused != nil {
		t.Fatal(refused.Error)
	}
	return c
}

func decoded(t *testing.T, text string) *jsonrpc.Message {
	t.Helper()
	msg, err := jsonrpc.Decode([]byte(text), jsonrpc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return &msg
}

// TestMaxStreams: so many streams of notifications there are at once, of both eras together, and a stream takes no place
// of a call.
func TestMaxStreams(t *testing.T) {
	t.Parallel()
	h := scripted(subscribed(), func(c *streamable.Config) { c.MaxStreams, c.MaxCalls = 2, 1 })
	s := listen(t, h)
	ids := []string{open(t, h, mcp.V20250618), open(t, h, mcp.V20250618), open(t, h, mcp.V20250618)}
	for range 3 {
		first := begin(t, s, "GET", "", in(ids[0]))
		second := begin(t, s, "POST", modernRequest, modern)
		second.next(t)
		wantBusy(t, serve(h, request("GET", "", in(ids[1]))), "")
		wantBusy(t, serve(h, request("POST", modernRequest, modern)), "1")
		if resp := serve(h,
			request("POST", `{"jsonrpc":"2.0","method":"notifications/progress"}`, in(ids[1]))); resp.StatusCode != http.StatusAccepted {
			t.Errorf("status %d, body %s", resp.StatusCode, resp.body)
		}
		_, _ = first.Body.Close(), second.Body.Close()
		wantNoPlaces(t, h)
	}
}

// TestResumptionTakesThePlaceOfACall: where all streams of notifications are taken, a client can still come back for its
// result, and where all calls are, by a place of those besides; where these are taken too, it is told when to.
func TestResumptionTakesThePlaceOfACall(t *testing.T) {
	t.Parallel()
	script, steps := stepping()
	h := scripted(script, func(c *streamable.Config) { c.MaxStreams, c.MaxCalls = 1, 1 })
	s := listen(t, h)
	id, other := open(t, h, mcp.V20251125), open(t, h, mcp.V20250618)
	first := make(chan reading, 1)
	go func() { first <- begin(t, s, "POST", call, in(id)) }()
	give(t, steps, struct{}{})
	call := take(t, first)
	last := call.next(t).id
	listening := begin(t, s, "GET", "", in(other))
	wantBusy(t, serve(h, request("GET", "", in(id))), "")

	second := begin(t, s, "GET", "", in(id), header("Last-Event-ID", last))
	if e := second.next(t); e.data != string(notification(0)) {
		t.Errorf("event %+v", e)
	}
	if got := streamable.Places(h); got != [3]int64{1, 1, 1} {
		t.Errorf("calls and streams: %v", got)
	}
	wantBusy(t, serve(h, request("GET", "", in(id), header("Last-Event-ID", last))), "")
	wantBusy(t, serve(h, request("POST", ping, in(id))), "")
	close(steps)
	if rest := second.rest(t); len(rest) != 1 || rest[0].data != reply {
		t.Errorf("the rest is %+v", rest)
	}
	for _, bad := range []string{"x", streamable.EventID(id, 7, 0)} { // neither of which keeps a place
		if resp := serve(h, request("GET", "", in(id), header("Last-Event-ID", bad))); resp.StatusCode == http.StatusServiceUnavailable {
			t.Errorf("body %s", resp.body)
		}
	}
	_ = listening.Body.Close()
	wantNoPlaces(t, h)
}

// TestMaxStreamsOfASession: the gate bounds the streams of one session.
func TestMaxStreamsOfASession(t *testing.T) {
	t.Parallel()
	gate := lifecycle.NewGate(lifecycle.Config{MaxStreams: 1})
	h := scripted(&script{gate: gate, run: counts(1)})
	s := listen(t, h)
	id := open(t, h, mcp.V20251125)
	all, _ := events(string(serve(h, request("POST", call, in(id))).body))
	stream := begin(t, s, "GET", "", in(id))
	stream.next(t)
	resp := serve(h, request("GET", "", in(id), header("Last-Event-ID", all[0].id)))
	wantError(t, resp, 429, jsonrpc.CodeInvalidRequest, "")
	if resp.Header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	h.Close()
	stream.rest(t)
}

// TestFlood: 2,000 clients that open sessions and are never heard of again leave no goroutine behind, and as much memory as
// the store may hold.
func TestFlood(t *testing.T) {
	const clients, room = 2000, 100
	store := session.NewMemory(session.MemoryOptions{Max: room})
	h := scripted(&script{gate: lifecycle.NewGate(lifecycle.Config{Sessions: store})})
	s := listen(t, h)
	s.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 16
	before := memory()
	work := make(chan int)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range work {
				if status, body := post(t, s, legacyRequest); status != http.StatusOK {
					t.Errorf("status %d, body %s", status, body)
				}
			}
		})
	}
	for i := range clients {
		work <- i
	}
	close(work)
	group.Wait()
	if n := store.Len(); n > room {
		t.Errorf("%d sessions are open", n)
	}
	wantNoPlaces(t, h)
	s.Client().CloseIdleConnections()
	if after := memory(); after > before+8<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", before, after)
	}
}

// echoing says the params of a request back, and again as its result.
func echoing(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
	out.Send(ctx, jsonrpc.AppendNotification(nil, "notifications/message", msg.Params))
	return server.Reply{Status: 200, Body: jsonrpc.AppendResult(nil, msg.ID, msg.Params)}
}

// memory returns how many bytes are in use.
func memory() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestSessionsWithTheSameIDs: 200 sessions at once, all of which count their ids from 0, get on their streams what is said
// to them alone, and come back for it alone.
func TestSessionsWithTheSameIDs(t *testing.T) {
	t.Parallel()
	const clients, calls = 200, 3
	h := scripted(&script{run: echoing})
	s := listen(t, h)
	s.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = clients
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			id := open(t, h, mcp.V20251125)
			for n := range calls {
				tag := fmt.Sprintf(`{"client":%d,"call":%d}`, client, n)
				_, body := post(t, s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo","params":%s}`, n, tag), in(id))
				all, _ := events(string(body))
				want := []string{
					`{"jsonrpc":"2.0","method":"notifications/message","params":` + tag + `}`,
					fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, n, tag),
				}
				if diff := cmp.Diff(want, messages(all)); diff != "" {
					t.Errorf("client %d (-want +got):\n%s", client, diff)
					return
				}
				rest, _ := events(string(serve(h, request("GET", "", in(id), header("Last-Event-ID", all[0].id))).body))
				if diff := cmp.Diff(want, messages(rest)); diff != "" {
					t.Errorf("client %d, resumed (-want +got):\n%s", client, diff)
				}
			}
		})
	}
	group.Wait()
}

// TestRefusedBodiesGiveTheirPlacesBack: nor does a refusal keep a place.
func TestRefusedBodiesGiveTheirPlacesBack(t *testing.T) {
	t.Parallel()
	h := endpoint(&double{}, func(c *streamable.Config) { c.MaxCalls = 1; c.MaxBody = 64 })
	for _, body := range []string{"", "{", "[]", strings.Repeat("x", 100), "[" + ping + "]"} {
		for _, r := range []*http.Request{
			request("POST", body),
			request("POST", "", func(r *http.Request) { r.Body = io.NopCloser(bytes.NewBufferString(body)); unknownLength(r) }),
		} {
			if resp := serve(h, r); resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode < 400 {
				t.Errorf("%q: status %d", body, resp.StatusCode)
			}
		}
	}
	if resp := serve(h, request("POST", ping)); resp.StatusCode != http.StatusOK {
		t.Errorf("status %d, body %s", resp.StatusCode, resp.body)
	}
}
