package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// asker is a double whose method "ask" asks the client on a stream of a gate and has its answer for a result. How the
// asking ended goes to ends.
type asker struct {
	double
	conn *lifecycle.Conn
	ends chan error
}

func (a *asker) Admit(ctx context.Context, msg jsonrpc.Message, out server.Sink) stdio.Call {
	if msg.Kind == jsonrpc.KindResponse {
		a.conn.Answer(ctx, &msg)
	}
	return a.double.Admit(ctx, msg, out)
}

// newAsker returns an asker whose client has initialized.
func newAsker(t *testing.T) *asker {
	t.Helper()
	gate := lifecycle.NewGate(lifecycle.Config{})
	a := &asker{conn: gate.Stream(), ends: make(chan error, 100)}
	t.Cleanup(a.conn.Close)
	if _, refusal := gate.Initialize(t.Context(), a.conn, mcp.InitializeParams{ProtocolVersion: mcp.V20251125, Capabilities: []byte(`{}`)},
		""); refusal != nil {
		t.Fatal(refusal.Error)
	}
	a.sends = map[string]func(context.Context, jsonrpc.Message, server.Sink) []byte{
		"ask": func(ctx context.Context, _ jsonrpc.Message, out server.Sink) []byte {
			raw, err := a.conn.Ask(ctx, out.Send, mcp.MethodElicit, nil)
			a.ends <- err
			return raw
		},
	}
	return a
}

// message reads one line, of whatever kind.
func (c *client) message() jsonrpc.Message {
	c.t.Helper()
	text, err := c.lines.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("read: %v after %q", err, text)
	}
	msg, malformed := jsonrpc.Decode(text, jsonrpc.DefaultLimits)
	if malformed != nil {
		c.t.Fatalf("%q: %v", text, malformed)
	}
	return msg
}

// question reads a question and returns its id, with quotes.
func (c *client) question() string {
	c.t.Helper()
	msg := c.message()
	if msg.Kind != jsonrpc.KindRequest || msg.Method != mcp.MethodElicit {
		c.t.Fatalf("received %s %q, want a question", msg.Kind, msg.Method)
	}
	return msg.ID.String()
}

// answer writes a response.
func (c *client) answer(id, result string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result))
}

// TestAnswersFindARoom takes all places, to run and to wait, by calls that ask: their answers are read all the same, in
// whatever order they come.
func TestAnswersFindARoom(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	c := connectTo(t, a, stdio.Config{MaxRunning: 3, MaxPending: 3})
	var ids [3]string
	for i := range ids {
		c.request(i, "ask")
		ids[i] = c.question()
	}
	c.request(7, "ask")
	if msg := c.message(); msg.Error == nil || msg.ID != jsonrpc.IntID(7) {
		t.Errorf("received %+v, want a refusal of what has no place", msg)
	}
	c.answer(`"unknown"`, `{}`)
	for i := len(ids) - 1; i >= 0; i-- {
		c.answer(ids[i], fmt.Sprintf(`{"n":%d}`, i))
		if msg := c.message(); msg.ID != jsonrpc.IntID(int64(i)) || string(msg.Result) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("received id %s, result %s; want those of %d", msg.ID, msg.Result, i)
		}
	}
	c.answer(ids[0], `{}`) // again, which does nothing
	c.request(8, "ping")
	c.want(8)
	if err := c.end(); err != nil {
		t.Error(err)
	}
}

// TestCallsThatWaitAskLater has calls wait for their turn behind one that asks.
func TestCallsThatWaitAskLater(t *testing.T) {
	t.Parallel()
	c := connectTo(t, newAsker(t), stdio.Config{MaxRunning: 1, MaxPending: 3})
	for i := range 3 {
		c.request(i, "ask")
	}
	for range 3 {
		id := c.question()
		c.answer(id, `{}`)
		if msg := c.message(); string(msg.Result) != `{}` {
			t.Errorf("received %+v, want a result", msg)
		}
	}
}

// TestAnswersInABatch answers two questions by one line.
func TestAnswersInABatch(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	a.batches = true
	c := connectTo(t, a, stdio.Config{})
	c.request(1, "ask")
	first := c.question()
	c.request(2, "ask")
	second := c.question()
	c.send(fmt.Sprintf(`[{"jsonrpc":"2.0","id":%s,"result":{}},{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"no"}}]`+"\n", first,
		second))
	for range 2 {
		c.receive()
	}
	failed := 0
	for range 2 {
		if err := <-a.ends; err != nil {
			failed++
		}
	}
	if failed != 1 {
		t.Errorf("%d questions were answered with an error, want 1", failed)
	}
}

// TestQuestionIsCancelled cancels a call that asks: the client is told that the question is of no interest any more.
func TestQuestionIsCancelled(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	c := connectTo(t, a, stdio.Config{})
	c.request(1, "ask")
	id := c.question()
	c.cancelRequest(1)
	msg := c.message()
	if cancelled, _ := mcp.ParseCancelled(msg.Params); msg.Method != mcp.MethodCancelled || cancelled.String() != id {
		t.Errorf("received %q of %s, want the cancellation of %s", msg.Method, cancelled, id)
	}
	if err := <-a.ends; !errors.Is(err, context.Canceled) {
		t.Errorf("Ask = %v", err)
	}
}

// TestEndOfInputEndsQuestions ends the input under a question, which nobody can answer then: the call is over in its grace.
func TestEndOfInputEndsQuestions(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	c := connectTo(t, a, stdio.Config{Grace: -1})
	c.request(1, "ask")
	c.question()
	go func() { _, _ = io.Copy(io.Discard, c.lines) }()
	if err := c.end(); err != nil {
		t.Error(err)
	}
	if err := <-a.ends; !errors.Is(err, context.Canceled) {
		t.Errorf("Ask = %v", err)
	}
	_ = c.out.Close()
}
