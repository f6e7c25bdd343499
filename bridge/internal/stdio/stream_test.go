package stdio_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// methods is a double's table.
type methods = map[string]func(context.Context, jsonrpc.Message) []byte

// TestConcurrentCalls: a slow call holds up no other, and answers come as they are ready.
func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := make(chan struct{}), make(chan struct{})
		c := connect(t, &double{methods: methods{"first": hold(first), "second": hold(second)}}, stdio.Config{})
		c.request(1, "first")
		c.request(2, "second")
		c.request(3, "third")
		c.want(3)
		close(second)
		c.want(2)
		close(first)
		c.want(1)
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestOrder: messages are admitted in the order of their arrival; notifications and initialize are over before the next
// line is looked at, however long they take.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		d := &double{methods: methods{"initialize": hold(release), "notifications/initialized": hold(release), "tools/call": hold(nil)}}
		c := connect(t, d, stdio.Config{})
		go func() {
			c.request(1, "initialize")
			c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
			c.request(2, "tools/list")
			c.send(`{"jsonrpc":"2.0","id":5,"result":{}}` + "\n")
			c.request(3, "tools/call")
			c.cancelRequest(3)
		}()
		synctest.Wait()
		if diff := cmp.Diff([]string{"initialize 1"}, d.order()); diff != "" {
			t.Errorf("admitted while initialize runs (-want +got):\n%s", diff)
		}
		release <- struct{}{}
		c.want(1)
		synctest.Wait()
		if diff := cmp.Diff([]string{"initialize 1", "notifications/initialized"}, d.order()); diff != "" {
			t.Errorf("admitted while initialized runs (-want +got):\n%s", diff)
		}
		close(release)
		c.want(2)
		synctest.Wait()
		want := []string{"initialize 1", "notifications/initialized", "tools/list 2", "5", "tools/call 3", "notifications/cancelled"}
		if diff := cmp.Diff(want, d.order()); diff != "" {
			t.Errorf("admitted (-want +got):\n%s", diff)
		}
	})
}

