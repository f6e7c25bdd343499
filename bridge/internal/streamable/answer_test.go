package streamable_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// TestAnswers has each form of a successful answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		body   string
		reply  server.Reply
		status int
		want   http.Header // beside the ones that every answer has
	}{
		{
			name:   "a result",
			body:   ping,
			reply:  server.Reply{Status: 200, Body: []byte(`{"jsonrpc":"2.0","id":7,"result":{}}`)},
			status: 200,
			want:   http.Header{"Content-Type": {"application/json"}, "Content-Length": {"36"}},
		},
		{
			name:   "a result that opens a session",
			body:   ping,
			reply:  server.Reply{Status: 200, Body: []byte(`{}`), SessionID: "S1"},
			status: 200,
			want:   http.Header{"Content-Type": {"application/json"}, "Content-Length": {"2"}, "Mcp-Session-Id": {"S1"}},
		},
		{
			name:   "an error with the status of its era",
			body:   ping,
			reply:  server.Reply{Status: 404, Body: []byte(`{"x":1}`)},
			status: 404,
			want:   http.Header{"Content-Type": {"application/json"}, "Content-Length": {"7"}},
		},
		{
			name:   "a notification",
			body:   `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			reply:  server.Reply{Status: 202},
			status: 202,
			want:   http.Header{"Content-Length": {"0"}},
		},
		{
			name:   "a response",
			body:   `{"jsonrpc":"2.0","id":1,"result":{}}`,
			reply:  server.Reply{Status: 202},
			status: 202,
			want:   http.Header{"Content-Length": {"0"}},
		},
		{
			name:   "a request that another one cancelled",
			body:   ping,
			reply:  server.Reply{},
			status: 202,
			want:   http.Header{"Content-Length": {"0"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := endpoint(&double{handle: func(context.Context, jsonrpc.Message) server.Reply { return tt.reply }})
			w := &onceWriter{header: http.Header{}}
			h.ServeHTTP(w, request("POST", tt.body))
			if w.status != tt.status || !bytes.Equal(w.body, tt.reply.Body) || w.writes > 1 {
				t.Errorf("status %d, body %q in %d writes", w.status, w.body, w.writes)
			}
			tt.want.Set("Cache-Control", "no-store")
			tt.want.Set("X-Content-Type-Options", "nosniff")
			wantHeader(t, w.header, tt.want)
		})
	}
}

// onceWriter is a client's side that counts writes and can fail them.
type onceWriter struct {
	header http.Header
	status int
	writes int
	body   []byte
	err    error
}

func (w *onceWriter) Header() http.Header    { return w.header }
func (w *onceWriter) WriteHeader(status int) { w.status = status }
func (w *onceWriter) Write(p []byte) (int, error) {
	w.writes++
	w.body = append(w.body, p...)
	return len(p), w.err
}

// TestLostAnswer: a client that is gone when its answer comes harms nobody.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := &onceWriter{header: http.Header{}, err: errors.New("broken pipe")}
	endpoint(&double{}, logTo(&log)).ServeHTTP(w, request("POST", ping))
	if w.writes != 1 || !strings.Contains(log.String(), "broken pipe") {
		t.Errorf("%d writes, log %s", w.writes, log.String())
	}
}

// TestHeadersReachTheGate: present and absent are told apart, and nothing is decoded on the way.
func TestHeadersReachTheGate(t *testing.T) {
	t.Parallel()
	var got lifecycle.Headers
	d := &double{post: func(h lifecycle.Headers, _ *jsonrpc.Message) *lifecycle.Refusal {
		got = h
		return nil
	}}
	serve(endpoint(d), request("POST", ping,
		header("MCP-Protocol-Version", "2026-07-28"),
		header("Mcp-Method", " tools/call\t"),
		header("Mcp-Name", ""),
		header("Mcp_Session_Id", "not this"),
	))
	want := lifecycle.Headers{
		ProtocolVersion: "2026-07-28", HasProtocolVersion: true,
		Method: "tools/call", HasMethod: true,
		HasName: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

// TestAnyPath: the handler is mounted where its owner likes.
func TestAnyPath(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/deep/mcp", endpoint(&double{}))
	r := request("POST", ping)
	r.URL.Path = "/deep/mcp"
	if resp := serve(mux, r); resp.StatusCode != http.StatusOK {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// TestPanics: a panic is the answer to one request, without its stack, and the next one is served.
func TestPanics(t *testing.T) {
	t.Parallel()
	for where, id := range map[string]string{"gate": "7", "server": "7"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			d := &double{}
			fault := func() { panic("secret detail") }
			if where == "gate" {
				d.post = func(lifecycle.Headers, *jsonrpc.Message) *lifecycle.Refusal { fault(); return nil }
			} else {
				d.handle = func(context.Context, jsonrpc.Message) server.Reply { fault(); return server.Reply{} }
			}
			h := endpoint(d, logTo(&log))
			says := wantError(t, serve(h, request("POST", ping)), 500, jsonrpc.CodeInternal, id)
			if strings.Contains(says, "secret") {
				t.Errorf("message %q tells what failed inside", says)
			}
			if !strings.Contains(log.String(), "secret detail") || !strings.Contains(log.String(), "answer_test.go") {
				t.Errorf("log %q lacks the panic or its stack", log.String())
			}
			wantNoPlaces(t, h)
			d.post, d.handle = nil, nil
			if resp := serve(h, request("POST", ping)); resp.StatusCode != http.StatusOK {
				t.Errorf("afterwards: status %d", resp.StatusCode)
			}
		})
	}
}

// TestAbortPasses: http.ErrAbortHandler is a message to net/http.
func TestAbortPasses(t *testing.T) {
	t.Parallel()
	h := endpoint(&double{handle: func(context.Context, jsonrpc.Message) server.Reply { panic(http.ErrAbortHandler) }})
	defer func() {
		if p, _ := recover().(error); !errors.Is(p, http.ErrAbortHandler) {
			t.Errorf("recovered %v", p)
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), request("POST", ping))
}
