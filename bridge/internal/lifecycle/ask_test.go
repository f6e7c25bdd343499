package lifecycle_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asking is an Ask that waits.
type asking struct {
	t    *testing.T
	sent []*jsonrpc.Message // what was sent to the client so far
	done chan struct{}
	raw  []byte
	err  error
}

// ask begins an Ask, in a bubble, and returns when it waits.
func ask(ctx context.Context, t *testing.T, c *lifecycle.Conn) *asking {
	t.Helper()
	a := &asking{t: t, done: make(chan struct{})}
	send := func(ctx context.Context, text []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		msg, malformed := jsonrpc.Decode(text, jsonrpc.DefaultLimits)
		if malformed != nil {
			return malformed
		}
		a.sent = append(a.sent, &msg)
		return nil
	}
	go func() {
		defer close(a.done)
		a.raw, a.err = c.Ask(ctx, send, "elicitation/create", []byte(`{"message":"sure?"}`))
	}()
	synctest.Wait()
	return a
}

// id returns the id of the question as it was sent.
func (a *asking) id() string {
	a.t.Helper()
	if len(a.sent) == 0 || a.sent[0].Method != "elicitation/create" || string(a.sent[0].Params) != `{"message":"sure?"}` {
		a.t.Fatalf("sent %v, want a question", a.sent)
	}
	return a.sent[0].ID.String()
}

// check waits for the end of the Ask; says is the result, or the error's text in part. cancelled says that the client is
// told, in the end, that the question is no longer open.
func (a *asking) check(is error, says string, cancelled bool) {
	a.t.Helper()
	<-a.done
	switch {
	case is == nil && (a.err != nil || string(a.raw) != says):
		a.t.Errorf("Ask = %s, %v; want %s", a.raw, a.err, says)
	case is != nil && (!errors.Is(a.err, is) || !strings.Contains(a.err.Error(), says)):
		a.t.Errorf("Ask = %v, want %v with %q", a.err, is, says)
	}
	last := a.sent[len(a.sent)-1]
	if got := last.Method == mcp.MethodCancelled; got != cancelled {
		a.t.Errorf("the last that was sent is %q, cancelled %v", last.Method, cancelled)
	}
	if id, _ := mcp.ParseCancelled(last.Params); cancelled && id.String() != a.id() {
		a.t.Errorf("%v is cancelled, want %s", id, a.id())
	}
}

// response decodes a response; outcome is such as `"result":{}`.
func response(t *testing.T, id, outcome string) *jsonrpc.Message {
	t.Helper()
	msg, err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":`+id+`,`+outcome+`}`), jsonrpc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return &msg
}

// answer has a response come by a POST of its own.
func answer(t *testing.T, g *lifecycle.Gate, id string, msg *jsonrpc.Message) *lifecycle.Refusal {
	t.Helper()
	c, refusal := g.Post(t.Context(), headers("session="+id), msg, "")
	if refusal != nil {
		return refusal
	}
	return c.Answer(t.Context(), msg)
}

// posted returns the Conn of a request that came by POST in a session.
func posted(t *testing.T, g *lifecycle.Gate, id string) *lifecycle.Conn {
	t.Helper()
	c, refusal := g.Post(t.Context(), headers("session="+id), message(t, "1", "tools/call", ""), "")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	return c
}

// TestAsk has a client answer by a POST of its own, on HTTP, and on its stream, on stdio.
func TestAsk(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]string{
		"object": `{"action":"accept"}`,
		"null":   `null`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := lifecycle.NewGate(lifecycle.Config{})
				id := open(t, g, "")
				a := ask(t.Context(), t, posted(t, g, id))
				if refusal := answer(t, g, id, response(t, a.id(), `"result":`+result)); refusal != nil {
					t.Error(refusal.Error)
				}
				a.check(nil, result, false)
				c := stdioConn(t, g)
				a = ask(t.Context(), t, c)
				c.Answer(t.Context(), response(t, a.id(), `"result":`+result))
				a.check(nil, result, false)
			})
		})
	}
}

// stdioConn returns a stdio stream whose handshake is over.
func stdioConn(t *testing.T, g *lifecycle.Gate) *lifecycle.Conn {
	t.Helper()
	c := g.Stream()
	initialize(t, g, c, mcp.V20251125)
	if refusal := g.Notify(t.Context(), c, message(t, "", "notifications/initialized", "")); refusal != nil {
		t.Fatal(refusal.Error)
	}
	return c
}

// TestAskIsRefused has a client answer with an error of JSON-RPC.
func TestAskIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := lifecycle.NewGate(lifecycle.Config{})
		c := stdioConn(t, g)
		a := ask(t.Context(), t, c)
		c.Answer(t.Context(), response(t, a.id(), `"error":{"code":-1,"message":"User rejected","data":{"a":1}}`))
		<-a.done
		refused, ok := errors.AsType[*jsonrpc.Error](a.err)
		if !ok || refused.Code != -1 || refused.Message != "User rejected" || string(refused.Data) != `{"a":1}` {
			t.Errorf("Ask = %v", a.err)
		}
	})
}

