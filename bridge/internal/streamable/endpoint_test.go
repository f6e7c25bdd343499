package streamable_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`

// double stands for the server and the gate behind the handler. Without functions of its own it lets everything in and
// answers a request with {} and its id.
type double struct {
	handle func(ctx context.Context, msg jsonrpc.Message) server.Reply
	post   func(h lifecycle.Headers, msg *jsonrpc.Message) *lifecycle.Refusal
	end    func(h lifecycle.Headers) *lifecycle.Refusal
	served atomic.Int64 // how many messages got as far as the server
}

func (d *double) Admit(ctx context.Context, _ *lifecycle.Conn, msg jsonrpc.Message, _ server.Sink) streamable.Call {
	d.served.Add(1)
	return running(func() server.Reply {
		switch {
		case d.handle != nil:
			return d.handle(ctx, msg)
		case msg.Kind == jsonrpc.KindRequest:
			return server.Reply{Status: http.StatusOK, Body: jsonrpc.AppendResult(nil, msg.ID, nil)}
		}
		return server.Reply{Status: http.StatusAccepted}
	})
}

func (d *double) Listen(ctx context.Context, _ *lifecycle.Conn, _ server.Sink) error {
	d.served.Add(1)
	<-ctx.Done()
	return nil
}

func (d *double) Post(_ context.Context, h lifecycle.Headers, msg *jsonrpc.Message, _ string) (*lifecycle.Conn, *lifecycle.Refusal) {
	if d.post != nil {
		if refused := d.post(h, msg); refused != nil {
			return nil, refused
		}
	}
	return &lifecycle.Conn{}, nil
}

func (d *double) Batch(context.Context, lifecycle.Headers, []jsonrpc.Message, string) (*lifecycle.Conn, *lifecycle.Refusal) {
	return nil, &lifecycle.Refusal{Status: http.StatusBadRequest, Error: jsonrpc.RefuseBatch()}
}

func (d *double) Open(context.Context, lifecycle.Headers, string) (*lifecycle.Conn, *lifecycle.Refusal) {
	return nil, &lifecycle.Refusal{
		Status: http.StatusBadRequest, Error: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "no session: POST initialize"),
	}
}

func (d *double) End(_ context.Context, h lifecycle.Headers, _ string) *lifecycle.Refusal {
	if d.end != nil {
		return d.end(h)
	}
	return nil
}

// running is a call that does nothing but to come to its reply.
type running func() server.Reply

func (r running) Run() server.Reply             { return r().Whole() }
func (r running) RunApart() server.Reply        { return r() }
func (running) CloseStreamAfter() time.Duration { return 0 }
func (running) Streams() bool                   { return false }

// endpoint returns a handler before d, which is its gate too; change adapts its configuration.
func endpoint(d *double, change ...func(*streamable.Config)) *streamable.Handler {
	return configured(d, d, change)
}

// gated returns a handler before d and a gate as it is in operation.
func gated(d streamable.Double, change ...func(*streamable.Config)) *streamable.Handler {
	return configured(d, lifecycle.NewGate(lifecycle.Config{}), change)
}

func configured(d streamable.Double, gate streamable.Gate, change []func(*streamable.Config)) *streamable.Handler {
	cfg := streamable.Config{Gate: gate}
	for _, c := range change {
		c(&cfg)
	}
	return streamable.NewWith(cfg, d)
}

// request is a request that a well-behaved client makes; change makes it worse.
func request(method, body string, change ...func(*http.Request)) *http.Request {
	r := httptest.NewRequest(method, "/mcp", strings.NewReader(body))
	r.Host = "127.0.0.1:8080"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, c := range change {
		c(r)
	}
	return r
}

func header(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) {
		if r.Header.Del(name); len(values) > 0 {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
}

func host(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }

func hosts(h ...string) func(*streamable.Config) {
	return func(c *streamable.Config) { c.AllowedHosts = h }
}

func origins(o ...string) func(*streamable.Config) {
	return func(c *streamable.Config) { c.AllowedOrigins = o }
}

func logTo(w io.Writer) func(*streamable.Config) {
	return func(c *streamable.Config) {
		c.Logger = slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
}

// answer is a whole HTTP response.
type answer struct {
	StatusCode int
	Header     http.Header
	body       []byte
}

// serve has h answer r; the client leaves when its patience is over.
func serve(h http.Handler, r *http.Request) answer {
	w := httptest.NewRecorder()
	ctx, leave := context.WithTimeout(r.Context(), patience)
	defer leave()
	h.ServeHTTP(w, r.WithContext(ctx))
	return answer{w.Code, w.Header(), w.Body.Bytes()}
}

// read takes the whole of a response and closes it.
func read(t *testing.T, resp *http.Response) answer {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return answer{resp.StatusCode, resp.Header, body}
}

// wantError holds resp against the form of every refusal: the status, and a JSON-RPC error with code, id (raw, "" for
// none) and a message.
func wantError(t *testing.T, resp answer, status, code int, id string) (message string) {
	t.Helper()
	body := resp.body
	if resp.StatusCode != status {
		t.Errorf("status %d, want %d; body %s", resp.StatusCode, status, body)
	}
	if got := resp.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
	wantSafe(t, resp.Header)
	msg, bad := jsonrpc.Decode(body, jsonrpc.DefaultLimits)
	if bad != nil || msg.Kind != jsonrpc.KindResponse || msg.Error == nil {
		t.Fatalf("body %q is no JSON-RPC error: %v", body, bad)
	}
	if msg.Error.Code != code || msg.ID.String() != id {
		t.Errorf("code %d id %q, want %d %q; body %s", msg.Error.Code, msg.ID, code, id, body)
	}
	if id == "" && bytes.Contains(body, []byte(`"id"`)) {
		t.Errorf("body %s has an id", body)
	}
	if strings.Contains(msg.Error.Message, "goroutine") || msg.Error.Message == "" {
		t.Errorf("message %q", msg.Error.Message)
	}
	return msg.Error.Message
}

// wantSafe holds the headers that every answer has.
func wantSafe(t *testing.T, h http.Header) {
	t.Helper()
	if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v: want Cache-Control: no-store and X-Content-Type-Options: nosniff", h)
	}
}

func wantServed(t *testing.T, d *double, n int64) {
	t.Helper()
	if got := d.served.Load(); got != n {
		t.Errorf("the server saw %d messages, want %d", got, n)
	}
}

// compact writes JSON on one line, for comparisons.
func compact(t *testing.T, raw []byte) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Compact(); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return string(v)
}

func wantHeader(t *testing.T, got, want http.Header) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}
