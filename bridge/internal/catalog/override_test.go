package catalog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// TestOverrides: the option stands above the standard annotation and the comment; what it does not set stays as derived.
func TestOverrides(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		service BookService {
			// Gets a book. With its text.
			rpc Get(M) returns (M) {
				option (google.api.http) = { get: "/v1/x" };
				option (bridge.v1.method).tool = {
					name: "Fetch-Book_v2" title: "Fetch  a\nbook" description: "Fetches.\n\nThe <b>book</b>\u202e."
					hints { read_only: false open_world: false }
				};
			}
			// Lists books.
			rpc List(M) returns (M) { option (bridge.v1.method).tool = { hints { destructive: true } }; }
			rpc Old(M) returns (M) { option deprecated = true; option (bridge.v1.method).tool.description = "Does it."; }
		}
		message M { string id = 1; }`))
	silent(t, c)
	fetch := tool(t, c, "Fetch-Book_v2").Definition
	want := mcp.Tool{
		Name: "Fetch-Book_v2", Title: "Fetch a book", Description: "Fetches.\n\nThe book.",
		Hints: mcp.Hints{ReadOnly: new(false), Destructive: new(false), Idempotent: new(true), OpenWorld: new(false)},
		Meta:  []byte(`{"io.github.mcpgrpc.bridge/method":"test.BookService.Get"}`),
	}
	fetch.InputSchema, fetch.OutputSchema = nil, nil
	if diff := cmp.Diff(want, fetch); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	list := tool(t, c, "book_list").Definition
	if list.Title != "Lists books" || list.Description != "Lists books." {
		t.Errorf("what is not set is %q, %q", list.Title, list.Description)
	}
	if diff := cmp.Diff(mcp.Hints{Destructive: new(true)}, list.Hints); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d := tool(t, c, "book_old").Definition.Description; d != "Does it." {
		t.Errorf("the option's description is %q", d)
	}
}

func TestLongTextsOfOptionsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Then more of it. ", 100)
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		service S { rpc Do(M) returns (M) { option (bridge.v1.method).tool = { title: "`+long+`" description: "`+long+`" }; } }
		message M {}`))
	d := tool(t, c, "s_do").Definition
	if len(d.Description) > 1024 || len(d.Title) > 128 || d.Title == "" {
		t.Errorf("title %q, description %q", d.Title, d.Description)
	}
	told(t, c, catalog.Ignored, "S.Do", "description of the tool is cut", "1024")
	told(t, c, catalog.Ignored, "S.Do", "title is cut", "128")
}

// TestOwnNames: a name that an option gives is never changed, and renames nobody but who has the same.
func TestOwnNames(t *testing.T) {
	t.Parallel()
	method := func(name, own string) string {
		if own == "" {
			return "rpc " + name + "(M) returns (M);\n"
		}
		return "rpc " + name + `(M) returns (M) { option (bridge.v1.method).tool.name = "` + own + "\"; }\n"
	}
	for _, c := range []struct{ name, methods, want, omitted string }{
		{"apart", method("A", "x") + method("B", ""), "s_b x", ""},
		{"that of another method", method("A", "s_b") + method("B", ""), "s_b test_s_b", ""},
		{"derived stands first", method("A", "") + method("B", "s_a"), "s_a test_s_a", ""},
		{"twice", method("A", "x") + method("B", "x"), "x", "S.B"},
		{"twice, in the order of the file", method("B", "x") + method("A", "x"), "x", "S.A"},
		{"letter case", method("A", "X") + method("B", "x"), "X x", ""},
		{"every character", method("A", "_Do-it_2"), "_Do-it_2", ""},
		{"longest", method("A", strings.Repeat("x", 64)), strings.Repeat("x", 64), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			made := compile(t, catalog.Options{}, annotated(t, "b", "message M {} service S {"+c.methods+"}"))
			if diff := cmp.Diff(strings.Fields(c.want), names(made)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.omitted == "" {
				silent(t, made)
			} else {
				told(t, made, catalog.Deficient, c.omitted+": its tool is not offered", "the name x is that of test.S.", "bridge.v1")
			}
		})
	}
}

