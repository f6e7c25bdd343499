package streamable_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// pipes is a listener in memory. Its connections keep their deadlines by the clock of the bubble in which it is made, and
// hold nothing: what one end writes waits until the other end reads it.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error { close(p); return nil }

func (pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// dial connects a client, which leaves when its test ends, or its patience.
func (p pipes) dial(t *testing.T) wire {
	near, far := net.Pipe()
	_ = near.SetDeadline(time.Now().Add(patience)) // of the bubble's clock; it is open
	give(t, p, far)
	t.Cleanup(func() { _ = near.Close() })
	return wire{near, bufio.NewReader(near)}
}

// start serves h on pipes until the test ends.
func start(t *testing.T, h http.Handler) (*http.Server, pipes) {
	lis, done := make(pipes), make(chan error, 1)
	s := &http.Server{Handler: h}
	go func() { done <- s.Serve(lis) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return s, lis
}

// wire is the client's end of a connection.
type wire struct {
	net.Conn
	in *bufio.Reader
}

// send writes the request for body, or as much of it as is there when length says that there is more.
func (w wire) send(t *testing.T, body string, length int, lines ...string) {
	t.Helper()
	head := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", length)
	for _, l := range lines {
		head += l + "\r\n"
	}
	if _, err := io.WriteString(w, head+"\r\n"+body); err != nil {
		t.Error(err)
	}
}

// receive reads one answer.
func (w wire) receive(t *testing.T) answer {
	t.Helper()
	resp, err := http.ReadResponse(w.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, resp)
}

var modernLines = []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"}

// TestSlowBody: a client that stops in the middle of its body is answered and let go.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &double{}
		_, lis := start(t, endpoint(d))
		c := lis.dial(t)
		sent := time.Now()
		c.send(t, "{", 40)
		wantError(t, c.receive(t), 408, jsonrpc.CodeInvalidRequest, "")
		if took := time.Since(sent); took != streamable.DefaultBodyTimeout {
			t.Errorf("answered after %v", took)
		}
		if _, err := c.in.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("the connection is left with %v", err)
		}
		wantServed(t, d, 0)
	})
}

// TestSlowCall: the times that a body and an answer may take do not count against the call between them.
func TestSlowCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lis := start(t, gated(newSlow()))
		c := lis.dial(t)
		c.send(t, modernRequest, len(modernRequest), modernLines...)
		if resp := c.receive(t); resp.StatusCode != http.StatusOK || len(resp.body) == 0 {
			t.Errorf("status %d, body %q", resp.StatusCode, resp.body)
		}
	})
}

// TestSlowReader: a client that leaves its answer unread is let go, whatever the answer.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	large := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"pad":"%s"}}`, strings.Repeat("x", 1<<20-100))
	echo := func(_ context.Context, msg jsonrpc.Message) server.Reply {
		if msg.Kind != jsonrpc.KindRequest {
			return server.Reply{}
		}
		return server.Reply{Status: 200, Body: jsonrpc.AppendResult(nil, msg.ID, msg.Params)}
	}
	for name, body := range map[string]string{
		"a result":       ping,
		"a large result": large,
		"a refusal":      "garbage",
		"a notification": `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, lis := start(t, endpoint(&double{handle: echo}))
				c := lis.dial(t)
				c.send(t, body, len(body))
				time.Sleep(streamable.DefaultWriteTimeout) // of the bubble's clock
				synctest.Wait()
				if b, err := c.in.ReadByte(); !errors.Is(err, io.EOF) {
					t.Errorf("read %q, %v, want the end of the connection", b, err)
				}
			})
		})
	}
}

// TestPauseBetweenRequests: the deadlines of an answer end with it, also for handlers that know of none.
func TestPauseBetweenRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mux := http.NewServeMux()
		mux.Handle("/mcp", endpoint(&double{}))
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "else") })
		_, lis := start(t, mux)
		c := lis.dial(t)
		c.send(t, ping, len(ping))
		if resp := c.receive(t); resp.StatusCode != http.StatusOK {
			t.Errorf("status %d", resp.StatusCode)
		}
		time.Sleep(time.Hour) // of the bubble's clock
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if resp := c.receive(t); string(resp.body) != "else" {
			t.Errorf("status %d, body %q", resp.StatusCode, resp.body)
		}
	})
}
