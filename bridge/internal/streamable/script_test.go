package streamable_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// script stands for the server behind a gate as it is in operation: the handshake is real, and a request does what run says.
type script struct {
	gate    *lifecycle.Gate
	run     func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply
	ask     func(ctx context.Context, c *lifecycle.Conn, msg jsonrpc.Message, out server.Sink) server.Reply // in the place of run
	listen  func(ctx context.Context, c *lifecycle.Conn, out server.Sink) error
	after   time.Duration
	streams bool
	calls   atomic.Int64 // how many requests have come that are not initialize
}

// scripted returns a handler before a script; change adapts its configuration.
func scripted(s *script, change ...func(*streamable.Config)) *streamable.Handler {
	if s.gate == nil {
		s.gate = lifecycle.NewGate(lifecycle.Config{})
	}
	return configured(s, s.gate, change)
}

func (s *script) Admit(ctx context.Context, c *lifecycle.Conn, msg jsonrpc.Message, out server.Sink) streamable.Call {
	reply := func(r server.Reply) streamable.Call { return &line{run: func() server.Reply { return r }} }
	switch msg.Kind {
	case jsonrpc.KindNotification:
		s.gate.Notify(ctx, c, &msg)
		return reply(server.Reply{})
	case jsonrpc.KindResponse:
		c.Answer(ctx, &msg)
		return reply(server.Reply{})
	}
	ctx, scope, done, err := s.gate.Begin(ctx, c, &msg)
	if err != nil {
		return reply(server.Reply{Status: 400, Body: jsonrpc.AppendError(nil, msg.ID, err)})
	}
	if msg.Method == mcp.MethodInitialize && !scope.Features.Modern {
		defer done()
		params, _ := mcp.ParseInitialize(msg.Params)
		if _, refused := s.gate.Initialize(ctx, c, params, ""); refused != nil {
			return reply(server.Reply{Status: refused.Status, Body: jsonrpc.AppendError(nil, msg.ID, refused.Error)})
		}
		return reply(server.Reply{Status: 200, Body: jsonrpc.AppendResult(nil, msg.ID, nil), SessionID: c.SessionID()})
	}
	s.calls.Add(1)
	return &line{after: s.after, streams: s.streams, run: func() server.Reply {
		defer done()
		r := server.Reply{Status: 200, Body: jsonrpc.AppendResult(nil, msg.ID, msg.Params)}
		if s.run != nil && msg.Method != mcp.MethodPing {
			r = s.run(ctx, msg, out)
		}
		if s.ask != nil && msg.Method != mcp.MethodPing {
			r = s.ask(ctx, c, msg, out)
		}
		if lifecycle.Cancelled(ctx) {
			return server.Reply{}
		}
		return r
	}}
}

func (s *script) Listen(ctx context.Context, c *lifecycle.Conn, out server.Sink) error {
	if s.listen != nil {
		return s.listen(ctx, c, out)
	}
	<-ctx.Done()
	return nil
}

// line is one call of a script.
type line struct {
	run     func() server.Reply
	after   time.Duration
	streams bool
}

func (l *line) Run() server.Reply               { return l.run().Whole() }
func (l *line) RunApart() server.Reply          { return l.run() }
func (l *line) CloseStreamAfter() time.Duration { return l.after }
func (l *line) Streams() bool                   { return l.streams }

// notification is the nth message that a script sends.
func notification(n int) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/message","params":{"n":%d}}`, n)
}

// counts returns a run that sends n messages and then replies.
func counts(n int) func(context.Context, jsonrpc.Message, server.Sink) server.Reply {
	return func(ctx context.Context, msg jsonrpc.Message, out server.Sink) server.Reply {
		for i := range n {
			if out != nil {
				out.Send(ctx, notification(i))
			}
		}
		return result(msg)
	}
}

func result(msg jsonrpc.Message) server.Reply {
	return server.Reply{Status: 200, Body: jsonrpc.AppendResult(nil, msg.ID, nil)}
}

const (
	call  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
	reply = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

// in returns the headers of a request in a session.
func in(session string) func(*http.Request) { return header("Mcp-Session-Id", session) }

// open opens a session of h by its version and returns its id.
func open(t *testing.T, h http.Handler, version mcp.Version) string {
	t.Helper()
	resp := serve(h, request("POST", strings.Replace(legacyRequest, string(mcp.V20251125), string(version), 1)))
	id := resp.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatalf("no session: status %d, body %s", resp.StatusCode, resp.body)
	}
	serve(h, request("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, in(id)))
	return id
}

// event is one event of a stream; retry is its line of that name.
type event struct{ id, data, retry string }

// events reads the events of a body that have come whole, and counts its comments.
func events(body string) (all []event, comments int) {
	blocks := strings.Split(body, "\n\n")
	for _, block := range blocks[:len(blocks)-1] {
		var e event
		hasData := false
		for line := range strings.SplitSeq(block, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			switch name {
			case "":
				comments++
			case "id":
				e.id = value
			case "data":
				e.data, hasData = value, true
			case "retry":
				e.retry = value
			}
		}
		if hasData || e.retry != "" {
			all = append(all, e)
		}
	}
	return all, comments
}

// messages returns the data of events that have some.
func messages(all []event) []string {
	var data []string
	for _, e := range all {
		if e.data != "" {
			data = append(data, e.data)
		}
	}
	return data
}

// lastID returns the id with which a client comes back that has seen the events.
func lastID(all []event) (id string) {
	for _, e := range all {
		if e.id != "" {
			id = e.id
		}
	}
	return id
}

// conversation is what n messages and the reply to call are on a stream.
func conversation(n int) []string {
	var all []string
	for i := range n {
		all = append(all, string(notification(i)))
	}
	return append(all, reply)
}

// reading is a response whose body is read as it comes.
type reading struct {
	*http.Response
	in *bufio.Reader
}

// begin sends a request to a server and returns when the head of the response is there.
func begin(t *testing.T, s *httptest.Server, method, body string, change ...func(*http.Request)) reading {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	for _, c := range change {
		c(r)
	}
	resp, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return reading{resp, bufio.NewReader(resp.Body)}
}

// next returns the next event; one without data and id, a comment, is passed over.
func (r reading) next(t *testing.T) event {
	t.Helper()
	var block strings.Builder
	for {
		text, err := r.in.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ends with %v behind %q", err, text)
		}
		block.WriteString(text)
		if text != "\n" {
			continue
		}
		if all, _ := events(block.String()); len(all) > 0 {
			return all[0]
		}
		block.Reset()
	}
}

// rest returns the events up to the end of the response.
func (r reading) rest(t *testing.T) []event {
	t.Helper()
	text, err := io.ReadAll(r.in)
	if err != nil {
		t.Errorf("the stream ends with %v", err)
	}
	all, _ := events(string(text))
	return all
}
