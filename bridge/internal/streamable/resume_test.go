package streamable_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
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

// TestResumptionAtEveryByte cuts the connection of a call after each byte of its answer, and those of the GETs that come
// back for the rest after random ones. What the client has then is the whole conversation, each message once.
func TestResumptionAtEveryByte(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, version := range []mcp.Version{mcp.V20251125, mcp.V20250618, mcp.V20250326} {
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			s := listen(t, scripted(&script{run: counts(3)}))
			id := open(t, s.Config.Handler, version)
			uncut := cutAfter(t, s, "POST", call, 1<<20, "Mcp-Session-Id: "+id)
			if uncut.err != nil || len(messages(uncut.events)) != 4 {
				t.Fatalf("uncut: %v, events %+v", uncut.err, uncut.events)
			}
			for n := range uncut.read {
				one := strings.Replace(call, `"id":1`, fmt.Sprintf(`"id":%d`, n+2), 1)
				got := cutAfter(t, s, "POST", one, n, "Mcp-Session-Id: "+id).events
				if lastID(got) == "" {
					continue // nothing to come back with: the client sends the request again
				}
				for try := 0; len(messages(got)) < 4 && try < 1000; try++ {
					got = append(got,
						cutAfter(t, s, "GET", "", 200+random.IntN(uncut.read), "Mcp-Session-Id: "+id, "Last-Event-ID: "+lastID(got)).events...)
				}
				want := conversation(3)
				want[3] = strings.Replace(reply, `"id":1`, fmt.Sprintf(`"id":%d`, n+2), 1)
				if diff := cmp.Diff(want, messages(got)); diff != "" {
					t.Fatalf("cut after %d bytes (-want +got):\n%s", n, diff)
				}
			}
		})
	}
}

// cut is what came of a response before its connection was cut.
type cut struct {
	read   int // bytes, head included
	events []event
	err    error
}

// cutAfter sends a request over a connection of its own, reads n bytes of the answer and cuts the connection.
func cutAfter(t *testing.T, s *httptest.Server, method, body string, n int, lines ...string) cut {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lines = append(lines, "Host: localhost", "Accept: application/json, text/event-stream", "Connection: close")
	if method == "POST" {
		lines = append(lines, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body)))
	}
	fmt.Fprintf(conn, "%s /mcp HTTP/1.1\r\n%s\r\n\r\n%s", method, strings.Join(lines, "\r\n"), body)
	limited := &io.LimitedReader{R: conn, N: int64(n)}
	in := bufio.NewReader(limited)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return cut{read: n - int(limited.N), err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", resp.StatusCode, text)
	}
	all, _ := events(string(text))
	return cut{n - int(limited.N), all, err}
}

// stepping is a script whose call sends one message at each step, and its reply when there are no more.
func stepping() (*script, chan<- struct{}) {
	steps := make(chan struct{})
	return &script{run: func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
		for n := 0; ; n++ {
			select {
			case _, more := <-steps:
				if !more {
					return result(msg)
				}
				out.Send(ctx, notification(n))
			case <-ctx.Done():
				return server.Reply{}
			}
		}
	}}, steps
}

