package catalog_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// TestThreeTools: in search mode they are the list, the same bytes whatever there is, and what every client takes.
func TestThreeTools(t *testing.T) {
	t.Parallel()
	opts := catalog.Options{Features: allFeatures(), Search: true}
	part := library(t)
	part.Expose = []string{"*.GetBook"}
	whole, few := compile(t, opts, library(t)), compile(t, opts, part)
	for revision, f := range revisions {
		listed, pages := walk(t, whole, f, "")
		if diff := cmp.Diff([]string{catalog.CallMethod, catalog.DescribeMethod, catalog.SearchMethods}, listed); diff != "" {
			t.Errorf("%s (-want +got):\n%s", revision, diff)
		}
		if _, others := walk(t, few, f, ""); !cmp.Equal(pages, others) {
			t.Errorf("%s: another catalog has another list", revision)
		}
		for _, page := range pages {
			validate(t, official(t, revision, "Tool"), page)
			checkDefinitions(t, page)
		}
	}
	if whole.Digests().Tools != few.Digests().Tools || whole.Digest() == few.Digest() {
		t.Error("the digest of the list changes, or that of what is offered does not")
	}
}

// TestThreeToolsWithoutOutput: the option leaves out their output schemas, and nothing else; without search mode it does nothing.
func TestThreeToolsWithoutOutput(t *testing.T) {
	t.Parallel()
	f := revisions["2026-07-28"]
	for _, search := range []bool{false, true} {
		with := compile(t, catalog.Options{Search: search}, library(t))
		without := compile(t, catalog.Options{Search: search, NoOutput: true}, library(t))
		page, _, _ := with.Page(mcp.ListTools, f, "")
		bare, _, _ := without.Page(mcp.ListTools, f, "")
		if !search {
			if !bytes.Equal(page, bare) {
				t.Error("the tools of methods are others")
			}
			continue
		}
		var want, got []map[string]any
		if err := errors.Join(json.Unmarshal(page, &want), json.Unmarshal(bare, &got)); err != nil {
			t.Fatal(err)
		}
		for _, tool := range want {
			delete(tool, "outputSchema")
		}
		if diff := cmp.Diff(want, got); diff != "" || with.Digests().Tools == without.Digests().Tools {
			t.Errorf("the same digest, or (-want +got):\n%s", diff)
		}
	}
}

// TestHeadersOfSearchMode: clients repeat no arguments of tools that they are not listed, least of all of one that is called like
// one of the three.
func TestHeadersOfSearchMode(t *testing.T) {
	t.Parallel()
	source := annotated(t, "a", `message M { string region = 1 [(bridge.v1.field).header = "Region"]; }
		service S { rpc Do(M) returns (M) { option (bridge.v1.method).tool.name = "call_method"; } rpc Undo(M) returns (M); }`)
	for _, search := range []bool{false, true} {
		c := compile(t, catalog.Options{Search: search}, source)
		for _, name := range []string{catalog.CallMethod, "s_undo"} {
			if _, ok := c.Tool(name); !ok {
				t.Fatalf("there is no %s", name)
			}
			if got := len(c.HeaderParams(name)); got == 1 == search || got > 1 {
				t.Errorf("search %t: %s has %d headers", search, name, got)
			}
		}
	}
}

// portableKeywords are what every client and model provider takes in a schema.
var portableKeywords = []string{"type", "properties", "required", "items", "enum", "description", "format"}

// checkDefinitions demands short texts and portable schemas of the tools on a page.
func checkDefinitions(t *testing.T, page []byte) {
	t.Helper()
	var tools []struct {
		Name         string         `json:"name"`
		Description  string         `json:"description"`
		InputSchema  map[string]any `json:"inputSchema"`
		OutputSchema map[string]any `json:"outputSchema"`
	}
	if err := json.Unmarshal(page, &tools); err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if n := utf8.RuneCountInString(tool.Description); n < 1 || n > 1024 {
			t.Errorf("%s has a description of %d characters", tool.Name, n)
		}
		checkPortable(t, tool.Name, tool.InputSchema)
		checkPortable(t, tool.Name, tool.OutputSchema)
		said := fmt.Sprintf("1 to %d, %d if left out", catalog.MaxHits, catalog.DefaultHits)
		if text := fmt.Sprint(tool.InputSchema); tool.Name == catalog.SearchMethods && !strings.Contains(text, said) {
			t.Errorf("limit is not %q in %s", said, text)
		}
	}
}

