package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// TestOutcomes: who is told what of a failure.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	const withheld = "outcome: executed (the backend carried out the call; only its result is withheld)"
	for name, tt := range map[string]struct {
		script, tool, arguments string
		text                    []string // in the text for the model
	}{
		"argument": {"", "shelf_get_book", `{"nam":"x"}`, []string{
			`INVALID_ARGUMENT: `, `did you mean "name"?`, "\noutcome: not_executed", "\nretry: no, correct the arguments first",
		}},
		"status": {"GetBook: NOT_FOUND gone", "shelf_get_book", `{}`, []string{
			"NOT_FOUND: gone\n", "outcome: executed", "retry: ",
		}},
		"too large": {"ListBooks: bytes 3000", "shelf_list_books", `{}`, []string{
			"RESOURCE_EXHAUSTED: result too large", withheld + "\nretry: not as it is; ask for less: set pageSize or readMask",
		}},
		"too large, with no way to narrow": {"GetBook: bytes 3000", "shelf_get_book", `{}`, []string{
			"RESOURCE_EXHAUSTED: result too large", withheld + "\nretry: not as it is; ask for less",
		}},
		"too large for a message": {"ListBooks: bytes 5000", "shelf_list_books", `{}`, []string{
			"RESOURCE_EXHAUSTED: the reply is larger than the limit of 4 KiB for one message (max_message_bytes of its backend, or " +
				"--max-message-size)\n",
			withheld + "\nretry: not as it is; ask for less: set pageSize or readMask",
		}},
		"too large for a message, with no way to narrow": {"GetBook: bytes 5000", "shelf_get_book", `{}`, []string{
			"RESOURCE_EXHAUSTED: the reply is larger", withheld + "\nretry: not as it is; ask for less",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, tt.script, nil)
			a := f.call(t, context.Background(), tt.tool, tt.arguments)
			if a.Error != nil {
				t.Fatalf("a protocol error: %+v", a.Error)
			}
			var result toolResult
			if err := json.Unmarshal(a.Result, &result); err != nil {
				t.Fatal(err)
			}
			if !result.IsError || result.StructuredContent != nil || len(result.Content) != 1 {
				t.Fatalf("got %s", a.Result)
			}
			for _, want := range tt.text {
				if !strings.Contains(result.Content[0].Text, want) {
					t.Errorf("%q lacks %q", result.Content[0].Text, want)
				}
			}
		})
	}
}

// TestErrorTextIsShort: whatever the arguments, a model reads at most 4,000 bytes.
func TestErrorTextIsShort(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "GetBook: INTERNAL "+strings.Repeat("é", 9000), nil)
	for _, arguments := range []string{`{}`, `{"` + strings.Repeat("é", 9000) +
		`":1}`, `{"name":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}`} {
		a := f.call(t, context.Background(), "shelf_get_book", arguments)
		var result toolResult
		if err := json.Unmarshal(a.Result, &result); err != nil {
			t.Fatal(err)
		}
		text := result.Content[0].Text
		if len(text) > 4000 || !strings.Contains(text, "\noutcome: ") || strings.Contains(text, "\uFFFD") {
			t.Errorf("%d bytes: %.100q … %q", len(text), text, text[max(0, len(text)-100):])
		}
	}
}

// TestUnreadableReply: the backend did what was asked, so the model is told, and
// not only the client's program; the log tells the operator.
func TestUnreadableReply(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	f := newFixture(t, "GetBook: garbage", slog.New(slog.NewTextHandler(&log, nil)))
	msg := decode(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shelf_get_book",`+modernMeta+`}}`)
	body := string(f.server.Handle(context.Background(), f.gate.Stream(), msg).Body)
	for _, want := range []string{`"isError":true`, "INTERNAL: ", "outcome: executed", "shelf.v1.Book"} {
		if !strings.Contains(body, want) {
			t.Errorf("%s lacks %s", body, want)
		}
	}
	if !strings.Contains(log.String(), "does not fit the descriptors") {
		t.Errorf("the log says: %s", log.String())
	}
}

// TestOurFaults: a fault that is the bridge's own, here a panic, is a fixed
// -32603 to the client and a line in the log; it fails one call, not the server.
func TestOurFaults(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	f := newFixture(t, "", logger)
	broken := true
	f.server = server.New(server.Config{Gate: f.gate, Logger: logger, Catalog: func() *catalog.Catalog {
		if broken {
			panic("the secret of the catalog")
		}
		return f.offered.Load()
	}})
	conn := f.gate.Stream()
	msg := decode(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`)
	reply := f.server.Handle(context.Background(), conn, msg)
	const want = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: the bridge's log says more"}}`
	if reply.Status != 500 || string(reply.Body) != want {
		t.Errorf("got %d %s", reply.Status, reply.Body)
	}
	for _, part := range []string{"panic in a call", "the secret of the catalog", "outcome_test.go"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log lacks %q: %s", part, log.String())
		}
	}
	broken = false
	if a := read(t, f.server.Handle(context.Background(), conn, msg).Body); a.Error != nil { // the id is free again
		t.Errorf("the server is broken: %+v", a.Error)
	}
}

// TestUnknownTool: 2026-07-28 server/tools, "Error Handling".
func TestUnknownTool(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	for name, want := range map[string]string{
		"shelf_get_bok":                `unknown tool "shelf_get_bok": did you mean "shelf_get_book"?`,
		"zzz":                          `unknown tool "zzz": tools/list names those there are`,
		strings.Repeat("\\u00e9", 500): "…\": tools/list names those there are",
	} {
		a := f.call(t, context.Background(), name, `{}`)
		if a.Error == nil || a.Error.Code != -32602 || !strings.HasSuffix(a.Error.Message, want) {
			t.Errorf("%s: got %+v, want %s", name, a.Error, want)
		}
	}
}

// TestListTTL: 2026-07-28 server/utilities/caching.
func TestListTTL(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	f.server = server.New(server.Config{Gate: f.gate, Catalog: f.offered.Load, ListTTL: 90e9})
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover"} {
		msg := decode(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+modernMeta+`}}`)
		if body := string(f.server.Handle(context.Background(), f.gate.Stream(),
			msg).Body); !strings.Contains(body, `"ttlMs":90000,"cacheScope":"public"`) {
			t.Errorf("%s: got %s", method, body)
		}
	}
}
