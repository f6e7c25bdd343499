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
	for _, name := range []string{"shelf_get_bok", "GetBook", "shelf.v1.ShelfService.GetBok"} {
		want := direct.call(t, t.Context(), name, `{}`)
		for _, tool := range []string{"call_method", "describe_method"} {
			got := failedText(t, searching.call(t, t.Context(), tool, `{"name":"`+name+`"}`))
			said := strings.Replace(want.Error.Message, `": `, `"; `, 1)
			if !strings.HasPrefix(got, "INVALID_ARGUMENT: name: "+said+"\n") {
				t.Errorf("%s of %s says %q, and a call %q", tool, name, got, want.Error.Message)
			}
		}
	}
}

// TestCallMethodOfWithheld: why a method is no tool is told in the words of a direct call, and of one that is hidden as little.
func TestCallMethodOfWithheld(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, "attic.proto", "", nil)
	direct := f.offered.Load()
	for name, want := range map[string]string{
		"attic_clear_attic":               "attic.v1.AtticService.ClearAttic is not offered: required_capabilities",
		"attic.v1.AtticService.BurnAttic": "",
		"attic_burn_attic":                "",
	} {
		f.offered.Store(direct)
		said := f.call(t, t.Context(), name, `{}`).Error.Message
		if want == "" {
			want = "tools/list names those there are"
		}
		if !strings.HasPrefix(said, fmt.Sprintf("unknown tool %q: %s", name, want)) {
			t.Errorf("a call of %s says %q", name, said)
		}
		said = strings.Replace(said, `": `, `"; `, 1)
		said = strings.Replace(said, "tools/list names", "search_methods finds", 1)
		f.search(t)
		for _, tool := range []string{"call_method", "describe_method"} {
			if got := failedText(t, f.call(t, t.Context(), tool, `{"name":"`+name+
				`"}`)); !strings.HasPrefix(got, "INVALID_ARGUMENT: name: "+said+"\n") {
				t.Errorf("%s of %s says %q, and a call %q", tool, name, got, said)
			}
		}
		f.searching = false
	}
}

// TestCollisionsAreOfLists: a tool that is withheld because clients cannot tell it from another one in a list is called in search
// mode, in which neither is listed.
func TestCollisionsAreOfLists(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, "attic.proto", "", nil)
	const name = "attic_keep_what_nobody_can_tell_from_the_other_2"
	want := fmt.Sprintf("unknown tool %q: attic.v1.AtticService.KeepSecond is not offered: name: ", name)
	if said := f.call(t, t.Context(), name, `{}`).Error.Message; !strings.HasPrefix(said, want) {
		t.Errorf("a call says %q", said)
	}
	f.search(t)
	a := f.call(t, t.Context(), "describe_method", `{"name":"`+name+`"}`)
	if a.Error != nil || !strings.Contains(string(a.Result), "attic.v1.AtticService.KeepSecond") {
		t.Errorf("in search mode it is described as %s, error %v", a.Result, a.Error)
	}
}

// TestLimitIsAnInteger: a limit is an integer of JSON, or a string of decimal digits, and nothing else that looks like a number.
func TestLimitIsAnInteger(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	f.search(t)
	for limit, want := range map[string]int{
		`1`: 1, `"2"`: 2, `2.0`: 2, `2e0`: 2, `"02"`: 2, `"50"`: 4, `null`: 4,
		`0`: 0, `51`: 0, `-1`: 0, `"-1"`: 0, `1.5`: 0, `1e400`: 0, `"0x1p1"`: 0, `"0x2"`: 0, `"1_0"`: 0, `"2.0"`: 0, `"2e0"`: 0, `"+2"`: 0,
		`" 2"`: 0,
		`""`:   0, `"-"`: 0, `"inf"`: 0, `"NaN"`: 0, `true`: 0, `[1]`: 0,
	} {
		a := f.call(t, t.Context(), "search_methods", `{"query":"","limit":`+limit+`}`)
		if want == 0 {
			if got := failedText(t, a); !strings.HasPrefix(got, "INVALID_ARGUMENT: limit: want an integer from 1 to 50, got ") {
				t.Errorf("%s: %s", limit, got)
			}
			continue
		}
		var found struct {
			StructuredContent struct{ Methods []struct{} }
		}
		if err := json.Unmarshal(a.Result, &found); err != nil || min(len(found.StructuredContent.Methods), 4) != want {
			t.Errorf("%s: error %v, %d methods, want %d", limit, err, len(found.StructuredContent.Methods), want)
		}
	}
}

// TestServiceFilterIsBounded: a longer filter than any name of a service is an error that says how long it may be.
func TestServiceFilterIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	f.search(t)
	filter := func(n int) string { return `{"query":"","service":"` + strings.Repeat("*", n) + `"}` }
	if a := f.call(t, t.Context(), "search_methods", filter(256)); !strings.Contains(string(a.Result), "shelf_get_book") {
		t.Errorf("256 bytes: error %v, result %s", a.Error, a.Result)
	}
	const want = "INVALID_ARGUMENT: service: want at most 256 bytes, got 100000; give the name of one service, or a shorter pattern\n"
	if got := failedText(t, f.call(t, t.Context(), "search_methods", filter(100000))); !strings.HasPrefix(got, want) {
		t.Errorf("got %q", got)
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