func checkPortable(t *testing.T, name string, schema map[string]any) {
	t.Helper()
	for keyword, value := range schema {
		if !slices.Contains(portableKeywords, keyword) {
			t.Errorf("%s has %s", name, keyword)
		}
		if text, ok := value.(string); ok && utf8.RuneCountInString(text) > 256 {
			t.Errorf("%s says %q, which is too long", name, text)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for property, value := range properties {
		checkPortable(t, name+"."+property, value.(map[string]any))
	}
	if items, ok := schema["items"].(map[string]any); ok {
		checkPortable(t, name+"[]", items)
	}
}

func TestQueryFilters(t *testing.T) {
	t.Parallel()
	other := library(t)
	other.Backend = named(t, "branch")
	other.Expose = []string{"*.GetBook", "*.DeleteBook"}
	c := compile(t, catalog.Options{Search: true}, library(t), other)
	if diff := cmp.Diff([]string{"branch", "library"}, c.Backends()); diff != "" {
		t.Errorf("backends (-want +got):\n%s", diff)
	}
	services := map[string]int{}
	for _, tool := range c.Tools() {
		services[string(tool.Method.Parent().FullName())]++
	}
	for _, q := range []catalog.Query{
		{},
		{Backend: "branch"},
		{Backend: "none"},
		{Service: "*.LibraryService"},
		{Service: "*"},
		{Service: "*.Libraryservice"},
		{ReadOnly: new(true)},
		{ReadOnly: new(false), Backend: "library"},
		{Text: "get a book", Backend: "branch"},
	} {
		found := c.Search(q)
		want := slices.DeleteFunc(slices.Clone(c.Tools()), func(tool *catalog.Tool) bool { return !passes(q, tool) })
		if q.Text == "" && !slices.Equal(found, want) {
			t.Errorf("%+v finds %d tools, want %d", q, len(found), len(want))
		}
		stray := slices.ContainsFunc(found, func(tool *catalog.Tool) bool { return !slices.Contains(want, tool) })
		if stray || q.Text != "" && len(found) == 0 {
			t.Errorf("%+v finds %d tools, or others than it should", q, len(found))
		}
	}
}

// passes says whether a tool is one that the filters of a query are for.
func passes(q catalog.Query, tool *catalog.Tool) bool {
	service, hint := string(tool.Method.Parent().FullName()), tool.Definition.Hints.ReadOnly
	fits := q.Service == "" || q.Service == "*" || strings.HasPrefix(q.Service, "*") && strings.HasSuffix(service, q.Service[1:])
	return fits && (q.Backend == "" || tool.Backend.Name() == q.Backend) &&
		(q.ReadOnly == nil || *q.ReadOnly == (hint != nil && *hint))
}

// TestLookup: a method of one backend is found by its full name as well, one of several by the names of its tools alone.
func TestLookup(t *testing.T) {
	t.Parallel()
	one := compile(t, catalog.Options{Search: true}, library(t))
	other := library(t)
	other.Backend = named(t, "branch")
	two := compile(t, catalog.Options{Search: true}, library(t), other)
	for _, tool := range one.Tools() {
		full := string(tool.Method.FullName())
		path := "/" + string(tool.Method.Parent().FullName()) + "/" + string(tool.Method.Name())
		for _, name := range []string{tool.Definition.Name, full, path} {
			if got, ok := one.Lookup(name); !ok || got != tool {
				t.Errorf("%s is not found", name)
			}
		}
		if _, ok := two.Lookup(full); ok {
			t.Errorf("%s is found, though two backends have it", full)
		}
	}
	for _, tool := range two.Tools() {
		if got, ok := two.Lookup(tool.Definition.Name); !ok || got != tool {
			t.Errorf("%s is not found", tool.Definition.Name)
		}
	}
	for _, name := range []string{"", ".", "/", "nothing", catalog.CallMethod} {
		if _, ok := one.Lookup(name); ok {
			t.Errorf("%q is found", name)
		}
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ comment, want string }{
		{"// Does what it has to. Then it stops.", "Does what it has to."},
		{"// Does " + strings.Repeat("very ", 50) + "much.", "…"},
		{"", "Takes id. Returns R."},
	} {
		x := compile(t, catalog.Options{}, annotated(t, "b", "message M { string id = 1; } message R { string name = 1; }\nservice S {\n"+
			c.comment+"\nrpc Do(M) returns (R); }"))
		got := x.Tools()[0].Summary()
		if !strings.HasSuffix(got, c.want) || utf8.RuneCountInString(got) > 160 || c.want != "…" && got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if len(compile(t, catalog.Options{Search: true}).Tools()) > 0 || !compile(t, catalog.Options{Search: true}).Offers(mcp.ListTools) {
		t.Error("a catalog of nothing has a tool, or no list in search mode")
	}
}
