package streamable_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// listen serves h on loopback until the test ends.
func listen(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.Client().CloseIdleConnections()
		s.Close()
	})
	return s
}

// raw sends text as it is over a connection of its own and returns the answer.
func raw(t *testing.T, s *httptest.Server, text string) answer {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, strings.ReplaceAll(text, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, resp)
}

// TestSmuggling has requests on whose end, host or headers two servers could disagree: all end as 4xx or 5xx, before a
// message is served.
func TestSmuggling(t *testing.T) {
	t.Parallel()
	const head = "POST /mcp HTTP/1.1\nHost: localhost\nContent-Type: application/json\n"
	length := fmt.Sprintf("Content-Length: %d\n", len(ping))
	for name, text := range map[string]string{
		"two Hosts":                   head + "Host: evil.example\n" + length + "\n" + ping,
		"no Host":                     "POST /mcp HTTP/1.1\nContent-Type: application/json\n" + length + "\n" + ping,
		"a foreign absolute target":   strings.Replace(head, "/mcp", "http://evil.example/mcp", 1) + length + "\n" + ping,
		"two lengths":                 head + length + "Content-Length: 1\n\n" + ping,
		"a negative length":           head + "Content-Length: -1\n\n" + ping,
		"chunked identity":            head + "Transfer-Encoding: chunked, identity\n\n0\n\n",
		"an unknown coding":           head + "Transfer-Encoding: gzip\n\n" + ping,
		"a space before the colon":    head + "Origin : http://localhost\n" + length + "\n" + ping,
		"a NUL in a value":            head + "Mcp-Name: a\x00b\n" + length + "\n" + ping,
		"two Origins":                 head + "Origin: http://localhost\nOrigin: http://localhost\n" + length + "\n" + ping,
		"two Origins in two cases":    head + "origin: http://localhost\nORIGIN: http://evil.example\n" + length + "\n" + ping,
		"a folded second Origin":      head + "Origin: http://localhost\n http://evil.example\n" + length + "\n" + ping,
		"two versions":                head + "MCP-Protocol-Version: 2025-11-25\nmcp-protocol-version: 2026-07-28\n" + length + "\n" + ping,
		"a broken chunk":              head + "Transfer-Encoding: chunked\n\nXX\n" + ping + "\n0\n\n",
		"a body longer than it says":  head + "Content-Length: 3\n\n" + ping,
		"a foreign Host by HTTP/1.0":  "POST /mcp HTTP/1.0\nHost: evil.example\nContent-Type: application/json\n" + length + "\n" + ping,
		"no Host by HTTP/1.0":         "POST /mcp HTTP/1.0\nContent-Type: application/json\n" + length + "\n" + ping,
		"a method in lower case":      strings.Replace(head, "POST", "post", 1) + length + "\n" + ping,
		"a header that is too long":   head + "Mcp-Name: " + strings.Repeat("x", 2<<20) + "\n" + length + "\n" + ping,
		"Transfer-Encoding and a tab": head + "Transfer-Encoding:\tchunked, chunked\n\n0\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &double{}
			s := listen(t, endpoint(d))
			if resp := raw(t, s, text); resp.StatusCode < 400 {
				t.Errorf("status %d, body %s", resp.StatusCode, resp.body)
			}
			wantServed(t, d, 0)
		})
	}
}

// TestLengthAndChunks: where a length stands beside chunks, the chunks count, and nothing that follows them is taken for
// a second request.
func TestLengthAndChunks(t *testing.T) {
	t.Parallel()
	d := &double{}
	s := listen(t, endpoint(d))
	resp := raw(t, s,
		"POST /mcp HTTP/1.1\nHost: localhost\nContent-Type: application/json\nContent-Length: 4\nTransfer-Encoding: chunked\n\n0\n\nPOST /mcp "+
			"HTTP/1.1\nHost: localhost\n\n")
	wantError(t, resp, 400, jsonrpc.CodeInvalidRequest, "")
	wantServed(t, d, 0)
}

// TestLaxHeads: net/http takes what a proxy should refuse, and says nothing of it to the handler: the package's
// documentation tells what. When this fails, net/http has become stricter, and that part of it has to go.
func TestLaxHeads(t *testing.T) {
	t.Parallel()
	const head = "POST /mcp HTTP/1.1\nHost: localhost\nContent-Type: application/json\n"
	chunks := fmt.Sprintf("%x\n%s\n0\n\n", len(ping), ping)
	plain := head + fmt.Sprintf("Content-Length: %d\n\n%s", len(ping), ping)
	for name, text := range map[string]string{
		"a length and chunks": strings.ReplaceAll(head+"Content-Length: 4\nTransfer-Encoding: chunked\n\n"+chunks, "\n", "\r\n"),
		"a folded header":     strings.ReplaceAll(strings.Replace(plain, "\n", "\nX-Other: a\n b\n", 1), "\n", "\r\n"),
		"bare LF":             plain,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &double{}
			conn, err := net.Dial("tcp", listen(t, endpoint(d)).Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			in := bufio.NewReader(conn)
			for range 2 { // on one connection
				if _, err := io.WriteString(conn, text); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := read(t, resp); got.StatusCode != http.StatusOK {
					t.Errorf("status %d, body %s", got.StatusCode, got.body)
				}
			}
			wantServed(t, d, 2)
		})
	}
}