// TestOwnNamesTakeAll: a derived name gives way step by step, and where the last step is taken too, its tool is left out.
func TestOwnNamesTakeAll(t *testing.T) {
	t.Parallel()
	methods := "rpc B(M) returns (M);"
	for i, want := range []string{"s_b", "test_s_b", "test_s_b_d38874b9"} {
		c := compile(t, catalog.Options{}, annotated(t, "b", "message M {} service S {"+methods+"}"))
		silent(t, c)
		if found := tool(t, c, want); found.Method.Name() != "B" {
			t.Errorf("%s is %s", want, found.Method.FullName())
		}
		methods += fmt.Sprintf(`rpc A%d(M) returns (M) { option (bridge.v1.method).tool.name = %q; }`, i, want)
	}
	c := compile(t, catalog.Options{}, annotated(t, "b", "message M {} service S {"+methods+"}"))
	told(t, c, catalog.Deficient, "S.B: its tool is not offered", "test.S.A2")
	if len(c.Tools()) != 3 {
		t.Errorf("offered are %v", names(c))
	}
}

func TestBadOwnNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b", "a/b", "größe", strings.Repeat("x", 65), " ", "s.do", "2_do", "-do"} {
		c := compile(t, catalog.Options{}, annotated(t, "b", `
			message M {} service S { rpc Do(M) returns (M) { option (bridge.v1.method).tool.name = "`+name+`"; } }`))
		tool(t, c, "s_do")
		told(t, c, catalog.Ignored, "S.Do", "derived name", "at most 63")
	}
}

// TestOwnNamesOfTwoBackends: whoever loads first, the backend whose name comes first has the tool.
func TestOwnNamesOfTwoBackends(t *testing.T) {
	t.Parallel()
	const text = `message M {} service S { rpc Do(M) returns (M) { option (bridge.v1.method).tool.name = "x"; } }`
	a, b := annotated(t, "a", text), annotated(t, "b", text)
	for _, sources := range [][]catalog.Source{{a, b}, {b, a}} {
		c := compile(t, catalog.Options{}, sources...)
		if found := tool(t, c, "x"); found.Backend != a.Backend || len(c.Tools()) != 1 {
			t.Errorf("the tool is that of %s among %v", found.Backend.Name(), names(c))
		}
		if o := c.Omitted(); len(o) != 1 || o[0].Backend != "b" {
			t.Errorf("omitted are %v", o)
		}
	}
}

func TestHide(t *testing.T) {
	t.Parallel()
	const text = `
		message M {}
		service Inner { option (bridge.v1.service).hide = true; rpc A(M) returns (M); rpc B(M) returns (stream M); }
		service Outer {
			rpc C(M) returns (M);
			rpc D(M) returns (M) { option (bridge.v1.method) = { hide: true tool {} prompt {} resources { uri: "a://b" } }; }
		}`
	source := annotated(t, "b", text)
	c := compile(t, catalog.Options{}, source)
	if diff := cmp.Diff([]string{"outer_c"}, names(c)); diff != "" || len(c.Prompts())+len(c.Resources()) > 0 {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, name := range []string{"Inner.A", "Inner.B"} {
		told(t, c, catalog.Refused, name+": hidden by the option (bridge.v1.service).hide", "full name")
	}
	told(t, c, catalog.Refused, "Outer.D: hidden by the option (bridge.v1.method).hide")

	source.Expose = []string{"*"}
	if got := names(compile(t, catalog.Options{}, source)); len(got) != 1 {
		t.Errorf("a pattern that is about everything offers %v", got)
	}
	source.Expose = []string{"test.Inner.A", "test.Outer.D"}
	if diff := cmp.Diff([]string{"inner_a", "outer_d"}, names(compile(t, catalog.Options{}, source))); diff != "" {
		t.Errorf("the configuration stands above the option (-want +got):\n%s", diff)
	}
}

// TestContradictingHints: what changes nothing destroys nothing.
func TestContradictingHints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb, hints, want string
		told              bool
	}{
		{"", "read_only: true destructive: true", "true false", true},
		{"get", "destructive: true", "false true", false},
		{"delete", "read_only: true", "true false", false},
		{"delete", "read_only: false destructive: true", "false true", false},
		{"get", "read_only: true destructive: false", "true false", false},
	} {
		http := ""
		if c.verb != "" {
			http = `option (google.api.http) = { ` + c.verb + `: "/v1/x" };`
		}
		made := compile(t, catalog.Options{}, annotated(t, "b", `
			message M {} service S { rpc Do(M) returns (M) { `+http+` option (bridge.v1.method).tool.hints = { `+c.hints+` }; } }`))
		h := tool(t, made, "s_do").Definition.Hints
		if got := fmt.Sprint(*h.ReadOnly, *h.Destructive); got != c.want {
			t.Errorf("%s %s: read only and destructive are %s, want %s", c.verb, c.hints, got, c.want)
		}
		if c.told {
			told(t, made, catalog.Ignored, "S.Do: hints.destructive is not followed")
		} else {
			silent(t, made)
		}
	}
}

