package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestDrainIsBounded: a call that does not finish is cut, and its client gets the answer that it ends with.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	var stop context.CancelFunc
	cut := make(chan struct{})
	url, stop, ended := serveTest(t, time.Millisecond, func() error { close(cut); return nil }, func(w http.ResponseWriter, _ *http.Request) {
		stop()
		<-cut
		fmt.Fprint(w, "cut")
	})
	if body, err := post(url); err != nil || body != "cut" {
		t.Errorf("body %q, error %v", body, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestDrainGivesUp: a handler that takes no notice of being cut does not keep the server from ending, and what goes wrong
// in cutting is told.
func TestDrainGivesUp(t *testing.T) {
	t.Parallel()
	var stop context.CancelFunc
	release, fault := make(chan struct{}), errors.New("cannot be cut")
	url, stop, ended := serveTest(t, time.Millisecond, func() error { return fault }, func(http.ResponseWriter, *http.Request) {
		stop()
		<-release
	})
	if body, err := post(url); err == nil {
		t.Errorf("the call ended with %q", body)
	}
	if err := <-ended; !errors.Is(err, fault) {
		t.Errorf("error %v, want %v", err, fault)
	}
	close(release)
}

// TestDrainLetsCallsFinish: what is in flight gets its answer after the signal.
func TestDrainLetsCallsFinish(t *testing.T) {
	t.Parallel()
	var stop context.CancelFunc
	stopping := make(chan struct{})
	url, stop, ended := serveTest(t, time.Minute, nil, func(w http.ResponseWriter, _ *http.Request) {
		stop()
		<-stopping // until nothing new is accepted
		fmt.Fprint(w, "finished")
	})
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), path)
	go func() {
		for {
			c, err := net.Dial("tcp", address)
			if err != nil {
				close(stopping)
				return
			}
			c.Close()
		}
	}()
	if body, err := post(url); err != nil || body != "finished" {
		t.Errorf("body %q, error %v", body, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestHeaderLimit: a header beyond the limit is refused before any handler sees it.
func TestHeaderLimit(t *testing.T) {
	t.Parallel()
	url, stop, ended := serveTest(t, time.Minute, nil, func(http.ResponseWriter, *http.Request) { t.Error("the handler was reached") })
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), path))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nX-Long: %s\r\n\r\n", path, bytes.Repeat([]byte("x"), maxHeaderBytes+8<<10))
	if status, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(status, "431") {
		t.Errorf("status line %q, error %v", status, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// serveTest serves a handler at the endpoint's path until stop is called.
func serveTest(
	t *testing.T, patience time.Duration, cut func() error, h http.HandlerFunc,
) (url string, stop context.CancelFunc, ended <-chan error) {
	t.Helper()
	lis, err := listen(t.Context(), "127.0.0.1:0", "--listen")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		result <- serveHTTP(ctx, lis, &double{h, func() {}, cut}, slog.New(slog.DiscardHandler), patience)
	}()
	return endpoint(lis.Addr()), stop, result
}

// double is a handler whose streams drain ends, and its calls cut.
type double struct {
	http.HandlerFunc

	drain func()
	cut   func() error
}

func (d *double) Drain() { d.drain() }

func (d *double) Close() error { return d.cut() }

// TestStreamsEnd: a stream that lasts until its client leaves does not hold up the end of the server.
func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	lis, err := listen(t.Context(), "127.0.0.1:0", "--listen")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	drained, drain := context.WithCancel(t.Context())
	stream := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stop()
		<-drained.Done()
		fmt.Fprint(w, "the last word")
	})
	cut := func() error { t.Error("the calls were cut"); return nil }
	result := make(chan error, 1)
	go func() {
		result <- serveHTTP(ctx, lis, &double{stream, drain, cut}, slog.New(slog.DiscardHandler), time.Hour)
	}()
	if body, err := post(endpoint(lis.Addr())); err != nil || body != "the last word" {
		t.Errorf("body %q, error %v", body, err)
	}
	if err := <-result; err != nil {
		t.Error(err)
	}
}

// post posts an empty object and returns the body of the answer.
func post(url string) (string, error) {
	resp, err := http.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// TestHalfRequests: a client that has sent half a request, or none, does not hold up the end of the server.
func TestHalfRequests(t *testing.T) {
	t.Parallel()
	const head = "POST /elsewhere HTTP/1.1\r\nHost: localhost\r\n"
	for name, half := range map[string]string{
		"nothing":                     "",
		"a letter":                    "P",
		"half a head":                 head + "Content-Le",
		"no body elsewhere":           head + "Content-Length: 10\r\n\r\n",
		"half a body elsewhere":       head + "Content-Length: 10\r\n\r\n{",
		"half a large body elsewhere": head + "Content-Length: 1000000000\r\n\r\n{",
		"half a chunk elsewhere":      head + "Transfer-Encoding: chunked\r\n\r\n9\r\n{",
		"half a second head":          "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nPOST /mcp HT",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				handler := &double{func(http.ResponseWriter, *http.Request) {}, func() {}, nil}
				lis, near := pipe()
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- serveHTTP(ctx, lis, handler, slog.New(slog.DiscardHandler), time.Hour) }()
				go func() { _, _ = io.Copy(io.Discard, near) }() // until it is closed
				defer near.Close()
				if _, err := io.WriteString(near, half); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				began := time.Now() // of the bubble's clock
				stop()
				if err := <-ended; err != nil || time.Since(began) > 2*restTimeout {
					t.Errorf("ended after %v with %v", time.Since(began), err)
				}
			})
		})
	}
}

// pipe returns a listener in memory that accepts one connection, and its other end.
func pipe() (net.Listener, net.Conn) {
	near, far := net.Pipe()
	lis := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
	lis.conns <- far
	return lis, near
}

// pipeListener is a listener in memory.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (*pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// TestElsewhere: a client that sends half a request to where nothing is gets its answer all the same, and soon.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	url, stop, ended := serveTest(t, time.Minute, nil, func(http.ResponseWriter, *http.Request) { t.Error("the endpoint was called") })
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), path))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /elsewhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
	answer, err := io.ReadAll(conn) // until the server closes the connection
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 404 ") {
		t.Errorf("answer %q, error %v", answer, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