// TestAskEnds ends a question that has no answer: by its call, by the end of the session, and by its expiry.
func TestAskEnds(t *testing.T) {
	t.Parallel()
	ended := errors.New("ended by the test")
	for name, tt := range map[string]struct {
		end       func(t *testing.T, g *lifecycle.Gate, sessions session.Store, id string, cancel context.CancelCauseFunc)
		is        error
		cancelled bool
	}{
		"call": {func(_ *testing.T, _ *lifecycle.Gate, _ session.Store, _ string, cancel context.CancelCauseFunc) {
			cancel(ended)
		}, context.Canceled, true},
		"deadline": {func(*testing.T, *lifecycle.Gate, session.Store, string, context.CancelCauseFunc) {
			time.Sleep(time.Hour)
		}, context.DeadlineExceeded, true},
		"DELETE": {func(t *testing.T, g *lifecycle.Gate, _ session.Store, id string, _ context.CancelCauseFunc) {
			t.Helper()
			if refusal := g.End(t.Context(), headers("session="+id), ""); refusal != nil {
				t.Error(refusal.Error)
			}
		}, lifecycle.ErrCannotAsk, false},
		"session gone elsewhere": {func(t *testing.T, _ *lifecycle.Gate, sessions session.Store, id string, _ context.CancelCauseFunc) {
			t.Helper()
			if err := sessions.Delete(t.Context(), id); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Minute)
		}, lifecycle.ErrCannotAsk, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sessions := session.NewMemory(session.MemoryOptions{})
				mailbox := session.NewMemoryMailbox(session.MailboxOptions{})
				g := lifecycle.NewGate(lifecycle.Config{Sessions: sessions, Mailbox: mailbox})
				id := open(t, g, "")
				ctx, release := context.WithTimeout(t.Context(), time.Hour)
				defer release()
				ctx, cancel := context.WithCancelCause(ctx)
				defer cancel(nil)
				a := ask(ctx, t, posted(t, g, id))
				tt.end(t, g, sessions, id, cancel)
				a.check(tt.is, "", tt.cancelled)
				if mailbox.Len() != 0 {
					t.Errorf("%d questions are left open", mailbox.Len())
				}
				answer(t, g, id, response(t, a.id(), `"result":{}`)) // comes too late, and does nothing
			})
		})
	}
}

// TestAskOutlastsASessionUnused waits for longer than a session lives unused: who is asked has not left.
func TestAskOutlastsASessionUnused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := lifecycle.NewGate(lifecycle.Config{Sessions: session.NewMemory(session.MemoryOptions{Idle: time.Minute})})
		id := open(t, g, "")
		a := ask(t.Context(), t, posted(t, g, id))
		time.Sleep(10 * time.Minute)
		if refusal := answer(t, g, id, response(t, a.id(), `"result":{}`)); refusal != nil {
			t.Error(refusal.Error)
		}
		a.check(nil, `{}`, false)
	})
}

// TestAskOnStdioEndsWithTheStream closes the stream under a question.
func TestAskOnStdioEndsWithTheStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := stdioConn(t, lifecycle.NewGate(lifecycle.Config{}))
		a := ask(t.Context(), t, c)
		c.Close()
		a.check(lifecycle.ErrCannotAsk, "", false)
	})
}

// TestAnswerIgnores leaves a question open that nobody has answered.
func TestAnswerIgnores(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := lifecycle.NewGate(lifecycle.Config{})
		id, foreign := open(t, g, ""), open(t, g, "")
		a, other := ask(t.Context(), t, posted(t, g, id)), ask(t.Context(), t, posted(t, g, foreign))
		stdio := stdioConn(t, g)
		stdio.Answer(t.Context(), response(t, a.id(), `"result":{"by":"another transport"}`))
		for _, msg := range []*jsonrpc.Message{
			response(t, `7`, `"result":{}`),
			response(t, `""`, `"result":{}`),
			response(t, `"`+strings.Repeat("A", 26)+`"`, `"result":{}`),
			response(t, `"`+strings.Repeat("A", 100_000)+`"`, `"result":{}`),
			response(t, `null`, `"error":{"code":-32700,"message":"?"}`),
			response(t, other.id(), `"result":{"by":"another session"}`),
		} {
			if refusal := answer(t, g, id, msg); refusal != nil {
				t.Error(refusal.Error)
			}
		}
		for _, text := range []string{`"first"`, `"second"`} { // the same question twice
			answer(t, g, id, response(t, a.id(), `"result":`+text))
		}
		a.check(nil, `"first"`, false)
		answer(t, g, foreign, response(t, other.id(), `"result":"own"`))
		other.check(nil, `"own"`, false)
	})
}

