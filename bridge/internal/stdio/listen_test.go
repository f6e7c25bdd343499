package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

const listen = "subscriptions/listen"

// notification is one that a double sends.
func notification(tag string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/%s"}`, tag)
}

// announces serves subscriptions/listen: an acknowledgement, one message for each of more, and the result when the server
// ends it.
func announces(more <-chan string) func(context.Context, jsonrpc.Message, server.Sink) []byte {
	return func(ctx context.Context, msg jsonrpc.Message, out server.Sink) []byte {
		_ = out.Send(ctx, notification("acknowledged/"+msg.ID.String()))
		for {
			select {
			case tag := <-more:
				_ = out.Send(ctx, notification(tag))
			case <-ctx.Done():
				return []byte(`{"resultType":"complete"}`)
			}
		}
	}
}

// line reads one line of output.
func (c *client) line() string {
	c.t.Helper()
	text, err := c.lines.ReadString('\n')
	if err != nil {
		c.t.Fatalf("read a line: %v after %q", err, text)
	}
	return strings.TrimSuffix(text, "\n")
}

// wantLine reads one line of output and compares it.
func (c *client) wantLine(want string) {
	c.t.Helper()
	if got := c.line(); got != want {
		c.t.Errorf("received %s, want %s", got, want)
	}
}

// TestMessagesBeforeTheAnswer: what a call has to say is sent while it runs, a line each, and before its answer.
func TestMessagesBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	d := &double{sends: map[string]func(context.Context, jsonrpc.Message, server.Sink) []byte{
		"tools/call": func(ctx context.Context, _ jsonrpc.Message, out server.Sink) []byte {
			_ = out.Send(ctx, notification("one"))
			_ = out.Send(ctx, []byte("{\"jsonrpc\":\"2.0\",\n\"method\":\"two\"}"))
			return []byte(`{}`)
		},
	}}
	want := []string{string(notification("one")), `{"jsonrpc":"2.0", "method":"two"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`}
	if diff := cmp.Diff(want, feed(t, d, stdio.Config{}, request(1, "tools/call"))); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// TestListens: what belongs to no request is sent as it comes, and the end of the stream ends it.
func TestListens(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*client) error{
		"by the input":   (*client).end,
		"by the context": func(c *client) error { c.stop(); return <-c.done },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				more, ended := make(chan string), false
				d := &double{listen: func(ctx context.Context, out server.Sink) error {
					for {
						select {
						case tag := <-more:
							if err := out.Send(ctx, notification(tag)); err != nil {
								return err
							}
						case <-ctx.Done():
							ended = true
							return nil
						}
					}
				}}
				c := connect(t, d, stdio.Config{})
				more <- "a"
				c.wantLine(string(notification("a")))
				c.request(1, "ping")
				c.want(1)
				more <- "b"
				c.wantLine(string(notification("b")))
				if err := end(c); err != nil || !ended {
					t.Errorf("Serve returned %v, listening has ended: %v", err, ended)
				}
			})
		})
	}
}

// TestListeningFails: neither an error nor a panic of what belongs to no request ends the conversation. Each is logged, and
// the end of the server is neither.
func TestListeningFails(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(context.Context, server.Sink) error{
		"an error": func(context.Context, server.Sink) error { return errors.New("no store") },
		"a panic":  func(context.Context, server.Sink) error { panic("secret detail") },
		"the end":  func(context.Context, server.Sink) error { return server.ErrStopped },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				c := connect(t, &double{listen: fail}, stdio.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
				synctest.Wait() // it has failed
				c.request(1, "ping")
				c.want(1)
				if err := c.end(); err != nil {
					t.Error(err)
				}
				if quiet := name == "the end"; quiet != (log.Len() == 0) {
					t.Errorf("log %s", log.String())
				}
			})
		})
	}
}

