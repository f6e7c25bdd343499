package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestDrainIsBounded: a call that does not finish is cut, and its handler learns of it.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	entered, cut := make(chan struct{}), make(chan struct{})
	url, stop, ended := serveTest(t, time.Millisecond, func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
		close(cut)
	})
	go func() {
		<-entered
		stop()
	}()
	if resp, err := http.Post(url, "application/json", strings.NewReader("{}")); err == nil {
		resp.Body.Close()
		t.Errorf("the call ended with %s", resp.Status)
	}
	<-cut
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestDrainLetsCallsFinish: what is in flight gets its answer after the signal.
func TestDrainLetsCallsFinish(t *testing.T) {
	t.Parallel()
	var stop context.CancelFunc
	stopping := make(chan struct{})
	url, stop, ended := serveTest(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
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
	resp, err := http.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "finished" {
		t.Errorf("body %q, error %v", body, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestHeaderLimit: a header beyond the limit is refused before any handler sees it.
func TestHeaderLimit(t *testing.T) {
	t.Parallel()
	url, stop, ended := serveTest(t, time.Minute, func(http.ResponseWriter, *http.Request) { t.Error("the handler was reached") })
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
func serveTest(t *testing.T, patience time.Duration, h http.HandlerFunc) (url string, stop context.CancelFunc, ended <-chan error) {
	t.Helper()
	lis, err := listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- serveHTTP(ctx, lis, h, slog.New(slog.DiscardHandler), patience) }()
	return endpoint(lis.Addr()), stop, result
}
