package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// post sends one message by HTTP, as a transport does.
func (f *fixture) post(t *testing.T, h lifecycle.Headers, text string) server.Reply {
	t.Helper()
	msg := decode(t, text)
	conn, refusal := f.gate.Post(context.Background(), h, &msg, "")
	if refusal != nil {
		t.Fatalf("refused: %v", refusal.Error)
	}
	return f.server.Handle(context.Background(), conn, msg)
}

// open opens a legacy session by HTTP and returns the headers that name it.
func (f *fixture) open(t *testing.T) lifecycle.Headers {
	t.Helper()
	reply := f.post(t, lifecycle.Headers{}, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":`+
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if reply.Status != 200 || reply.SessionID == "" {
		t.Fatalf("initialize: %d %s", reply.Status, reply.Body)
	}
	h := lifecycle.Headers{SessionID: reply.SessionID, HasSessionID: true}
	if reply := f.post(t, h, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); reply.Status != 202 || len(reply.Body) > 0 {
		t.Fatalf("initialized: %d %s", reply.Status, reply.Body)
	}
	return h
}

// TestStatusOfMissingCapability: 2026-07-28 basic/index, "Error Codes", and what
// the eras before have instead.
func TestStatusOfMissingCapability(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, desk, "", nil)
	legacy := f.open(t)
	for method, params := range map[string]string{"tools/call": `"name":"desk_ask_user"`, "prompts/get": `"name":"facts"`} {
		name := strings.Split(params, `"`)[3]
		modern := lifecycle.Headers{
			ProtocolVersion: "2026-07-28", HasProtocolVersion: true, Method: method, HasMethod: true, Name: name, HasName: true,
		}
		reply := f.post(t, modern, `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":{`+params+`,`+modernMeta+`}}`)
		if a := read(t, reply.Body); reply.Status != 400 || a.Error == nil || a.Error.Code != -32021 {
			t.Errorf("%s: %d %s", method, reply.Status, reply.Body)
		}
		reply = f.post(t, legacy, `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":{`+params+`}}`)
		if reply.Status != 200 || strings.Contains(string(reply.Body), "-32021") {
			t.Errorf("%s: %d %s", method, reply.Status, reply.Body)
		}
	}
	if notes := f.backend.takeNotes(); len(notes) > 0 {
		t.Errorf("the backend was called: %s", notes)
	}
}

// TestStatusOfReplies: 2025-11-25 and 2026-07-28 basic/transports.
func TestStatusOfReplies(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "GetBook: {}", nil)
	legacy := f.open(t)
	modern := func(method, name string) lifecycle.Headers {
		return lifecycle.Headers{
			ProtocolVersion: "2026-07-28", HasProtocolVersion: true,
			Method: method, HasMethod: true, Name: name, HasName: name != "",
		}
	}
	for name, tt := range map[string]struct {
		headers lifecycle.Headers
		method  string
		params  string
		status  int
		code    int
	}{
		"legacy result":           {legacy, "ping", `{}`, 200, 0},
		"legacy unknown method":   {legacy, "no/such", `{}`, 200, -32601},
		"legacy unknown tool":     {legacy, "tools/call", `{"name":"no"}`, 200, -32602},
		"legacy initialize again": {legacy, "initialize", `{}`, 400, -32600},
		"legacy initialize wrong": {lifecycle.Headers{}, "initialize", `{}`, 200, -32602},
		"modern result":           {modern("tools/call", "shelf_get_book"), "tools/call", `{"name":"shelf_get_book",` + modernMeta + `}`, 200, 0},
		"modern unknown method":   {modern("no/such", ""), "no/such", `{` + modernMeta + `}`, 404, -32601},
		"modern removed method":   {modern("ping", ""), "ping", `{` + modernMeta + `}`, 404, -32601},
		"modern initialize":       {modern("initialize", ""), "initialize", `{` + modernMeta + `}`, 404, -32601},
		"modern unknown tool":     {modern("tools/call", "no"), "tools/call", `{"name":"no",` + modernMeta + `}`, 200, -32602},
	} {
		t.Run(name, func(t *testing.T) {
			reply := f.post(t, tt.headers, `{"jsonrpc":"2.0","id":7,"method":"`+tt.method+`","params":`+tt.params+`}`)
			a := read(t, reply.Body)
			code := 0
			if a.Error != nil {
				code = a.Error.Code
			}
			if reply.Status != tt.status || code != tt.code || string(a.ID) != "7" {
				t.Errorf("got %d %s", reply.Status, reply.Body)
			}
		})
	}
}