// TestResumeWhileItRuns: a client that comes back reads on in the place of the connection that it had, which ends; and
// one that comes back again, in the place of that.
func TestResumeWhileItRuns(t *testing.T) {
	t.Parallel()
	script, steps := stepping()
	s := listen(t, scripted(script))
	id := open(t, s.Config.Handler, mcp.V20251125)
	var first reading
	var ready sync.WaitGroup
	ready.Go(func() { first = begin(t, s, "POST", call, in(id)) })
	give(t, steps, struct{}{})
	ready.Wait()
	seen := []event{first.next(t), first.next(t)}

	second := begin(t, s, "GET", "", in(id), header("Last-Event-ID", seen[0].id))
	if e := second.next(t); e != seen[1] {
		t.Errorf("again: %+v, want %+v", e, seen[1])
	}
	give(t, steps, struct{}{})
	seen = append(seen, second.next(t))
	third := begin(t, s, "GET", "", in(id), header("Last-Event-ID", lastID(seen)))
	if rest := second.rest(t); len(rest) != 1 || rest[0] != (event{retry: "500"}) {
		t.Errorf("after it was replaced: %+v", rest)
	}
	give(t, steps, struct{}{})
	close(steps)
	seen = append(seen, third.rest(t)...)
	if diff := cmp.Diff(conversation(3), messages(seen)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	text, _ := io.ReadAll(first.in)
	if late, _ := events(string(text)); len(messages(late)) != 0 {
		t.Errorf("on the first connection after it was replaced: %+v", late)
	}
}

// TestForeignEventIDs: an id that is not of the session's streams is refused, and one whose stream is not kept is told.
func TestForeignEventIDs(t *testing.T) {
	t.Parallel()
	h := scripted(&script{run: counts(1)})
	resume := func(session, id string) answer {
		return serve(h, request("GET", "", in(session), header("Last-Event-ID", id)))
	}
	mine, other := open(t, h, mcp.V20251125), open(t, h, mcp.V20251125)
	all, _ := events(string(serve(h, request("POST", call, in(mine))).body))
	good := all[0].id
	if resp := resume(mine, good); resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, body %s", resp.StatusCode, resp.body)
	}
	elsewhere := scripted(&script{run: counts(1)})
	strange, _ := events(string(callAs(t, elsewhere, mcp.V20251125).body))
	raw, _ := base64.RawURLEncoding.DecodeString(good)
	changed := func(at int) string {
		b := []byte(string(raw))
		b[at] ^= 1
		return base64.RawURLEncoding.EncodeToString(b)
	}
	for name, id := range map[string]string{
		"made up": "1", "of another handler": strange[0].id, "cut": good[:len(good)-1], "longer": good + "A", "padded": good + "==",
		"another kind": changed(0), "another stream": changed(8), "another number": changed(16), "another MAC": changed(32), "not base64": "!",
		"NUL": "\x00", "long": strings.Repeat("A", 100_000),
	} {
		if says := wantError(t, resume(mine, id), 400, jsonrpc.CodeInvalidRequest, ""); !strings.Contains(says, "Last-Event-ID") {
			t.Errorf("%s: message %q", name, says)
		}
	}
	wantError(t, resume(other, good), 400, jsonrpc.CodeInvalidRequest, "")
	wantError(t, resume("unknown", good), 404, jsonrpc.CodeInvalidRequest, "")
	wantError(t, serve(h, request("GET", "", header("Last-Event-ID", good))), 400, jsonrpc.CodeInvalidRequest, "")
	wantError(t, serve(h, request("GET", "", in(mine), modern, header("Last-Event-ID", good))), 405, jsonrpc.CodeInvalidRequest, "")
	if resp := serve(h, request("DELETE", "", in(mine))); resp.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: status %d", resp.StatusCode)
	}
	wantError(t, resume(mine, good), 404, jsonrpc.CodeInvalidRequest, "")
}

// TestReplicas: a client whose stream one replica began can have its rest from another one, which shares the sessions and
// the journal.
func TestReplicas(t *testing.T) {
	t.Parallel()
	sessions, journal := session.NewMemory(session.MemoryOptions{}), session.NewMemoryJournal(session.JournalOptions{})
	replica := func() *streamable.Handler {
		gate := lifecycle.NewGate(lifecycle.Config{Sessions: sessions})
		return scripted(&script{gate: gate, run: counts(2)}, func(c *streamable.Config) { c.Journal = journal })
	}
	one, other := replica(), replica()
	id := open(t, one, mcp.V20251125)
	all, _ := events(string(serve(one, request("POST", call, in(id))).body))
	rest, _ := events(string(serve(other, request("GET", "", in(id), header("Last-Event-ID", all[0].id))).body))
	if diff := cmp.Diff(all[1:], rest, cmp.AllowUnexported(all[0])); diff != "" {
		t.Error(diff)
	}
}

// TestNothingToResume: a stream that has lost events is not resumed as if it had them.
func TestNothingToResume(t *testing.T) {
	t.Parallel()
	h := scripted(&script{run: counts(5)}, func(c *streamable.Config) {
		c.Journal = session.NewMemoryJournal(session.JournalOptions{StreamEvents: 2})
	})
	id := open(t, h, mcp.V20251125)
	all, _ := events(string(serve(h, request("POST", call, in(id))).body))
	says := wantError(t, serve(h, request("GET", "", in(id), header("Last-Event-ID", all[0].id))), 404, jsonrpc.CodeInvalidRequest, "")
	if !strings.Contains(says, "has lost events") {
		t.Errorf("message %q", says)
	}
	resp := serve(h, request("GET", "", in(id), header("Last-Event-ID", all[4].id)))
	if rest, _ := events(string(resp.body)); len(rest) != 2 || rest[1].data != reply {
		t.Errorf("the rest is %+v", rest)
	}
}

