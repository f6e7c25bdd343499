package streamable_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// asking returns a script whose calls ask their client and reply with what it answers. How they end besides goes to ends.
func asking() (s *script, ends <-chan error) {
	ended := make(chan error, 100)
	return &script{ask: func(ctx context.Context, c *lifecycle.Conn, msg jsonrpc.Message, out server.Sink) server.Reply {
		send := func(ctx context.Context, message []byte) error { return out.Send(ctx, message) }
		if out == nil {
			send = nil
		}
		raw, err := c.Ask(ctx, send, "elicitation/create", []byte(`{}`))
		ended <- err
		if err != nil {
			return server.Reply{Status: 200, Body: jsonrpc.AppendError(nil, msg.ID, jsonrpc.Errorf(-1, "%v", err))}
		}
		return server.Reply{Status: 200, Body: jsonrpc.AppendResult(nil, msg.ID, raw)}
	}}, ended
}

// serveUntilEnd is listen for a handler whose calls, where a test fails, do not hold up its end.
func serveUntilEnd(t *testing.T, h *streamable.Handler) *httptest.Server {
	t.Helper()
	s := listen(t, h)
	t.Cleanup(h.Close)
	return s
}

// question reads events until one asks something, and returns its id, with quotes, and what was read.
func (r reading) question(t *testing.T) (id string, seen []event) {
	t.Helper()
	for {
		e := r.next(t)
		seen = append(seen, e)
		if e.data == "" {
			continue
		}
		msg := decoded(t, e.data)
		if msg.Kind != jsonrpc.KindRequest || msg.Method != "elicitation/create" {
			t.Fatalf("%s is no question", e.data)
		}
		return msg.ID.String(), seen
	}
}