func TestNotificationInALostSession(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	ready := decode(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	first := f.post(t, lifecycle.Headers{}, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":`+
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	h := lifecycle.Headers{SessionID: first.SessionID, HasSessionID: true}
	conn, _ := f.gate.Post(context.Background(), h, &ready, "")
	f.gate.End(context.Background(), h, "")
	reply := f.server.Handle(context.Background(), conn, ready)
	if a := read(t, reply.Body); reply.Status != 404 || a.ID != nil || a.Error == nil {
		t.Errorf("got %d %s", reply.Status, reply.Body)
	}
}

func TestAdmission(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "DustShelf: hangs", nil)
		conn := f.gate.Stream()
		admit := func(text string) *server.Call {
			return f.server.Admit(context.Background(), conn, decode(t, text), nil)
		}
		for _, text := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, // refused
			`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c",` +
				`"version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":3,"result":{}}`,
			`{"jsonrpc":"2.0","id":4,"method":"no/such"}`,
		} {
			if call := admit(text); !call.Finished() || call.Context() == nil {
				t.Errorf("%s is not finished", text)
			}
		}
		call := admit(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"shelf_dust_shelf"}}`)
		if call.Finished() {
			t.Fatal("a call to a backend is finished before it ran")
		}
		admit(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
		if !lifecycle.Cancelled(call.Context()) {
			t.Error("a cancellation right behind the request did not find it")
		}
		if reply := call.Run(); len(reply.Body) > 0 || reply.Status != 202 || !call.Finished() {
			t.Errorf("a cancelled call is answered: %d %s", reply.Status, reply.Body)
		}
	})
}

// TestDisconnect: 2026-07-28 basic/transports/streamable-http, "Cancellation".
func TestDisconnect(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "DustShelf: hangs", nil)
		ctx, disconnect := context.WithCancel(context.Background())
		msg := decode(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shelf_dust_shelf",`+modernMeta+`}}`)
		conn, refusal := f.gate.Post(ctx, lifecycle.Headers{
			ProtocolVersion: "2026-07-28", HasProtocolVersion: true, Method: "tools/call", HasMethod: true, Name: "shelf_dust_shelf", HasName: true,
		}, &msg, "")
		if refusal != nil {
			t.Fatal(refusal.Error)
		}
		replies := make(chan server.Reply, 1)
		go func() { replies <- f.server.Handle(ctx, conn, msg) }()
		synctest.Wait()
		disconnect()
		if reply := <-replies; len(reply.Body) > 0 {
			t.Errorf("answered: %s", reply.Body)
		}
		synctest.Wait()
		if notes := strings.Join(f.backend.takeNotes(), "; "); notes != "DustShelf {}; DustShelf was cancelled" {
			t.Errorf("the backend saw: %s", notes)
		}
	})
}

// TestSameIDsEverywhere: 200 clients that all use the ids 0, 1, 2 at once get
// their own answers.
func TestSameIDsEverywhere(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "GetBook: echo", nil)
		type outcome struct{ want, got string }
		outcomes := make(chan outcome, 600)
		for client := range 200 {
			h := f.open(t)
			for id := range 3 {
				go func() {
					title := fmt.Sprintf("book %d of client %d", id, client)
					reply := f.post(t, h,
						fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"shelf_get_book","arguments":{"name":%q}}}`, id, title))
					outcomes <- outcome{fmt.Sprintf(`"id":%d,`, id) + title, string(reply.Body)}
				}()
			}
		}
		for range 600 {
			o := <-outcomes
			id, title, _ := strings.Cut(o.want, ",")
			if !strings.Contains(o.got, id+",") || !strings.Contains(o.got, `"name":"`+title+`"`) {
				t.Errorf("want %s and %s, got %s", id, title, o.got)
			}
		}
	})
}

func TestMessageOfNoKind(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	if reply := f.server.Handle(context.Background(), f.gate.Stream(), jsonrpc.Message{}); len(reply.Body) > 0 {
		t.Errorf("answered: %s", reply.Body)
	}
}
