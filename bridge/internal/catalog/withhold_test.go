package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// refused is an input schema that says all that it has to, and yet no client can compile.
const refused = `{"type": "object", "properties": {"id": {"type": "string", "pattern": "("}}}`

// TestWithheldAlone: a tool that clients would refuse is left out by itself. What else its method is stays, all others keep the
// names that they have beside it, and a name that was given for it is free.
func TestWithheldAlone(t *testing.T) {
	t.Parallel()
	const text = `
		message M { string id = 1; }
		service S {
			rpc Bad(M) returns (M) { option (bridge.v1.method) = { prompt {} tool {} }; }
			rpc Good(M) returns (M);
			rpc Pinned(M) returns (M) { option (bridge.v1.method).tool.name = "x"; }
			rpc Second(M) returns (M) { option (bridge.v1.method).tool.name = "x"; }
		}
		service SService { rpc Bad(M) returns (M); rpc Good(M) returns (M); }`
	source := annotated(t, "b", text)
	before := names(compile(t, catalog.Options{}, source))
	source.Tools = configured{"test.S.Bad": {InputSchema: refused}, "test.S.Pinned": {InputSchema: refused}}
	c := compile(t, catalog.Options{}, source)
	bad := ""
	for _, name := range before {
		if _, ok := c.Tool(name); !ok {
			bad += name
		}
	}
	if !strings.HasPrefix(bad, "test_s_bad_") || len(c.Tools()) != len(before)-1 {
		t.Errorf("of %v are offered %v", before, names(c))
	}
	for _, method := range []string{"S.Bad", "S.Pinned"} {
		told(t, c, catalog.Withheld, method+": inputSchema.properties.id", ": ")
	}
	if x := tool(t, c, "x"); x.Method.Name() != "Second" {
		t.Errorf("x is %s", x.Method.FullName())
	}
	if len(c.Prompts()) != 1 {
		t.Error("the prompt is lost with the tool")
	}
	if near := c.Nearest("test.S.Bad"); near != "" {
		t.Errorf("for what is withheld stands %s", near)
	}
}

// TestWithheldIsCompared: what is withheld is in no list and in no digest of one.
func TestWithheldIsCompared(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", `message M { string id = 1; } service S { rpc A(M) returns (M); rpc B(M) returns (M); }`)
	source.Tools = configured{"test.S.A": {InputSchema: refused}}
	withheld := compile(t, catalog.Options{Features: allFeatures()}, source)
	source.Tools, source.Hide = nil, []string{"*.A"}
	hidden := compile(t, catalog.Options{Features: allFeatures()}, source)
	if diff := cmp.Diff(hidden.Digests(), withheld.Digests()); diff != "" {
		t.Errorf("(-hidden +withheld):\n%s", diff)
	}
	for revision, f := range revisions {
		if listed, _ := walk(t, withheld, f, ""); len(listed) != 1 {
			t.Errorf("%s lists %v", revision, listed)
		}
	}
}

// TestSubject: the linter is told what it cannot see of a tool.
func TestSubject(t *testing.T) {
	t.Parallel()
	got := tool(t, compile(t, catalog.Options{}, library(t)), "library_get_book")
	s := got.Subject
	if s.Tool != &got.Definition || s.Method != got.Method || s.Reader == nil || !s.Portable || s.RawInput {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff(got.Cuts, s.Cuts); diff != "" {
		t.Errorf("(-tool +subject):\n%s", diff)
	}
}