// TestBehaviour is what options say of calls.
func TestBehaviour(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		message M {}
		service S {
			rpc A(M) returns (M) { option (bridge.v1.method) = {
				tool {} prompt {} resources { uri: "a://b" }
				required_capabilities: ["sampling", "elicitation.url"] reload_after: true close_stream_after { nanos: 1000000 }
			}; }
			rpc B(M) returns (M);
			rpc Short(M) returns (M) { option (bridge.v1.method).close_stream_after = { nanos: 999999 }; }
			rpc Negative(M) returns (M) { option (bridge.v1.method).close_stream_after = { seconds: -1 }; }
			rpc Prompt(M) returns (M) { option (bridge.v1.method) = { prompt {} close_stream_after { seconds: 1 } }; }
			rpc Nobody(M) returns (M) { option (bridge.v1.method).required_capabilities = "sampling."; }
		}`))
	want := []string{"sampling", "elicitation.url"}
	a, b, prompt, reading := tool(t, c, "s_a"), tool(t, c, "s_b"), c.Prompts()[0], c.Resources()[0].Reading
	for _, got := range [][]string{a.RequiredCapabilities, prompt.RequiredCapabilities, reading.RequiredCapabilities} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if !a.ReloadAfter || !prompt.ReloadAfter || !reading.ReloadAfter || a.CloseStreamAfter != time.Millisecond {
		t.Errorf("reload %t %t %t, close %v", a.ReloadAfter, prompt.ReloadAfter, reading.ReloadAfter, a.CloseStreamAfter)
	}
	if len(b.RequiredCapabilities) > 0 || b.ReloadAfter || b.CloseStreamAfter != 0 {
		t.Errorf("without options: %+v", b)
	}
	for _, name := range []string{"Short", "Negative"} {
		told(t, c, catalog.Ignored, "S."+name+": close_stream_after is ignored", "1 ms")
	}
	if tool(t, c, "s_short").CloseStreamAfter+tool(t, c, "s_negative").CloseStreamAfter != 0 {
		t.Error("what is ignored counts")
	}
	told(t, c, catalog.Ignored, "S.Prompt: close_stream_after does nothing", "set tool too")
	told(t, c, catalog.Deficient, "S.Nobody: required_capabilities", `"sampling."`, "did you mean sampling?")
}

// TestContentIsNoData: fields that are content are neither in the schema nor in the codec's JSON.
func TestContentIsNoData(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		message M {}
		message Mixed { string note = 1; repeated bridge.v1.Content content = 2; }
		message Only { bridge.v1.Content content = 1; }
		service S {
			rpc Mix(M) returns (Mixed); rpc Just(M) returns (Only);
			rpc Whole(M) returns (bridge.v1.Content); rpc Plain(M) returns (M);
		}`))
	if d := tool(t, c, "s_mix").Definition; !strings.Contains(string(d.OutputSchema), "note") ||
		strings.Contains(string(d.OutputSchema), "content") {
		t.Errorf("output schema %s", d.OutputSchema)
	}
	for _, name := range []string{"s_just", "s_whole"} {
		if d := tool(t, c, name); d.Definition.OutputSchema != nil || !d.Output.Only() {
			t.Errorf("output schema %s", d.Definition.OutputSchema)
		}
	}
	if d := tool(t, c, "s_plain"); d.Definition.OutputSchema == nil || !d.Output.Plain() {
		t.Error("a method without content has no output schema")
	}
	json, _, err := tool(t, c, "s_mix").Codec.AppendJSON(nil, []byte("\x0a\x01x\x12\x04\x0a\x02\x0a\x00"))
	if err != nil || string(json) != `{"note":"x"}` {
		t.Errorf("data %s, error %v", json, err)
	}
}
