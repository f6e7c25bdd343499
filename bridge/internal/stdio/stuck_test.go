package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// outlines reads lines until the end of the output, and returns an outline of each.
func outlines(t *testing.T, lines *bufio.Reader) []string {
	t.Helper()
	rest, _ := io.ReadAll(lines) // its end is a closed pipe
	var all []string
	for line := range strings.Lines(string(rest)) {
		all = append(all, outline(t, strings.TrimSuffix(line, "\n")))
	}
	return all
}

// ignoring serves a method that takes so long, whatever is said to it.
func ignoring(d time.Duration) func(context.Context, jsonrpc.Message) []byte {
	return func(context.Context, jsonrpc.Message) []byte { time.Sleep(d); return []byte("{}") }
}

// TestStuckCallsAreAnswered: at the end of the stream each request has one answer, also those whose calls do not stop: alone,
// in a batch with others, and where the call ends at the very moment at which it is given up. What the client has cancelled
// has none.
func TestStuckCallsAreAnswered(t *testing.T) {
	t.Parallel()
	const giveUp = stdio.DefaultGrace + 200*time.Millisecond
	for name, end := range map[string]func(*client){
		"end of the input": func(c *client) { _ = c.in.Close() },
		"told to stop":     func(c *client) { c.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &double{batches: true, methods: methods{
					"stuck": ignoring(time.Hour), "at the last": ignoring(giveUp), "hold": hold(nil),
				}}
				c := connect(t, d, stdio.Config{})
				c.request(1, "stuck")
				c.request(2, "at the last")
				c.request(3, "hold")
				c.send(array(request(4, "ping"), request(5, "stuck"), request(6, "hold")))
				c.request(7, "stuck")
				c.cancelRequest(7)
				synctest.Wait()
				received := make(chan []string)
				go func() { received <- outlines(t, c.lines) }()
				start := time.Now()
				end(c)
				wantEnd(t, c, start, stdio.ErrStuck, time.Second)
				time.Sleep(2 * time.Hour) // of the bubble's clock: the calls end, too
				_ = c.out.Close()
				got := map[string]int{}
				for _, line := range <-received {
					got[line]++
				}
				want := map[string]int{"1:-32603": 1, "2:-32603": 1, "3:-32603": 1, "4 5:-32603 6:-32603": 1}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("answers (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestStuckCallsOfBlockedClients: a client that does not read is not waited for any longer on their account.
func TestStuckCallsOfBlockedClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &double{methods: methods{"stuck": ignoring(time.Hour)}}, stdio.Config{})
		for id := range 3 {
			c.request(id, "stuck")
		}
		synctest.Wait()
		start := time.Now()
		c.stop()
		wantEnd(t, c, start, stdio.ErrBlocked, time.Second)
		time.Sleep(2 * time.Hour) // of the bubble's clock: the calls end
	})
}

// TestAnsweredAtTheEnd: what was taken is answered, however close to it the stream is told to stop.
func TestAnsweredAtTheEnd(t *testing.T) {
	t.Parallel()
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			var c *client
			stops := func(context.Context, jsonrpc.Message) []byte { c.stop(); return []byte("{}") }
			c = connect(t, &double{methods: methods{"logging/setLevel": stops}}, stdio.Config{})
			received := make(chan []string)
			go func() { received <- outlines(t, c.lines) }()
			c.request(1, "logging/setLevel")
			if err := <-c.done; err != nil {
				t.Error(err)
			}
			_ = c.out.Close()
			if got := fmt.Sprint(<-received); got != "[1]" && got != "[1:-32603]" {
				t.Errorf("answers %s", got)
			}
		})
	}
}

// TestFailingInputIsAnswered: a reader that fails says nothing of the client's other end: what is in flight is answered.
func TestFailingInputIsAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fault := errors.New("cable pulled")
		d := &double{methods: methods{"hold": hold(nil), "stuck": ignoring(time.Hour)}}
		in := io.MultiReader(strings.NewReader(request(1, "hold")+request(2, "stuck")), iotest.ErrReader(fault))
		var out bytes.Buffer
		if err := stdio.ServeCalls(t.Context(), stdio.Config{}, d, in, &out); !errors.Is(err, fault) {
			t.Errorf("Serve returned %v", err)
		}
		time.Sleep(2 * time.Hour) // of the bubble's clock: the call ends
		got := outlines(t, bufio.NewReader(&out))
		slices.Sort(got)
		if diff := cmp.Diff([]string{"1:-32603", "2:-32603"}, got); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
	})
}
