package server_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// search puts the fixture into search mode.
func (f *fixture) search(t testing.TB) {
	t.Helper()
	f.searching = true
	f.offered.Store(f.compile(t))
}

// both returns two fixtures of one script: one whose tools are called by their names, and one in search mode.
func both(t *testing.T, script string) (direct, searching *fixture) {
	t.Helper()
	direct, searching = newFixture(t, script, slog.New(slog.DiscardHandler)), newFixture(t, script, slog.New(slog.DiscardHandler))
	searching.search(t)
	return direct, searching
}

// TestCallMethodIsTheCall: what call_method answers is, byte for byte, what the tool itself answers.
func TestCallMethodIsTheCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, tool, arguments string }{
		{"success", `GetBook: {"name":"dune","title":"Dune"}`, "shelf_get_book", `{"name":"dune"}`},
		{"no arguments", `CountBooks: "3"`, "shelf_count_books", `null`},
		{"arguments in a string", `GetBook: {"name":"dune"}`, "shelf_get_book", `"{\"name\":\"dune\"}"`},
		{"unknown argument", `GetBook: {}`, "shelf_get_book", `{"title":"dune"}`},
		{"argument of another type", `GetBook: {}`, "shelf_get_book", `{"name":[1]}`},
		{"arguments of another kind", `GetBook: {}`, "shelf_get_book", `[1]`},
		{"backend error", `GetBook: NOT_FOUND no such book`, "shelf_get_book", `{"name":"x"}`},
		{"required argument missing", `GetBook: INVALID_ARGUMENT name is empty`, "shelf_get_book", `{}`},
		{"result too large", `ListBooks: bytes 3000`, "shelf_list_books", `{}`},
		{"message too large", `GetBook: bytes 5000`, "shelf_get_book", `{"name":"x"}`},
		{"reply that does not fit", `GetBook: garbage`, "shelf_get_book", `{"name":"x"}`},
		{"reply with a warning", `GetBook: not utf-8`, "shelf_get_book", `{"name":"x"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			direct, searching := both(t, c.script)
			want := direct.call(t, t.Context(), c.tool, c.arguments)
			got := searching.call(t, t.Context(), "call_method", fmt.Sprintf(`{"name":%q,"arguments":%s}`, c.tool, c.arguments))
			if diff := cmp.Diff(string(want.Result), string(got.Result)); diff != "" || want.Error != nil || got.Error != nil {
				t.Errorf("errors %v and %v, results (-want +got):\n%s", want.Error, got.Error, diff)
			}
			if diff := cmp.Diff(direct.backend.takeNotes(), searching.backend.takeNotes()); diff != "" {
				t.Errorf("the backend was asked (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCallMethodOfNothing: an unknown name has the words of an unknown tool, but as an argument that a model can correct.
func TestCallMethodOfNothing(t *testing.T) {
	t.Parallel()
	direct, searching := both(t, "")
	for _, name := range []string{"shelf_get_bok", "GetBook"} {
		want := direct.call(t, t.Context(), name, `{}`)
		for _, tool := range []string{"call_method", "describe_method"} {
			got := failedText(t, searching.call(t, t.Context(), tool, `{"name":"`+name+`"}`))
			said := strings.Replace(want.Error.Message, `": did you`, `"; did you`, 1)
			if !strings.HasPrefix(got, "INVALID_ARGUMENT: name: "+said+"\n") {
				t.Errorf("%s of %s says %q, and a call %q", tool, name, got, want.Error.Message)
			}
		}
	}
}

// failedText is the text of a result that is a failure.
func failedText(t *testing.T, a answer) string {
	t.Helper()
	var result toolResult
	if err := json.Unmarshal(a.Result, &result); err != nil || !result.IsError || len(result.Content) != 1 {
		t.Fatalf("no failure: error %v, result %s", a.Error, a.Result)
	}
	return result.Content[0].Text
}

// TestNamesOfSearchMode: without search mode, the three names are those of no tool.
func TestNamesOfSearchMode(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	for _, name := range []string{"search_methods", "describe_method", "call_method"} {
		if got := f.call(t, t.Context(), name, `{"query":"","name":"shelf_get_book"}`); got.Error == nil || got.Error.Code != -32602 {
			t.Errorf("%s: error %v, result %s", name, got.Error, got.Result)
		}
	}
}

// TestCapabilitiesThroughCallMethod: what a method needs of its client is needed by call_method too, with the same error.
func TestCapabilitiesThroughCallMethod(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, desk, "", nil)
	f.searching = false
	var name string
	for _, tool := range f.offered.Load().Tools() {
		if len(tool.RequiredCapabilities) > 0 {
			name = tool.Definition.Name
		}
	}
	if name == "" {
		t.Fatal("no tool of the desk needs a capability")
	}
	want := f.call(t, t.Context(), name, `{}`)
	f.search(t)
	got := f.call(t, t.Context(), "call_method", `{"name":"`+name+`"}`)
	if diff := cmp.Diff(want.Error, got.Error); diff != "" || want.Error == nil {
		t.Errorf("error %v (-want +got):\n%s", want.Error, diff)
	}
}

// TestCloseStreamThroughCallMethod: a method's own bound on its response stream holds for call_method.
func TestCloseStreamThroughCallMethod(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	f.search(t)
	tool, ok := f.offered.Load().Tool("shelf_dust_shelf")
	if !ok {
		t.Fatal("no tool shelf_dust_shelf")
	}
	tool.CloseStreamAfter = time.Minute
	conn := f.gate.Stream()
	defer conn.Close()
	f.server.Handle(t.Context(), conn, decode(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	f.server.Handle(t.Context(), conn, decode(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	for arguments, want := range map[string]time.Duration{
		`{"name":"call_method","arguments":{"name":"shelf_dust_shelf"}}`:       time.Minute,
		`{"name":"call_method","arguments":{"name":"shelf_get_book"}}`:         0,
		`{"name":"call_method","arguments":{"name":7}}`:                        0,
		`{"name":"describe_method","arguments":{"name":"shelf_dust_shelf"}}`:   0,
		`{"name":"shelf_dust_shelf"}`:                                          0,
		`{"name":"call_method","arguments":"{\"name\":\"shelf_dust_shelf\"}"}`: time.Minute,
	} {
		call := f.server.Admit(t.Context(), conn, decode(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":`+arguments+`}`), nil)
		if got := call.CloseStreamAfter(); got != want {
			t.Errorf("%s: %v, want %v", arguments, got, want)
		}
		call.Run()
	}
}

// TestListOfSearchMode: what is listed does not depend on what there is behind it, and the rest of the catalog's digest does.
func TestListOfSearchMode(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	f.searching = true
	whole, part := f.compile(t), f.compile(t, "*.GetBook")
	if whole.Digests().Tools != part.Digests().Tools || whole.Digest() == part.Digest() {
		t.Error("the digest of the list changes, or that of what is offered does not")
	}
	if nothing := f.compile(t, "*"); !nothing.Offers(mcp.ListTools) || nothing.Digests().Tools != whole.Digests().Tools {
		t.Error("without a method there is another list")
	}
}