// answering is the body of a response.
func answering(id string, n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"n":%d}}`, id, n)
}

// numbered is call with another id.
func numbered(n int) string { return strings.Replace(call, `"id":1`, fmt.Sprintf(`"id":%d`, n), 1) }

// wantAnswered reads the rest of a stream and holds its last message against the reply with the answer n to the call with that id.
func wantAnswered(t *testing.T, r reading, n int) {
	t.Helper()
	all := messages(r.rest(t))
	want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, n, n)
	if len(all) == 0 || all[len(all)-1] != want {
		t.Errorf("received %q, want %s in the end", all, want)
	}
}

// wantTaken posts a body that is to be taken without an answer.
func wantTaken(t *testing.T, s *httptest.Server, body string, change ...func(*http.Request)) {
	t.Helper()
	if status, text := post(t, s, body, change...); status != http.StatusAccepted || len(text) != 0 {
		t.Fatalf("status %d, body %q; want 202 and none", status, text)
	}
}

// TestAnswer has two clients of two sessions answer by POSTs of their own: what is foreign, unknown or late does nothing.
func TestAnswer(t *testing.T) {
	t.Parallel()
	script, _ := asking()
	s := serveUntilEnd(t, scripted(script))
	one, other := open(t, s.Config.Handler, mcp.V20251125), open(t, s.Config.Handler, mcp.V20241105)
	first, second := begin(t, s, "POST", numbered(1), in(one)), begin(t, s, "POST", numbered(2), in(other))
	id, _ := first.question(t)
	foreign, _ := second.question(t)
	wantTaken(t, s, answering(foreign, 7), in(one))
	wantTaken(t, s, answering(`"unknown"`, 7), in(one))
	wantTaken(t, s, answering(id, 1), in(one), header("Accept", "application/json"))
	wantTaken(t, s, answering(id, 8), in(one))
	wantAnswered(t, first, 1)
	wantTaken(t, s, answering(foreign, 2), in(other))
	wantAnswered(t, second, 2)
	if status, _ := post(t, s, answering(id, 1)); status != http.StatusBadRequest {
		t.Errorf("an answer without a session: status %d, want 400", status)
	}
	if status, _ := post(t, s, answering(id, 1), in("unknown")); status != http.StatusNotFound {
		t.Errorf("an answer in an unknown session: status %d, want 404", status)
	}
}

// TestAnswersInABatch has one batch answer what two calls of another one have asked.
func TestAnswersInABatch(t *testing.T) {
	t.Parallel()
	script, _ := asking()
	s := serveUntilEnd(t, scripted(script))
	session := open(t, s.Config.Handler, mcp.V20250326)
	stream := begin(t, s, "POST", "["+numbered(1)+","+numbered(2)+"]", in(session))
	var ids [2]string
	for i := range ids {
		ids[i], _ = stream.question(t)
	}
	wantTaken(t, s, "["+answering(ids[0], 1)+","+answering(ids[1], 2)+"]", in(session))
	if all := messages(stream.rest(t)); len(all) != 2 {
		t.Errorf("received %q, want two replies", all)
	}
}

// TestQuestionSurvivesItsStream cuts the connection on which a client was asked. It comes back for the question, or it
// answers first and comes back for the reply.
func TestQuestionSurvivesItsStream(t *testing.T) {
	t.Parallel()
	for name, answerFirst := range map[string]bool{"back for the question": false, "answered before": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, ends := asking()
			s := serveUntilEnd(t, scripted(script))
			session := open(t, s.Config.Handler, mcp.V20251125)
			stream := begin(t, s, "POST", numbered(1), in(session))
			id, seen := stream.question(t)
			_ = stream.Body.Close()
			if answerFirst {
				wantTaken(t, s, answering(id, 1), in(session))
				if err := take(t, ends); err != nil {
					t.Error(err)
				}
			}
			back := begin(t, s, "GET", "", in(session), header("Last-Event-ID", seen[0].id))
			if again, _ := back.question(t); again != id {
				t.Errorf("asked by %s, want %s again", again, id)
			}
			if !answerFirst {
				wantTaken(t, s, answering(id, 1), in(session))
			}
			wantAnswered(t, back, 1)
		})
	}
}

// TestQuestionOnAStreamThatEndsEarly asks a client that is to come back for the rest by itself.
func TestQuestionOnAStreamThatEndsEarly(t *testing.T) {
	t.Parallel()
	script, _ := asking()
	script.after = 10 * time.Millisecond
	s := serveUntilEnd(t, scripted(script))
	session := open(t, s.Config.Handler, mcp.V20251125)
	seen := begin(t, s, "POST", numbered(1), in(session)).rest(t)
	back := begin(t, s, "GET", "", in(session), header("Last-Event-ID", seen[0].id))
	id, _ := back.question(t)
	wantTaken(t, s, answering(id, 1), in(session))
	wantAnswered(t, back, 1)
}

// TestAnswersFindAPlace takes all places by calls that ask. Their answers, and cancellations, are let in all the same, and
// nothing else is.
func TestAnswersFindAPlace(t *testing.T) {
	t.Parallel()
	script, _ := asking()
	h := scripted(script, func(c *streamable.Config) { c.MaxCalls = 3 })
	s := serveUntilEnd(t, h)
	session := open(t, h, mcp.V20250326)
	var streams [3]reading
	var ids [3]string
	for i := range streams {
		streams[i] = begin(t, s, "POST", numbered(i), in(session))
		ids[i], _ = streams[i].question(t)
	}
	wantBusy(t, serve(h, request("POST", ping, in(session))), "7")
	wantBusy(t, serve(h, request("POST", "["+ping+"]", in(session))), "")
	wantBusy(t, serve(h, request("POST", ping)), "")
	wantTaken(t, s, answering(ids[0], 0), in(session))
	wantAnswered(t, streams[0], 0)
	taken := begin(t, s, "POST", numbered(3), in(session))
	last, _ := taken.question(t)
	wantTaken(t, s, "["+answering(ids[1], 1)+"]", in(session))
	wantTaken(t, s, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, in(session))
	wantTaken(t, s, answering(last, 3), in(session))
	wantAnswered(t, streams[1], 1)
	wantAnswered(t, taken, 3)
	streams[2].rest(t)
	wantNoPlaces(t, h)
	if status, _ := post(t, s, ping, in(session)); status != http.StatusOK {
		t.Errorf("status %d when all have ended", status)
	}
}

// TestQuestionIsCancelled cancels the call that asks: its client is told that the question is of no interest any more.
func TestQuestionIsCancelled(t *testing.T) {
	t.Parallel()
	script, ends := asking()
	s := serveUntilEnd(t, scripted(script))
	session := open(t, s.Config.Handler, mcp.V20251125)
	stream := begin(t, s, "POST", numbered(1), in(session))
	id, _ := stream.question(t)
	wantTaken(t, s, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, in(session))
	if err := take(t, ends); !errors.Is(err, context.Canceled) {
		t.Errorf("Ask = %v", err)
	}
	told := messages(stream.rest(t))
	if len(told) != 1 || !strings.Contains(told[0], mcp.MethodCancelled) || !strings.Contains(told[0], id) {
		t.Errorf("received %q, want the cancellation of %s", told, id)
	}
}

// TestDeleteEndsAQuestion ends the session under a call that asks.
func TestDeleteEndsAQuestion(t *testing.T) {
	t.Parallel()
	script, ends := asking()
	s := serveUntilEnd(t, scripted(script))
	session := open(t, s.Config.Handler, mcp.V20251125)
	stream := begin(t, s, "POST", numbered(1), in(session))
	id, _ := stream.question(t)
	if resp := serve(s.Config.Handler, request("DELETE", "", in(session))); resp.StatusCode != http.StatusNoContent {
		t.Errorf("status %d", resp.StatusCode)
	}
	if err := take(t, ends); err == nil {
		t.Error("Ask has an answer")
	}
	stream.rest(t)
	if status, _ := post(t, s, answering(id, 1), in(session)); status != http.StatusNotFound {
		t.Errorf("an answer after the end: status %d, want 404", status)
	}
}

// TestNoStreamNoQuestion: a client that takes no events is asked nothing.
func TestNoStreamNoQuestion(t *testing.T) {
	t.Parallel()
	script, ends := asking()
	h := scripted(script)
	session := open(t, h, mcp.V20251125)
	resp := serve(h, request("POST", numbered(1), in(session), header("Accept", "application/json")))
	if err := take(t, ends); !errors.Is(err, lifecycle.ErrCannotAsk) || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("Ask = %v, Content-Type %q", err, resp.Header.Get("Content-Type"))
	}
}

// TestAnswersAreBounded holds answers to the bound of bodies, whether their place is that of a call or not.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	script, _ := asking()
	h := scripted(script, func(c *streamable.Config) { c.MaxCalls, c.MaxBody = 1, 1000 })
	s := serveUntilEnd(t, h)
	session := open(t, h, mcp.V20251125)
	stream := begin(t, s, "POST", numbered(1), in(session))
	id, _ := stream.question(t)
	large := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"text":%q}}`, id, strings.Repeat("a", 1000))
	if resp := serve(h, request("POST", large, in(session))); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d, want 413", resp.StatusCode)
	}
	wantTaken(t, s, answering(id, 1), in(session))
	wantAnswered(t, stream, 1)
}
