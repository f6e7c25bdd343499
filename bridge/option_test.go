package bridge_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
)

// TestWhatClientsAreTold: options that a client reads in the first answers of either era.
func TestWhatClientsAreTold(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: startServices(t)}},
		bridge.WithServerInfo("books", "7.1"), bridge.WithInstructions("Ask for books."), bridge.WithListTTL(90*time.Second))
	url := serveHTTP(t, b)
	discovered := string(httpClient(t, url, modern).request(t, "server/discover", map[string]any{}).Result)
	for _, want := range []string{`"name":"books"`, `"version":"7.1"`, `"instructions":"Ask for books."`, `"ttlMs":90000`} {
		if !strings.Contains(discovered, want) {
			t.Errorf("no %s in %s", want, discovered)
		}
	}
	resp, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	opened, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"books"`, `"version":"7.1"`, `"instructions":"Ask for books."`} {
		if !strings.Contains(string(opened), want) {
			t.Errorf("no %s in %s", want, opened)
		}
	}
}

// TestOptionsOutOfRange: each is an error that says what to give.
func TestOptionsOutOfRange(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]bridge.Option{
		"sessions": bridge.WithMaxSessions(0), "idle": bridge.WithSessionIdle(0), "streams": bridge.WithMaxStreams(-1),
		"calls": bridge.WithMaxCalls(0), "lists": bridge.WithListTTL(-1), "request": bridge.WithMaxRequestBytes(0),
		"result": bridge.WithMaxResultBytes(0),
		"rounds": bridge.WithMaxRounds(0), "messages of a stream": bridge.WithMaxStreamMessages(0),
		"bytes of a stream": bridge.WithMaxStreamBytes(-1),
		"answer":            bridge.WithAnswerTimeout(time.Millisecond), "state": bridge.WithStateLifetime(0),
		"key":   bridge.WithStateKeys(make([]byte, 32), make([]byte, 31)),
		"tasks": bridge.WithTasks(bridge.TaskOptions{Max: -1}), "kept": bridge.WithTasks(bridge.TaskOptions{TTL: 1}),
		"asked": bridge.WithTasks(bridge.TaskOptions{PollInterval: 1}),
	} {
		_, err := bridge.New(t.Context(), []bridge.Backend{{Conn: startServices(t)}}, o)
		if err == nil || !strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), "give a") && !strings.Contains(err.Error(), "give at least") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
