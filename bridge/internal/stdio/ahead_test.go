package stdio_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// inPipe is what a pipe holds of the input, in bytes: twice what it does on most systems.
const inPipe = 128 << 10

// requests writes as many requests as fit into size bytes.
func requests(size int, method string) string {
	var text strings.Builder
	for id := 0; text.Len() < size; id++ {
		text.WriteString(request(id, method))
	}
	return text.String()
}

// TestEndOfInputBehindUnreadAnswers: a client that has stopped to read its answers, and then ends the input, is left within a
// second, whatever it had written before and whatever of that nobody has looked at.
func TestEndOfInputBehindUnreadAnswers(t *testing.T) {
	t.Parallel()
	batch := strings.Repeat(array(pings(jsonrpc.MaxBatch)...), 20)
	for name, text := range map[string]string{
		"prompt requests":                    requests(160<<10, "tools/list"),
		"calls that are refused":             requests(160<<10, "tools/call"),
		"requests that are served in order":  requests(160<<10, "logging/setLevel"),
		"garbage":                            strings.Repeat("garbage\n", 20<<10),
		"batches":                            batch,
		"one answer":                         request(1, "ping"),
		"more than is read ahead at once":    requests(1<<20+300<<10, "ping"),
		"an unended line behind many others": requests(160<<10, "ping") + `{"jsonrpc"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, &double{batches: true}, stdio.Config{})
				written := max(0, len(text)-inPipe)
				c.send(text[:written])
				start := time.Now()
				c.send(text[written:]) // which a real pipe takes at once
				_ = c.in.Close()
				wantEnd(t, c, start, stdio.ErrBlocked, time.Second)
			})
		})
	}
}

// TestClientThatWritesOn: one that never reads its answers, and writes for ever, is given up after WriteTimeout, and not much
// is read until then.
func TestClientThatWritesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &double{}, stdio.Config{})
		wrote := make(chan int)
		go func() {
			n, portion := 0, []byte(strings.Repeat(" ", 8000)+request(1, "ping"))
			for {
				if _, err := c.in.Write(portion); err != nil {
					wrote <- n
					return
				}
				n += len(portion)
			}
		}()
		wantEnd(t, c, time.Now(), stdio.ErrBlocked, stdio.DefaultWriteTimeout+time.Second)
		if n := <-wrote; n > 48<<20 {
			t.Errorf("%d bytes were read", n)
		}
	})
}

// TestLinesBeforeTheEnd: what was read before the end of the input is answered, though the client is slow to take it and the
// end was seen more than a second ago: the grace begins with the last line.
func TestLinesBeforeTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const all = 40
		c := connect(t, &double{}, stdio.Config{MaxPending: 4})
		c.send(strings.Join(pings(all), ""))
		_ = c.in.Close()
		seen := map[string]bool{}
		for range all {
			time.Sleep(50 * time.Millisecond) // of the bubble's clock
			seen[c.receive().ID.String()] = true
		}
		if err := <-c.done; err != nil || len(seen) != all {
			t.Errorf("%d answers, Serve returned %v", len(seen), err)
		}
	})
}

// TestLinesInOrder: they are taken in the order in which they were read, however many wait.
func TestLinesInOrder(t *testing.T) {
	t.Parallel()
	const all = 3000
	d := &double{}
	var in bytes.Buffer
	for id := range all {
		in.WriteString(request(id, "logging/setLevel"))
	}
	if lines := feed(t, d, stdio.Config{}, in.String()); len(lines) != all {
		t.Errorf("%d answers", len(lines))
	}
	for i, admitted := range d.order() {
		if want := fmt.Sprint("logging/setLevel ", i); admitted != want {
			t.Fatalf("admitted %s, want %s", admitted, want)
		}
	}
}