// TestCannotAsk lists who cannot be asked, and then nothing is sent.
func TestCannotAsk(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	never := func(context.Context, []byte) error {
		t.Error("something is sent")
		return nil
	}
	modern, refusal := g.Post(t.Context(), headers("version=2026-07-28 method=tools/list"), message(t, "1", "tools/list", "{"+modernMeta+"}"),
		"")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	before, refusal := g.Post(t.Context(), headers(""), message(t, "1", "initialize", ""), "")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	for name, tt := range map[string]struct {
		conn *lifecycle.Conn
		send func(context.Context, []byte) error
	}{
		"modern":                            {modern, never},
		"before initialize":                 {before, never},
		"before initialize on stdio":        {g.Stream(), never},
		"no stream that the client accepts": {posted(t, g, open(t, g, "")), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := tt.conn.Ask(t.Context(), tt.send, "roots/list", nil); !errors.Is(err, lifecycle.ErrCannotAsk) {
				t.Errorf("Ask = %v, want ErrCannotAsk", err)
			}
			if refusal := tt.conn.Answer(t.Context(), response(t, `"`+strings.Repeat("A", 26)+`"`, `"result":{}`)); refusal != nil {
				t.Error(refusal.Error)
			}
		})
	}
}

// TestAskWhereNothingCanBeSent has the stream fail.
func TestAskWhereNothingCanBeSent(t *testing.T) {
	t.Parallel()
	mailbox := session.NewMemoryMailbox(session.MailboxOptions{})
	g := lifecycle.NewGate(lifecycle.Config{Mailbox: mailbox})
	lost := errors.New("no reader")
	_, err := posted(t, g, open(t, g, "")).Ask(t.Context(), func(context.Context, []byte) error { return lost }, "roots/list", nil)
	if !errors.Is(err, lifecycle.ErrCannotAsk) || !errors.Is(err, lost) || mailbox.Len() != 0 {
		t.Errorf("Ask = %v, and %d questions are open", err, mailbox.Len())
	}
}

// brokenMailbox fails as a shared one may.
type brokenMailbox struct{ session.Mailbox }

func (brokenMailbox) Open(context.Context, string, string) error { return errors.New("mailbox down") }

func (brokenMailbox) Put(context.Context, string, string, []byte) error {
	return errors.New("mailbox down")
}

// TestAskWithABrokenMailbox tells who asks, and has who answers try again.
func TestAskWithABrokenMailbox(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{Mailbox: brokenMailbox{session.NewMemoryMailbox(session.MailboxOptions{})}})
	id := open(t, g, "")
	send := func(context.Context, []byte) error { return nil }
	if _, err := posted(t, g, id).Ask(t.Context(), send, "roots/list", nil); err == nil || !strings.Contains(err.Error(), "mailbox down") {
		t.Errorf("Ask = %v", err)
	}
	refusal := answer(t, g, id, response(t, `"`+strings.Repeat("A", 26)+`"`, `"result":{}`))
	if refusal == nil || refusal.Status != http.StatusInternalServerError || refusal.Cause == nil {
		t.Errorf("refusal %+v", refusal)
	}
}

// TestAnswerThatFindsNoRoom may be sent again, and so may one that is smaller.
func TestAnswerThatFindsNoRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := lifecycle.NewGate(lifecycle.Config{Mailbox: session.NewMemoryMailbox(session.MailboxOptions{Bytes: 100})})
		id := open(t, g, "")
		a := ask(t.Context(), t, posted(t, g, id))
		refusal := answer(t, g, id, response(t, a.id(), `"result":"`+strings.Repeat("a", 100)+`"`))
		if refusal == nil || refusal.Status != http.StatusServiceUnavailable || refusal.RetryAfter == 0 {
			t.Errorf("refusal %+v", refusal)
		}
		if refusal := answer(t, g, id, response(t, a.id(), `"result":"a"`)); refusal != nil {
			t.Error(refusal.Error)
		}
		a.check(nil, `"a"`, false)
	})
}

// TestTooManyQuestions asks one more than a session may have open.
func TestTooManyQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := lifecycle.NewGate(lifecycle.Config{Mailbox: session.NewMemoryMailbox(session.MailboxOptions{SessionQuestions: 1})})
		id := open(t, g, "")
		a := ask(t.Context(), t, posted(t, g, id))
		more := ask(t.Context(), t, posted(t, g, id))
		<-more.done
		if !errors.Is(more.err, lifecycle.ErrCannotAsk) || !errors.Is(more.err, session.ErrMailboxFull) || len(more.sent) != 0 {
			t.Errorf("Ask = %v, sent %v", more.err, more.sent)
		}
		answer(t, g, id, response(t, a.id(), `"result":{}`))
		a.check(nil, `{}`, false)
	})
}

// TestAnswerComesToAnotherReplica shares sessions and mailbox between two gates.
func TestAnswerComesToAnotherReplica(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := lifecycle.Config{Sessions: session.NewMemory(session.MemoryOptions{}), Mailbox: session.NewMemoryMailbox(session.MailboxOptions{})}
		asks, hears := lifecycle.NewGate(cfg), lifecycle.NewGate(cfg)
		id := open(t, asks, "")
		a := ask(t.Context(), t, posted(t, asks, id))
		if refusal := answer(t, hears, id, response(t, a.id(), `"result":{}`)); refusal != nil {
			t.Error(refusal.Error)
		}
		a.check(nil, `{}`, false)
	})
}