// TestStreamsHaveRoomOfTheirOwn: they take no place of calls, calls take none of theirs, and one too many is refused.
func TestStreamsHaveRoomOfTheirOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &double{
			methods: methods{"hold": hold(nil)},
			sends:   map[string]func(context.Context, jsonrpc.Message, server.Sink) []byte{listen: announces(nil)},
		}
		c := connect(t, d, stdio.Config{MaxRunning: 1, MaxPending: 1, MaxStreams: 2})
		for id := range 2 {
			c.request(id, listen)
			c.wantLine(string(notification(fmt.Sprint("acknowledged/", id))))
		}
		c.request(2, listen)
		if msg := c.receive(); msg.Error == nil || msg.Error.Code != jsonrpc.CodeInvalidRequest ||
			!strings.Contains(msg.Error.Message, "2 requests listen") {
			t.Errorf("a third stream: %v", msg.Error)
		}
		c.request(3, "call")
		c.want(3)
		c.request(4, "hold")
		c.cancelRequest(0)
		synctest.Wait()
		c.request(5, listen) // in the place of the one that was cancelled
		c.wantLine(string(notification("acknowledged/5")))
		c.cancelRequest(4)
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestStreamIsCancelled: after notifications/cancelled nothing more is sent for it, not even what waited to be sent.
func TestStreamIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		more := make(chan string, 3)
		d := &double{sends: map[string]func(context.Context, jsonrpc.Message, server.Sink) []byte{listen: announces(more)}}
		c := connect(t, d, stdio.Config{})
		c.request(1, listen)
		c.wantLine(string(notification("acknowledged/1")))
		more <- "a"
		synctest.Wait() // a is with the writer
		more <- "b"
		more <- "c"
		synctest.Wait() // b waits for the writer
		c.cancelRequest(1)
		synctest.Wait()
		c.wantLine(string(notification("a")))
		c.request(2, "ping")
		c.want(2)
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestNothingAfterCancellation: what a call sends in spite of its cancellation goes nowhere, though the writer has time.
func TestNothingAfterCancellation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &double{sends: map[string]func(context.Context, jsonrpc.Message, server.Sink) []byte{
			"tools/call": func(ctx context.Context, _ jsonrpc.Message, out server.Sink) []byte {
				<-ctx.Done()
				for range 50 {
					if err := out.Send(ctx, notification("late")); !errors.Is(err, context.Canceled) {
						t.Errorf("Send returned %v", err)
					}
				}
				return nil
			},
		}}
		c := connect(t, d, stdio.Config{})
		c.request(1, "tools/call")
		c.cancelRequest(1)
		synctest.Wait()
		c.request(2, "ping")
		c.want(2)
		if err := c.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestServerEndsStreams: 2026-07-28 basic/patterns/subscriptions and cancellation: at the server's own end each listen call has
// its result, and then notifications/cancelled. At the end of the input nobody is left to read them.
func TestServerEndsStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &double{
			methods: methods{"hold": hold(nil)},
			sends:   map[string]func(context.Context, jsonrpc.Message, server.Sink) []byte{listen: announces(nil)},
		}
		c := connect(t, d, stdio.Config{})
		c.request(1, listen)
		c.wantLine(string(notification("acknowledged/1")))
		start := time.Now()
		c.stop()
		c.wantLine(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}`)
		c.wantLine(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the server ends the stream"}}`)
		wantEnd(t, c, start, nil, 0)
	})
}

// TestEndOfInputWithStreams: they do not hold up the end of the stream, and say nothing more; neither does a listener that
// takes its time.
func TestEndOfInputWithStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &double{sends: map[string]func(context.Context, jsonrpc.Message, server.Sink) []byte{listen: announces(nil)}}
		c := connect(t, d, stdio.Config{})
		c.request(1, listen)
		c.wantLine(string(notification("acknowledged/1")))
		start := time.Now()
		_ = c.in.Close()
		wantEnd(t, c, start, nil, 0)
	})
	synctest.Test(t, func(t *testing.T) {
		d := &double{listen: func(context.Context, server.Sink) error { time.Sleep(time.Minute); return nil }}
		c := connect(t, d, stdio.Config{})
		start := time.Now()
		_ = c.in.Close()
		wantEnd(t, c, start, stdio.ErrStuck, time.Second)
		time.Sleep(time.Hour) // of the bubble's clock: the listener ends too
	})
}

// TestOrderedMethods: what changes the session is over before the next line is looked at.
func TestOrderedMethods(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"logging/setLevel", "resources/subscribe", "resources/unsubscribe"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				d := &double{methods: methods{method: hold(release)}}
				c := connect(t, d, stdio.Config{})
				go func() {
					c.request(1, method)
					c.request(2, "tools/call")
				}()
				synctest.Wait()
				if diff := cmp.Diff([]string{method + " 1"}, d.order()); diff != "" {
					t.Errorf("admitted (-want +got):\n%s", diff)
				}
				close(release)
				c.want(1)
				c.want(2)
				if err := c.end(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