// TestCutBody: a client that promises more than it sends gets no call.
func TestCutBody(t *testing.T) {
	t.Parallel()
	d := &double{}
	conn, err := net.Dial("tcp", listen(t, endpoint(d)).Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n%s", ping)
	_ = conn.(*net.TCPConn).CloseWrite()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, read(t, resp), 400, jsonrpc.CodeInvalidRequest, "")
	wantServed(t, d, 0)
}

// TestBrokenBodies: what is said of a body fits how its length was given.
func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	const chunked = "Transfer-Encoding: chunked\r\n\r\n"
	for name, tt := range map[string]struct{ rest, says, not string }{
		"fewer bytes":       {"Content-Length: 400\r\n\r\n{", "as many bytes as Content-Length", "chunk"},
		"no chunk size":     {chunked + "zz\r\nabc\r\n", "hexadecimal", "ended early"},
		"a longer chunk":    {chunked + "1\r\nabc\r\n0\r\n\r\n", "hexadecimal", "ended early"},
		"no last chunk":     {chunked + "1\r\n{\r\n", "the empty one that ends them", "Content-Length"},
		"the half of chunk": {chunked + "9\r\n{", "all of its chunks", "Content-Length"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := halfClosed(t, listen(t, endpoint(&double{})),
				"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+tt.rest)
			got, err := http.ReadResponse(bufio.NewReader(strings.NewReader(resp)), nil)
			if err != nil {
				t.Fatalf("%v in %q", err, resp)
			}
			says := wantError(t, read(t, got), 400, jsonrpc.CodeInvalidRequest, "")
			if !strings.Contains(says, tt.says) || strings.Contains(says, tt.not) {
				t.Errorf("message %q, want %q and no %q", says, tt.says, tt.not)
			}
		})
	}
}

// TestHalfClosed: a modern client that closes its sending half has cancelled its request and reads the end of the
// connection, nothing before it.
func TestHalfClosed(t *testing.T) {
	t.Parallel()
	backend := newSlow()
	s := listen(t, gated(backend))
	text := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s\r\nContent-Length: %d\r\n\r\n%s",
		strings.Join(modernLines, "\r\n"), len(modernRequest), modernRequest)
	go func() {
		select {
		case <-backend.began:
		case <-t.Context().Done():
		}
	}()
	if got := halfClosed(t, s, text); got != "" {
		t.Errorf("read %q", got)
	}
	if cause := take(t, backend.ended); cause == nil {
		t.Error("the call was not cancelled")
	}
}

// halfClosed sends text over a connection of its own, closes its sending half, and returns all that comes back.
func halfClosed(t *testing.T, s *httptest.Server, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	return string(got)
}

// TestConnectionCut: over a real connection, the client's leaving reaches a modern call and leaves nothing behind.
func TestConnectionCut(t *testing.T) {
	t.Parallel()
	backend := newSlow()
	s := listen(t, gated(backend))
	ctx, disconnect := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(modernRequest))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	modern(r)
	go func() {
		select {
		case <-backend.began:
		case <-t.Context().Done():
		}
		disconnect()
	}()
	if resp, err := s.Client().Do(r); err == nil {
		t.Fatalf("answered with %d", read(t, resp).StatusCode)
	}
	if cause := take(t, backend.ended); cause == nil {
		t.Error("the call ended by itself")
	}
}

// TestClientsWithTheSameIDs: 200 clients at once, all of which count their ids from 0, get their own answers only.
func TestClientsWithTheSameIDs(t *testing.T) {
	t.Parallel()
	const clients, calls = 200, 5
	d := &double{handle: func(_ context.Context, msg jsonrpc.Message) server.Reply {
		return server.Reply{Status: 200, Body: jsonrpc.AppendResult(nil, msg.ID, msg.Params)}
	}}
	s := listen(t, endpoint(d))
	s.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = clients
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			for id := range calls {
				tag := fmt.Sprintf(`{"client":%d,"call":%d,"pad":"%s"}`, client, id, strings.Repeat("x", client*10))
				_, body := post(t, s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo","params":%s}`, id, tag))
				if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, tag); string(body) != want {
					t.Errorf("client %d got %q, want %q", client, body, want)
				}
			}
		})
	}
	group.Wait()
	wantServed(t, d, clients*calls)
}

// post sends a body over HTTP as a client does and returns the status and the body of the answer.
func post(t *testing.T, s *httptest.Server, body string, change ...func(*http.Request)) (int, []byte) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, c := range change {
		c(r)
	}
	resp, err := s.Client().Do(r)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	a := read(t, resp)
	return a.StatusCode, a.body
}