// TestCancellationOvertakes: a cancellation reaches a call that runs, one that waits for its turn, and one that was sent
// right before it; none of them is answered, and each is ended.
func TestCancellationOvertakes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &double{methods: methods{"hold": hold(nil)}}
		c := connect(t, d, stdio.Config{MaxRunning: 1})
		c.request(1, "hold")
		synctest.Wait()
		c.request(2, "hold")
		synctest.Wait()
		c.cancelRequest(2)
		synctest.Wait()
		if diff := cmp.Diff([]string{"2"}, d.ended()); diff != "" {
			t.Errorf("ended after cancelling 2 (-want +got):\n%s", diff)
		}
		c.send(request(3, "hold") + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}` + "\n")
		synctest.Wait()
		c.cancelRequest(1)
		c.cancelRequest(99)
		synctest.Wait()
		if diff := cmp.Diff([]string{"2", "3", "1"}, d.ended()); diff != "" {
			t.Errorf("ended (-want +got):\n%s", diff)
		}
		c.request(4, "ping")
		c.want(4)
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestBounds: at most MaxRunning calls run, at most MaxPending are admitted and the others refused, and there is room again
// when one has ended.
func TestBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const running, pending, all = 2, 5, 12
		now, most := make(chan int, 1), 0
		now <- 0
		release := make(chan struct{})
		work := func(ctx context.Context, msg jsonrpc.Message) []byte {
			n := <-now + 1
			most = max(most, n)
			now <- n
			hold(release)(ctx, msg)
			now <- <-now - 1
			return nil
		}
		d := &double{methods: methods{"work": work}}
		c := connect(t, d, stdio.Config{MaxRunning: running, MaxPending: pending})
		go func() {
			for id := range all {
				c.request(id, "work")
			}
		}()
		for id := pending; id < all; id++ {
			msg := c.receive()
			if msg.ID != jsonrpc.IntID(int64(id)) || msg.Error == nil || msg.Error.Code != jsonrpc.CodeInvalidRequest ||
				!strings.Contains(msg.Error.Message, "not carried out") {
				t.Errorf("received id %s error %v, want the refusal of %d", msg.ID, msg.Error, id)
			}
		}
		if got := len(d.order()); got != pending {
			t.Errorf("%d requests are admitted, want %d", got, pending)
		}
		release <- struct{}{}
		c.receive()
		synctest.Wait()
		c.request(all, "work")
		synctest.Wait()
		if got := len(d.order()); got != pending+1 {
			t.Errorf("%d requests are admitted after one has ended, want %d", got, pending+1)
		}
		close(release)
		for range pending {
			c.receive()
		}
		if <-now; most != running {
			t.Errorf("%d requests ran at once, want %d", most, running)
		}
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestPromptAnswers: however many calls run, wait or are refused, what is no call is answered at once, and a cancellation
// gets through and makes room.
func TestPromptAnswers(t *testing.T) {
	t.Parallel()
	for name, calls := range map[string]int{"all places to run are taken": 2, "calls wait": 3, "there is no room": 4, "calls are refused": 9} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &double{methods: methods{"tools/call": hold(nil)}}
				c := connect(t, d, stdio.Config{MaxRunning: 2, MaxPending: 4})
				for id := range calls {
					c.request(id, "tools/call")
					if id >= 4 {
						c.receive() // its refusal
					}
				}
				for i, method := range []string{"ping", "server/discover", "tools/list", "initialize"} {
					c.request(100+i, method)
					c.want(100 + i)
				}
				for id := range min(calls, 4) {
					c.cancelRequest(id)
				}
				synctest.Wait()
				if got := len(d.ended()); got != min(calls, 4)+4 {
					t.Errorf("%d requests have ended: %v", got, d.ended())
				}
				c.request(200, "more")
				c.want(200)
			})
		})
	}
}

// TestWholeWrites: each answer is one line in one write, whatever runs beside it.
func TestWholeWrites(t *testing.T) {
	t.Parallel()
	const calls = 500
	var in strings.Builder
	for id := range calls {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"echo","params":{"tag":%d,"pad":%q}}`+"\n", id, id, strings.Repeat("y", id%97))
	}
	var out writes
	if err := stdio.ServeCalls(t.Context(), stdio.Config{MaxPending: calls}, &double{}, strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, text := range out {
		line, ok := strings.CutSuffix(text, "\n")
		msg := decode(t, []byte(line))
		if tag, _ := jsonrpc.Find(msg.Result, "tag"); !ok || string(tag) != msg.ID.String() {
			t.Errorf("write %q", text)
		}
		seen[msg.ID.String()] = true
	}
	if len(out) != calls || len(seen) != calls {
		t.Errorf("%d writes for %d ids, want %d", len(out), len(seen), calls)
	}
}

// writes records each write by itself.
type writes []string

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

// TestPanics: a panic costs the message that it is about its answer, and nothing else.
func TestPanics(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	fault := func(context.Context, jsonrpc.Message) []byte { panic("secret detail") }
	d := &double{methods: methods{"panics": fault, "notifications/panics": fault, "initialize": fault}}
	cfg := stdio.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	lines := feed(t, d, cfg, request(1, "panics")+request(2, "admission panics")+request(3, "initialize")+
		`{"jsonrpc":"2.0","method":"notifications/panics"}`+"\n"+request(4, "ping"))
	codes := map[string]int{}
	for _, l := range lines {
		msg := decode(t, []byte(l))
		if codes[msg.ID.String()] = 0; msg.Error != nil {
			codes[msg.ID.String()] = msg.Error.Code
		}
		if strings.Contains(l, "secret") || strings.Contains(l, "goroutine") {
			t.Errorf("answer %s tells what failed inside", l)
		}
	}
	want := map[string]int{"1": jsonrpc.CodeInternal, "2": jsonrpc.CodeInternal, "3": jsonrpc.CodeInternal, "4": 0}
	if diff := cmp.Diff(want, codes); diff != "" || len(lines) != len(want) {
		t.Errorf("answers %q (-want +got):\n%s", lines, diff)
	}
	if got := strings.Count(log.String(), "secret detail"); got != 4 || !strings.Contains(log.String(), "stream_test.go") {
		t.Errorf("%d panics in the log, or no stack: %s", got, log.String())
	}
}
