package streamable_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// headOf returns the head of a POST whose body is given by the lines.
func headOf(lines string) string {
	return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + lines + "\r\n\r\n"
}

// TestHalfRequestsWhenDrained: requests whose bodies do not come do not hold up the end of a server that has listeners and
// nothing else, whatever they are refused for, and whether they begin before Drain or behind it. That is no call in flight.
func TestHalfRequestsWhenDrained(t *testing.T) {
	t.Parallel()
	evil := strings.Replace(headOf("Content-Length: 100"), "localhost", "evil.example", 1)
	for name, tt := range map[string]struct {
		half   string
		status int
	}{
		"no body":              {headOf("Content-Length: 100"), 503},
		"half a body":          {headOf("Content-Length: 100") + "{", 503},
		"no chunk":             {headOf("Transfer-Encoding: chunked"), 503},
		"half a chunk":         {headOf("Transfer-Encoding: chunked") + "9\r\n{", 503},
		"a foreign Host":       {evil, 403},
		"another type":         {strings.Replace(evil, "evil.example", "localhost\r\nContent-Encoding: gzip", 1), 415},
		"another method":       {strings.Replace(headOf("Content-Length: 100"), "POST", "PUT", 1), 405},
		"a GET":                {strings.Replace(headOf("Content-Length: 100"), "POST", "GET", 1), 400},
		"a DELETE":             {strings.Replace(headOf("Content-Length: 100"), "POST", "DELETE", 1), 400},
		"too large":            {headOf("Content-Length: 2000000") + "{", 413},
		"too large, in chunks": {headOf("Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s", 2<<20, strings.Repeat(" ", 1<<20+1)), 413},
	} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, late %v", name, late), func(t *testing.T) {
				t.Parallel()
				bubble(t, func(t *testing.T) {
					h := scripted(subscribed())
					s, lis := start(t, h)
					s.RegisterOnShutdown(h.Drain)
					listening := lis.dial(t)
					listening.get(t, "Mcp-Session-Id: "+open(t, h, mcp.V20251125))
					listening.head(t).next(t)
					c := lis.dial(t)
					synctest.Wait()
					if late {
						h.Drain()
					}
					if _, err := io.WriteString(c, tt.half); err != nil {
						t.Error(err)
					}
					synctest.Wait()
					began := time.Now()
					answered := make(chan answer, 1)
					go func() { answered <- c.receive(t) }()
					go func() { _, _ = io.Copy(io.Discard, listening) }()
					if err := s.Shutdown(t.Context()); err != nil || time.Since(began) > 2*time.Second {
						t.Errorf("Shutdown returned %v after %v", err, time.Since(began))
					}
					resp := take(t, answered)
					if resp.StatusCode != tt.status || tt.status == 503 && resp.Header.Get("Retry-After") == "" {
						t.Errorf("status %d, header %v, body %s", resp.StatusCode, resp.Header, resp.body)
					}
				})
			})
		}
	}
}

// TestRefusedBodies: the rest of a request that is refused is waited for no longer than a second, also while all is well.
func TestRefusedBodies(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		_, lis := start(t, endpoint(&double{}))
		c := lis.dial(t)
		fmt.Fprint(c, strings.Replace(headOf("Content-Length: 100"), "localhost", "evil.example", 1))
		began := time.Now()
		wantError(t, c.receive(t), 403, jsonrpc.CodeInvalidRequest, "")
		if took := time.Since(began); took > time.Second {
			t.Errorf("answered after %v", took)
		}
		c = lis.dial(t) // one that comes whole leaves the connection open
		for range 3 {
			c.send(t, ping, len(ping), "Mcp-Name: a", "Mcp-Name: b")
			wantError(t, c.receive(t), 400, jsonrpc.CodeInvalidRequest, "")
			c.send(t, ping, len(ping))
			if resp := c.receive(t); resp.StatusCode != http.StatusOK {
				t.Errorf("status %d", resp.StatusCode)
			}
		}
	})
}

// TestDrainLetsBodiesComplete: a body that comes in time is served, however long its call takes, and its client is not
// taken to have left.
func TestDrainLetsBodiesComplete(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"before Drain": false, "behind Drain": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				h := scripted(&script{run: func(ctx context.Context, msg jsonrpc.Message, _ server.Sink) server.Reply {
					select {
					case <-ctx.Done():
						return server.Reply{}
					case <-time.After(time.Hour):
						return result(msg)
					}
				}})
				_, lis := start(t, h)
				c := lis.dial(t)
				if late {
					h.Drain()
				}
				c.send(t, modernRequest[:40], len(modernRequest), modernLines...)
				synctest.Wait()
				h.Drain()
				time.Sleep(900 * time.Millisecond)
				if _, err := io.WriteString(c, modernRequest[40:]); err != nil {
					t.Error(err)
				}
				if resp := c.receive(t); resp.StatusCode != http.StatusOK || !bytes.Contains(resp.body, []byte(`"result"`)) {
					t.Errorf("status %d, body %s", resp.StatusCode, resp.body)
				}
			})
		})
	}
}

// deadlined is a ResponseWriter that keeps the last deadline for reading.
type deadlined struct {
	*httptest.ResponseRecorder
	reading time.Time
}

func (d *deadlined) SetReadDeadline(t time.Time) error { d.reading = t; return nil }

// readerFunc is an io.Reader.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// TestDrainBehindBody: net/http takes the deadline away with the end of a body. One that Drain sets right behind that, of
// which the client would seem to leave in the middle of its call, does not stay.
func TestDrainBehindBody(t *testing.T) {
	t.Parallel()
	h := endpoint(&double{})
	w, text := &deadlined{ResponseRecorder: httptest.NewRecorder()}, strings.NewReader(ping)
	r := request("POST", ping)
	r.Body = io.NopCloser(readerFunc(func(b []byte) (int, error) {
		n, err := text.Read(b)
		if err != nil {
			w.reading = time.Time{} // as net/http does
			h.Drain()
			if w.reading.IsZero() {
				t.Error("Drain sets no deadline")
			}
		}
		return n, err
	}))
	if h.ServeHTTP(w, r); w.Code != http.StatusOK || !w.reading.IsZero() {
		t.Errorf("status %d, deadline %v", w.Code, w.reading)
	}
}
