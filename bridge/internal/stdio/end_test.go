package stdio_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// wantEnd waits for Serve and holds its error, and the time it took since start on the bubble's clock, against the
// wanted.
func wantEnd(t *testing.T, c *client, start time.Time, want error, most time.Duration) {
	t.Helper()
	if err := <-c.done; !errors.Is(err, want) {
		t.Errorf("Serve returned %v, want %v", err, want)
	}
	if took := time.Since(start); took > most {
		t.Errorf("Serve returned after %v, want at most %v", took, most)
	}
}

// TestEndOfInput: Serve returns within a second of the end of its input, whatever is in flight.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	takes := func(d time.Duration) func(context.Context, jsonrpc.Message) []byte {
		return func(ctx context.Context, msg jsonrpc.Message) []byte { return hold(after(d))(ctx, msg) }
	}
	stuck := func(context.Context, jsonrpc.Message) []byte { time.Sleep(time.Hour); return nil }
	tests := []struct {
		name     string
		serve    func(context.Context, jsonrpc.Message) []byte // nil for no call in flight
		cfg      stdio.Config
		answered bool
		err      error
		most     time.Duration
	}{
		{name: "nothing in flight"},
		{name: "a call that ends within the grace", serve: takes(300 * time.Millisecond), answered: true, most: 300 * time.Millisecond},
		{name: "a call that does not", serve: takes(time.Hour), answered: true, most: stdio.DefaultGrace},
		{name: "a call without grace", serve: takes(300 * time.Millisecond), cfg: stdio.Config{Grace: -1}, answered: true},
		{name: "a call that does not stop", serve: stuck, answered: true, err: stdio.ErrStuck, most: time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &double{methods: methods{"call": tt.serve}}
				c := connect(t, d, tt.cfg)
				if tt.serve != nil {
					c.request(1, "call")
					synctest.Wait()
				}
				start, received := time.Now(), make(chan string)
				go func() {
					rest, _ := io.ReadAll(c.lines)
					received <- string(rest)
				}()
				_ = c.in.Close()
				wantEnd(t, c, start, tt.err, tt.most)
				_ = c.out.Close()
				time.Sleep(2 * time.Hour) // of the bubble's clock: a stuck call ends too
				if rest := <-received; (rest != "") != tt.answered {
					t.Errorf("received %q", rest)
				}
			})
		})
	}
}

// after returns a channel that is closed after d.
func after(d time.Duration) <-chan struct{} {
	done := make(chan struct{})
	time.AfterFunc(d, func() { close(done) })
	return done
}

// TestContextEnds: Serve returns when it is told to, also while it reads and has no room; calls in flight have the grace before,
// and each of them an answer.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		busy           func(*client)
		calls, answers int // that are ended, and that have an answer then
	}{
		"reading":              {func(*client) {}, 0, 0},
		"in the middle a line": {func(c *client) { c.send(`{"jsonrpc"`) }, 0, 0},
		"a call in flight":     {func(c *client) { c.request(1, "hold") }, 1, 1},
		"a cancelled call":     {func(c *client) { c.request(1, "hold"); c.cancelRequest(1) }, 1, 0},
		"no room": {func(c *client) {
			c.request(1, "hold")
			c.request(2, "hold")
			c.request(3, "hold")
			c.receive() // its refusal
		}, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &double{methods: methods{"hold": hold(nil)}}
				c := connect(t, d, stdio.Config{MaxPending: 2})
				tt.busy(c)
				synctest.Wait()
				most := time.Duration(0)
				if tt.answers > 0 {
					most = stdio.DefaultGrace
				}
				start := time.Now()
				c.stop()
				for range tt.answers {
					if msg := c.receive(); msg.Error == nil || msg.Error.Code != jsonrpc.CodeInternal ||
						!strings.Contains(msg.Error.Message, "not known") {
						t.Errorf("a call was answered with %v", msg.Error)
					}
				}
				wantEnd(t, c, start, nil, most)
				if ended := len(d.ended()); ended != tt.calls {
					t.Errorf("%d of %d calls were ended", ended, tt.calls)
				}
			})
		})
	}
}

// TestContextEndsWhileWriting: answers that nobody reads do not keep Serve, which says why they were lost.
func TestContextEndsWhileWriting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &double{}, stdio.Config{})
		c.send("garbage\ngarbage\n") // the second answer waits for the first
		synctest.Wait()
		start := time.Now()
		c.stop()
		wantEnd(t, c, start, stdio.ErrBlocked, 500*time.Millisecond)
	})
}

// TestReaderThatCannotBeWoken: Serve leaves it behind rather than wait for it.
func TestReaderThatCannotBeWoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- stdio.ServeCalls(ctx, stdio.Config{}, &double{}, io.MultiReader(r), io.Discard)
		}()
		synctest.Wait()
		start := time.Now()
		stop()
		if err := <-done; err != nil || time.Since(start) > time.Second {
			t.Errorf("Serve returned %v after %v", err, time.Since(start))
		}
		_ = w.Close() // ends the goroutine that was left
	})
}

// TestBlockedWriter: a client that does not read its answers is given up after WriteTimeout.
func TestBlockedWriter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &double{methods: methods{"hold": hold(nil)}}
		c := connect(t, d, stdio.Config{WriteTimeout: 10 * time.Second})
		c.request(1, "hold")
		c.request(2, "ping")
		c.request(3, "ping")
		wantEnd(t, c, time.Now(), stdio.ErrBlocked, 11*time.Second)
		if diff := cmp.Diff([]string{"1", "2", "3"}, sorted(d.ended())); diff != "" {
			t.Errorf("ended (-want +got):\n%s", diff)
		}
	})
}

// TestSlowReaderIsServed: one that takes its time, but less than WriteTimeout each, gets everything.
func TestSlowReaderIsServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &double{}, stdio.Config{WriteTimeout: 10 * time.Second})
		for id := range 5 {
			c.request(id, "ping")
		}
		for range 5 {
			time.Sleep(9 * time.Second) // of the bubble's clock
			c.receive()
		}
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestClosedOutput: a client that has closed its reading end ends the stream, with the calls in flight.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &double{methods: methods{"hold": hold(nil)}}
		c := connect(t, d, stdio.Config{})
		c.request(1, "hold")
		_ = c.out.Close()
		c.request(2, "ping")
		wantEnd(t, c, time.Now(), io.ErrClosedPipe, 0)
		if diff := cmp.Diff([]string{"1", "2"}, sorted(d.ended())); diff != "" {
			t.Errorf("ended (-want +got):\n%s", diff)
		}
	})
}

// TestFailingInput: a reader that fails is an error that says so.
func TestFailingInput(t *testing.T) {
	t.Parallel()
	fault := errors.New("cable pulled")
	in := io.MultiReader(strings.NewReader(request(1, "ping")), iotest.ErrReader(fault))
	err := stdio.ServeCalls(t.Context(), stdio.Config{}, &double{}, in, io.Discard)
	if !errors.Is(err, fault) || !strings.Contains(err.Error(), "read from the client") {
		t.Errorf("Serve returned %v", err)
	}
}
