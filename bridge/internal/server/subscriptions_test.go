package server_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// listenMessage is a subscriptions/listen for all there is.
const listenMessage = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":` +
	`{"toolsListChanged":true,"resourceSubscriptions":["desk://books/dune/place"]},` + modernMeta + `}}`

// TestListenNeedsAStream: a client that takes no more than a reply is told so.
func TestListenNeedsAStream(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, desk, "", nil)
	a := read(t, f.server.Handle(context.Background(), f.gate.Stream(), decode(t, listenMessage)).Body)
	if a.Error == nil || a.Error.Code != -32600 || !strings.Contains(a.Error.Message, "text/event-stream") {
		t.Errorf("got %+v", a.Error)
	}
}

// TestHowAListenCallEnds: with its result where the server ends it, by Close or
// by its transport, and with nothing where the client does.
func TestHowAListenCallEnds(t *testing.T) {
	const result = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1,` +
		`"io.modelcontextprotocol/serverInfo":{"name":"bridge","title":"The bridge","version":"1.2.3"}}}}`
	for name, tt := range map[string]struct {
		end  func(f *fixture, cancel context.CancelCauseFunc, heard *tape)
		want string
	}{
		"close":     {func(f *fixture, _ context.CancelCauseFunc, _ *tape) { f.server.Close() }, result},
		"transport": {func(_ *fixture, cancel context.CancelCauseFunc, _ *tape) { cancel(server.ErrStopped) }, result},
		"client":    {func(_ *fixture, cancel context.CancelCauseFunc, _ *tape) { cancel(nil) }, ""},
		"cut": {func(f *fixture, _ context.CancelCauseFunc, heard *tape) {
			heard.cut()
			f.backend.tell("WatchPlace", "")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				heard := &tape{}
				call := f.server.Admit(ctx, f.gate.Stream(), decode(t, listenMessage), heard)
				if !call.Streams() || call.Finished() || call.CloseStreamAfter() != 0 {
					t.Error("it is not told from other calls")
				}
				replies := make(chan server.Reply, 1)
				go func() { replies <- call.Run() }()
				if got := heard.take(t); got != "subscriptions/acknowledged" {
					t.Errorf("heard %s", got)
				}
				tt.end(f, cancel, heard)
				synctest.Wait()
				select {
				case reply := <-replies:
					if string(reply.Body) != tt.want {
						t.Errorf("got %s", reply.Body)
					}
				default:
					t.Error("it goes on")
				}
				if n := f.backend.open("WatchPlace"); n != 0 || call.Streams() {
					t.Errorf("%d streams are left open", n)
				}
			})
		})
	}
}

// TestTooManyURIs: one stream is about so many resources at most.
func TestTooManyURIs(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, desk, "", nil)
	uris := make([]string, 300)
	for i := range uris {
		uris[i] = `"desk://books/` + strings.Repeat("x", i+1) + `/place"`
	}
	text := strings.Replace(listenMessage, `"desk://books/dune/place"`, strings.Join(uris, ","), 1)
	a := read(t, f.server.Admit(t.Context(), f.gate.Stream(), decode(t, text), &tape{}).Run().Body)
	if a.Error == nil || a.Error.Code != -32602 || !strings.Contains(a.Error.Message, "at most 256") {
		t.Errorf("got %+v", a.Error)
	}
}

// TestCloseStreamAfter: for a tool that says so and a client that can come back,
// and nobody else.
func TestCloseStreamAfter(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, desk, "Extend: {}\nShowCover: {}", nil)
	for _, tt := range []struct {
		version, method, tool string
		want                  time.Duration
	}{
		{"2025-11-25", "tools/call", "desk_extend", 2 * time.Second},
		{"2025-11-25", "tools/call", "desk_show_cover", 0},
		{"2025-11-25", "tools/call", "no", 0},
		{"2025-11-25", "prompts/get", "desk_extend", 0},
		{"2025-06-18", "tools/call", "desk_extend", 0},
		{"2026-07-28", "tools/call", "desk_extend", 0},
	} {
		conn := f.gate.Stream()
		meta := modernMeta
		if tt.version != "2026-07-28" {
			meta = `"_meta":{}`
			for _, text := range []string{
				`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + tt.version +
					`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			} {
				f.server.Handle(t.Context(), conn, decode(t, text))
			}
		}
		call := f.server.Admit(t.Context(), conn,
			decode(t, `{"jsonrpc":"2.0","id":1,"method":"`+tt.method+`","params":{"name":"`+tt.tool+`",`+meta+`}}`), nil)
		if got := call.CloseStreamAfter(); got != tt.want || call.Streams() {
			t.Errorf("%s %s %s: %v", tt.version, tt.method, tt.tool, got)
		}
		call.Run()
		if got := call.CloseStreamAfter(); got != 0 {
			t.Errorf("%s %s %s: %v after its end", tt.version, tt.method, tt.tool, got)
		}
	}
}

// TestSubscriptionIDIsTheRequests: also where it is a string or a large number.
func TestSubscriptionIDIsTheRequests(t *testing.T) {
	for _, id := range []string{`"a\u00e9"`, `9007199254740991`, `"1"`} {
		bubble(t, "", func(t *testing.T, f *fixture) {
			heard := &tape{}
			text := strings.Replace(listenMessage, `"id":1`, `"id":`+id, 1)
			call := f.server.Admit(context.Background(), f.gate.Stream(), decode(t, text), heard)
			done := make(chan server.Reply, 1)
			go func() { done <- call.Run() }()
			synctest.Wait()
			f.server.Close()
			texts := append(heard.messages, string((<-done).Body))
			for _, text := range texts {
				body, _ := jsonrpc.Find([]byte(text), "params")
				if body == nil {
					body, _ = jsonrpc.Find([]byte(text), "result")
				}
				meta, _ := jsonrpc.Find(body, "_meta")
				if got, _ := jsonrpc.Find(meta, "io.modelcontextprotocol/subscriptionId"); string(got) != id {
					t.Errorf("%s: %s", id, text)
				}
			}
		})
	}
}