// TestDeleteEndsResumedStream: the end of a session ends the streams that are resumed in it, and what is kept of them.
func TestDeleteEndsResumedStream(t *testing.T) {
	t.Parallel()
	script, steps := stepping()
	s := listen(t, scripted(script))
	id := open(t, s.Config.Handler, mcp.V20251125)
	var first reading
	var ready sync.WaitGroup
	ready.Go(func() { first = begin(t, s, "POST", call, in(id)) })
	give(t, steps, struct{}{})
	ready.Wait()
	seen := first.next(t)
	second := begin(t, s, "GET", "", in(id), header("Last-Event-ID", seen.id))
	second.next(t)
	if resp := serve(s.Config.Handler, request("DELETE", "", in(id))); resp.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: status %d", resp.StatusCode)
	}
	if rest := second.rest(t); len(rest) != 0 {
		t.Errorf("after the end: %+v", rest)
	}
}

// TestCloseEndsResumedStream: a client that has come back gets the last word of its call too.
func TestCloseEndsResumedStream(t *testing.T) {
	t.Parallel()
	script, steps := stepping()
	h := scripted(script)
	s := listen(t, h)
	id := open(t, h, mcp.V20251125)
	var first reading
	var ready sync.WaitGroup
	ready.Go(func() { first = begin(t, s, "POST", call, in(id)) })
	give(t, steps, struct{}{})
	ready.Wait()
	second := begin(t, s, "GET", "", in(id), header("Last-Event-ID", first.next(t).id))
	second.next(t)
	h.Close()
	if rest := second.rest(t); len(rest) != 1 || !strings.Contains(rest[0].data, "server stopped") {
		t.Errorf("at the end: %+v", rest)
	}
	wantError(t, serve(h, request("GET", "", in(id))), 503, jsonrpc.CodeInternal, "")
}

// FuzzLastEventID: whatever a client comes back with, it gets a stream of its own session or a well-formed refusal.
func FuzzLastEventID(f *testing.F) {
	h := scripted(&script{run: counts(1)})
	resp := serve(h, request("POST", legacyRequest))
	id := resp.Header.Get("Mcp-Session-Id")
	serve(h, request("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, in(id)))
	all, _ := events(string(serve(h, request("POST", call, in(id))).body))
	good := map[string]bool{}
	for _, e := range all {
		good[e.id] = true
		f.Add(e.id)
	}
	for _, seed := range []string{"x", "AAAA", "=", "\x00", strings.Repeat("A", 44), strings.Repeat("_", 44), all[0].id +
		"\n", " " + all[0].id, "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, last string) {
		if trim(last) == "" {
			return // opens the session's stream, which lasts
		}
		resp := serve(h, request("GET", "", in(id), header("Last-Event-ID", last)))
		if resp.StatusCode == http.StatusOK && good[trim(last)] {
			return
		}
		wantError(t, resp, 400, jsonrpc.CodeInvalidRequest, "")
	})
}

// TestReadersCountAsTheClient: while somebody reads on who has come back, a call is not given up as an orphan; when he
// has left too, it is, and a third one is told so.
func TestReadersCountAsTheClient(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		script, steps := stepping()
		h := scripted(script, func(c *streamable.Config) { c.OrphanTimeout = time.Minute })
		_, lis := start(t, h)
		id := open(t, h, mcp.V20251125)
		first := lis.dial(t)
		first.send(t, call, len(call), "Mcp-Session-Id: "+id, "Accept: text/event-stream, application/json")
		give(t, steps, struct{}{})
		last := first.head(t).next(t).id
		_ = first.Close()
		time.Sleep(30 * time.Second) // of the bubble's clock, as below
		second := lis.dial(t)
		second.get(t, "Mcp-Session-Id: "+id, "Last-Event-ID: "+last)
		stream := second.head(t)
		if e := stream.next(t); e.data != string(notification(0)) {
			t.Errorf("event %+v", e)
		}
		ping := time.AfterFunc(10*time.Minute, func() { steps <- struct{}{} })
		defer ping.Stop()
		if e := stream.next(t); e.data != string(notification(1)) {
			t.Errorf("event %+v", e)
		}
		_ = second.Close()
		time.Sleep(time.Minute + streamable.DefaultKeepAlive)
		resp := serve(h, request("GET", "", in(id), header("Last-Event-ID", last)))
		all, _ := events(string(resp.body))
		if got := messages(all); len(got) != 3 || !strings.Contains(got[2], "nobody was there") {
			t.Errorf("kept are %q", got)
		}
	})
}
