package stdio_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// decodeLine returns the messages of one line of output.
func decodeLine(t *testing.T, text []byte) []jsonrpc.Message {
	t.Helper()
	one, batch := jsonrpc.DecodeBatch(text, jsonrpc.DefaultLimits)
	if batch == nil {
		batch = []jsonrpc.Decoded{one}
	}
	messages := make([]jsonrpc.Message, len(batch))
	for i, d := range batch {
		if d.Err != nil {
			t.Fatalf("output %q: %v", text, d.Err)
		}
		messages[i] = d.Message
	}
	return messages
}

// array writes messages as a batch.
func array(messages ...string) string {
	for i, m := range messages {
		messages[i] = strings.TrimSpace(m)
	}
	return "[" + strings.Join(messages, ",") + "]\n"
}

// outline says of each answer of a line whose it is and what: "1" for a result, "1:-32600" for an error.
func outline(t *testing.T, line string) string {
	t.Helper()
	var answers []string
	for _, msg := range decodeLine(t, []byte(line)) {
		text := msg.ID.String()
		if msg.Error != nil {
			text += fmt.Sprintf(":%d", msg.Error.Code)
		}
		answers = append(answers, text)
	}
	return strings.Join(answers, " ")
}

// TestBatches: 2025-03-26 basic, "Batching": an array of messages is answered with an array, and what is no message in it has
// an error of its own.
func TestBatches(t *testing.T) {
	t.Parallel()
	const notification = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	for name, tt := range map[string]struct {
		line string
		want string // outline of the answer; "" for none
	}{
		"requests":               {array(request(1, "ping"), request(2, "tools/call"), request(3, "tools/list")), "1 2 3"},
		"one request":            {array(request(1, "ping")), "1"},
		"notifications":          {array(notification, notification), ""},
		"responses":              {array(`{"jsonrpc":"2.0","id":5,"result":{}}`), ""},
		"a mixture":              {array(notification, request(2, "ping"), `{"jsonrpc":"2.0","id":5,"result":{}}`), "2"},
		"no messages":            {array(`1`, `{}`, `[]`, request(4, "ping")), ":-32600 :-32600 :-32600 4"},
		"initialize":             {array(request(1, "initialize"), request(2, "ping")), "1:-32600 2"},
		"subscriptions/listen":   {array(request(1, "subscriptions/listen"), request(2, "ping")), "1:-32600 2"},
		"more than may be":       {array(strings.Split(strings.Repeat("1 ", jsonrpc.MaxBatch+1), " ")[:jsonrpc.MaxBatch+1]...), ":-32600"},
		"none":                   {"[]\n", ":-32600"},
		"no end":                 {"[" + strings.TrimSpace(request(1, "ping")) + "\n", ":-32700"},
		"twice the same name":    {array(request(1, "ping"), `{"jsonrpc":"2.0","id":2,"method":"ping","method":"x"}`), ":-32700"},
		"more than prompt room":  {array(pings(9)...), "0 1 2 3 4 5 6 7 8"},
		"space before and after": {"  " + strings.TrimSpace(array(request(1, "ping"))) + "\t\r\n", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := feed(t, &double{batches: true}, stdio.Config{MaxPending: 2}, tt.line+request(99, "ping"))
			var got string
			for _, l := range lines {
				if o := outline(t, l); o != "99" {
					got += o
				}
			}
			if got != tt.want {
				t.Errorf("answers %q, want %q; output %q", got, tt.want, lines)
			}
		})
	}
}

func pings(n int) []string {
	all := make([]string, n)
	for id := range all {
		all[id] = request(id, "ping")
	}
	return all
}

// TestBatchesElsewhere: 2025-06-18 basic: no other version has arrays, and one is answered as a whole.
func TestBatchesElsewhere(t *testing.T) {
	t.Parallel()
	d := &double{}
	lines := feed(t, d, stdio.Config{}, array(request(1, "ping"), request(2, "tools/call"))+request(3, "ping"))
	if len(lines) != 2 || outline(t, lines[0]) != ":-32600" || !strings.Contains(lines[0], "by itself") {
		t.Errorf("output %q", lines)
	}
	if diff := cmp.Diff([]string{"ping 3"}, d.order()); diff != "" {
		t.Errorf("admitted (-want +got):\n%s", diff)
	}
}

// TestBatchRuns: the requests of a batch run beside each other, their answers wait for the last, and nobody else does.
func TestBatchRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := make(chan struct{}), make(chan struct{})
		d := &double{batches: true, methods: methods{"first": hold(first), "second": hold(second), "cancelled": hold(nil)}}
		c := connect(t, d, stdio.Config{})
		c.send(array(request(1, "first"), request(2, "second"), request(3, "cancelled"), request(4, "ping")))
		c.request(5, "ping")
		c.want(5)
		close(second)
		c.cancelRequest(3)
		synctest.Wait()
		if diff := cmp.Diff([]string{"2", "3", "4", "5"}, sorted(d.ended())); diff != "" {
			t.Errorf("ended (-want +got):\n%s", diff)
		}
		close(first)
		if line := c.line(); outline(t, line) != "1 2 4" {
			t.Errorf("answers %q", line)
		}
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestBatchBounds: a batch takes no more than its places, and what is refused in it is not carried out.
func TestBatchBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		d := &double{batches: true, methods: methods{"work": hold(release)}}
		c := connect(t, d, stdio.Config{MaxRunning: 1, MaxPending: 2})
		c.send(array(request(1, "work"), request(2, "work"), request(3, "work")))
		synctest.Wait()
		close(release)
		if line := c.line(); outline(t, line) != "1 2 3:-32600" || !strings.Contains(line, "not carried out") {
			t.Errorf("answers %q", line)
		}
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestBatchEnds: what a batch has come to when the input ends is sent; a panic in it is the answer to its message alone.
func TestBatchEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fault := func(context.Context, jsonrpc.Message) []byte { panic("secret detail") }
		d := &double{batches: true, methods: methods{"hold": hold(nil), "panics": fault}}
		c := connect(t, d, stdio.Config{})
		c.send(array(request(1, "hold"), request(2, "ping"), request(3, "panics"), request(4, "admission panics")))
		_ = c.in.Close()
		if line := c.line(); outline(t, line) != "1:-32603 2 3:-32603 4:-32603" {
			t.Errorf("answers %q", line)
		}
		if err := <-c.done; err != nil {
			t.Error(err)
		}
	})
}
