package streamable_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// patience bounds every wait of a test. While a stream is kept alive, a bubble is never idle: what does not come would be
// waited for without end, and not reported.
const patience = 24 * time.Hour

// take receives from a channel.
func take[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(patience):
		t.Fatal("nothing comes")
	}
	return v
}

// give sends to a channel.
func give[T any](t *testing.T, to chan<- T, v T) {
	t.Helper()
	select {
	case to <- v:
	case <-time.After(patience):
		t.Fatal("nothing is taken")
	}
}

// bubble runs a test with a clock of its own.
func bubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// get writes a GET.
func (w wire) get(t *testing.T, lines ...string) {
	t.Helper()
	head := "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
	for _, l := range lines {
		head += l + "\r\n"
	}
	if _, err := fmt.Fprint(w, head+"\r\n"); err != nil {
		t.Error(err)
	}
}

// head reads the head of a response, whose body is read as it comes.
func (w wire) head(t *testing.T) reading {
	t.Helper()
	resp, err := http.ReadResponse(w.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", resp.StatusCode, read(t, resp).body)
	}
	return reading{resp, bufio.NewReader(resp.Body)}
}

// TestReaderThatStops: a client that stops reading its stream is let go, and nobody else notices. In the legacy era its
// call goes on and it can come back; in the modern one the call is cancelled.
func TestReaderThatStops(t *testing.T) {
	t.Parallel()
	for _, version := range []mcp.Version{mcp.V20251125, mcp.V20260728} {
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				cancelled := make(chan bool, 2)
				h := scripted(&script{run: func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
					defer func() { cancelled <- ctx.Err() != nil }()
					return counts(3)(ctx, msg, out)
				}})
				_, lis := start(t, h)
				id := open(t, h, mcp.V20251125)
				body, lines := call, []string{"Accept: text/event-stream, application/json", "Mcp-Session-Id: " + id}
				if version == mcp.V20260728 {
					body, lines = modernRequest, append(modernLines, lines[0])
				}
				stuck, other := lis.dial(t), lis.dial(t)
				stuck.send(t, body, len(body), lines...)
				synctest.Wait() // it is written to

				began := time.Now()
				second := `{"jsonrpc":"2.0","id":2,"method":"tools/call"}`
				other.send(t, second, len(second), "Accept: text/event-stream, application/json", "Mcp-Session-Id: "+id)
				if rest := other.head(t).rest(t); len(messages(rest)) != 4 || time.Since(began) != 0 {
					t.Errorf("after %v another client has %+v", time.Since(began), rest)
				}
				time.Sleep(2 * streamable.DefaultEventTimeout)
				synctest.Wait()
				if take(t, cancelled) {
					t.Error("the call of the other is cancelled")
				}
				if got := take(t, cancelled); got != (version == mcp.V20260728) {
					t.Errorf("the call is cancelled: %v", got)
				}
				if b, err := stuck.in.ReadByte(); err == nil {
					t.Errorf("read %q, want the end of the connection", b)
				}
			})
		})
	}
}

// TestReaderThatComesBack: what was said to a client that did not read is there when it has come back.
func TestReaderThatComesBack(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		h := scripted(&script{run: counts(3)})
		_, lis := start(t, h)
		id := open(t, h, mcp.V20251125)
		c := lis.dial(t)
		c.send(t, call, len(call), "Accept: text/event-stream, application/json", "Mcp-Session-Id: "+id)
		got := []event{c.head(t).next(t)}
		time.Sleep(2 * streamable.DefaultEventTimeout)
		again := lis.dial(t)
		again.get(t, "Mcp-Session-Id: "+id, "Last-Event-ID: "+lastID(got))
		got = append(got, again.head(t).rest(t)...)
		if diff := cmp.Diff(conversation(3), messages(got)); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
	})
}

// TestKeepAlive: an open stream says that it is there, of each kind, while there is nothing else to say: for hours, whatever
// a body and an answer may take.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"call", "resumed call", "session", "subscription"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				script, steps := stepping()
				script.streams = kind == "subscription"
				h := scripted(script)
				s, lis := start(t, h)
				id := open(t, h, mcp.V20251125)
				stream := openKind(t, lis, kind, "Mcp-Session-Id: "+id, steps)
				began := time.Now()
				for comments := 0; comments < 500; { // two hours and more
					text, err := stream.in.ReadString('\n')
					if err != nil {
						t.Fatalf("after %v: %v", time.Since(began), err)
					}
					if text == ": keep-alive\n" {
						comments++
					}
				}
				if took := time.Since(began); took != 500*streamable.DefaultKeepAlive {
					t.Errorf("500 comments in %v", took)
				}
				if resp := serve(h, request("POST", ping, in(id))); kind != "subscription" && resp.StatusCode != http.StatusOK {
					t.Errorf("the session was taken for unused: %s", resp.body)
				}
				if kind != "session" {
					close(steps)
					if all := stream.rest(t); len(all) == 0 || all[len(all)-1].data != reply {
						t.Errorf("at the end: %+v", all)
					}
				}
				h.Close()
				_ = s.Close()
			})
		})
	}
}

// openKind opens a stream of a kind and returns when its head is there.
func openKind(t *testing.T, lis pipes, kind, session string, steps chan<- struct{}) reading {
	t.Helper()
	c := lis.dial(t)
	const accept = "Accept: text/event-stream, application/json"
	switch kind {
	case "session":
		c.get(t, session)
		return c.head(t)
	case "subscription":
		c.send(t, modernRequest, len(modernRequest), append(modernLines, accept)...)
	default:
		c.send(t, call, len(call), session, accept)
	}
	give(t, steps, struct{}{})
	stream := c.head(t)
	if kind != "resumed call" {
		return stream
	}
	last := stream.next(t).id
	_ = c.Close()
	c = lis.dial(t)
	c.get(t, session, "Last-Event-ID: "+last)
	return c.head(t)
}
