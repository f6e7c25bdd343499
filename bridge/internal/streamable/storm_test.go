package streamable_test

import (
	"context"
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

// TestGetStorm: of a hundred GETs of one session at once, one has its stream, and all others have ended and know that they
// may come back. The one takes one place and gets each message once; when the session ends, nothing is left.
func TestGetStorm(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		const storm = 100
		script, news := announcing()
		h := scripted(script)
		id := open(t, h, mcp.V20251125)
		answers := make(chan answer, storm)
		for range storm {
			go func() { answers <- serve(h, request("GET", "", in(id))) }()
		}
		synctest.Wait()
		for range storm - 1 {
			resp := take(t, answers)
			all, _ := events(string(resp.body))
			if resp.StatusCode != http.StatusOK || len(all) != 2 || all[0].id == "" || all[1] != (event{retry: "500"}) {
				t.Errorf("status %d, events %+v", resp.StatusCode, all)
			}
		}
		if got := streamable.Places(h); got != [3]int64{0, 1, 0} {
			t.Errorf("calls and streams: %v", got)
		}
		give(t, news, 1)
		give(t, news, 2)
		if resp := serve(h, request("DELETE", "", in(id))); resp.StatusCode != http.StatusNoContent {
			t.Errorf("DELETE: status %d", resp.StatusCode)
		}
		all, _ := events(string(take(t, answers).body))
		if diff := cmp.Diff([]string{string(notification(1)), string(notification(2))}, messages(all)); diff != "" {
			t.Errorf("messages of the last (-want +got):\n%s", diff)
		}
		wantNoPlaces(t, h)
	})
}

// TestGetsInTurn: of GETs that come one after another, the last has the stream.
func TestGetsInTurn(t *testing.T) {
	t.Parallel()
	script, news := announcing()
	h := scripted(script)
	s := listen(t, h)
	id := open(t, h, mcp.V20251125)
	last := begin(t, s, "GET", "", in(id))
	for range 100 {
		last.next(t)
		next := begin(t, s, "GET", "", in(id))
		if rest := last.rest(t); len(rest) != 1 || rest[0] != (event{retry: "500"}) {
			t.Fatalf("after it was replaced: %+v", rest)
		}
		last = next
	}
	last.next(t)
	give(t, news, 1)
	if e := last.next(t); e.data != string(notification(1)) {
		t.Errorf("event %+v", e)
	}
	_ = last.Body.Close()
	wantNoPlaces(t, h)
}

// TestStreamsOfASession: a session has 32 streams at once, resumed ones and its own together; one more is 429, for this
// session alone, until one has ended. One that takes the place of another is none more.
func TestStreamsOfASession(t *testing.T) {
	t.Parallel()
	journal := session.NewMemoryJournal(session.JournalOptions{})
	h := scripted(&script{}, journaled(journal))
	s := listen(t, h)
	id, other := open(t, h, mcp.V20250618), open(t, h, mcp.V20250618)
	streams := []reading{begin(t, s, "GET", "", in(id))}
	back := func(n uint64) func(*http.Request) {
		return header("Last-Event-ID", streamable.EventID(id, n, 0))
	}
	for n := range uint64(lifecycle.DefaultMaxStreams) {
		must(t, journal.Open(t.Context(), id, n)) // as if another process had the call
		if n > 0 {
			streams = append(streams, begin(t, s, "GET", "", in(id), back(n)))
		}
	}
	for range 3 {
		resp := serve(h, request("GET", "", in(id), back(0)))
		if wantError(t, resp, 429, jsonrpc.CodeInvalidRequest, ""); resp.Header.Get("Retry-After") == "" {
			t.Error("429 without Retry-After")
		}
	}
	begin(t, s, "GET", "", in(other)).Body.Close()
	again := begin(t, s, "GET", "", in(id), back(1))
	if rest := streams[1].rest(t); again.StatusCode != http.StatusOK || len(rest) != 1 {
		t.Errorf("status %d; after it was replaced: %+v", again.StatusCode, rest)
	}
	_, err := journal.Append(t.Context(), id, 2, []byte(reply), true)
	must(t, err)
	if rest := streams[2].rest(t); len(rest) != 1 || rest[0].data != reply {
		t.Errorf("the rest is %+v", rest)
	}
	if resp := begin(t, s, "GET", "", in(id), back(0)); resp.StatusCode != http.StatusOK {
		t.Errorf("when one has ended: status %d", resp.StatusCode)
	}
	h.Close()
	s.CloseClientConnections()
	wantNoPlaces(t, h)
}

// TestDeleteEndsAll: the end of a session ends the calls and the streams that are open in it: no response comes, and what
// comes later finds no session.
func TestDeleteEndsAll(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		ended := make(chan error, 2)
		h := scripted(&script{run: func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
			if out != nil {
				out.Send(ctx, notification(0))
			}
			select {
			case <-ctx.Done():
			case <-time.After(patience):
			}
			ended <- ctx.Err()
			return result(msg)
		}})
		id := open(t, h, mcp.V20251125)
		ask := func(method, body string, change ...func(*http.Request)) <-chan answer {
			c := make(chan answer, 1)
			go func() { c <- serve(h, request(method, body, append(change, in(id))...)) }()
			return c
		}
		onStream := ask("POST", call)
		plain := ask("POST", strings.Replace(call, `"id":1`, `"id":2`, 1), header("Accept", "application/json"))
		listening := ask("GET", "")
		synctest.Wait()
		if got := streamable.Places(h); got != [3]int64{2, 1, 1} {
			t.Fatalf("before the end there are %v", got)
		}
		began := time.Now()
		if resp := serve(h, request("DELETE", "", in(id))); resp.StatusCode != http.StatusNoContent {
			t.Errorf("DELETE: status %d", resp.StatusCode)
		}
		for range 2 {
			if err := take(t, ended); err == nil {
				t.Error("a call is not cancelled")
			}
		}
		if all, _ := events(string(take(t, onStream).body)); len(messages(all)) != 1 {
			t.Errorf("on the stream: %+v", all)
		}
		if resp := take(t, plain); resp.StatusCode != http.StatusAccepted || len(resp.body) != 0 {
			t.Errorf("status %d, body %s", resp.StatusCode, resp.body)
		}
		if all, _ := events(string(take(t, listening).body)); len(all) != 1 || all[0].data != "" {
			t.Errorf("on the session's stream: %+v", all)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("took %v", took)
		}
		wantNoPlaces(t, h)
		for method, body := range map[string]string{"GET": "", "POST": call, "DELETE": ""} {
			wantError(t, take(t, ask(method, body)), 404, jsonrpc.CodeInvalidRequest, map[string]string{"POST": "1"}[method])
		}
	})
}
