package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// cutTo is a name that clients cut to the same as another that begins so.
const cutTo = "a_name_that_is_so_long_that_clients_cut_its_end_"

// TestWithheldAlone: a tool that clients would refuse is left out by itself. What else its method is stays, and all others keep
// the names that they have beside it.
func TestWithheldAlone(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		message M { string id = 1; }
		service S {
			rpc Kept(M) returns (M) { option (bridge.v1.method).tool.name = "`+cutTo+`1"; }
			rpc Bad(M) returns (M) { option (bridge.v1.method) = { prompt {} tool { name: "`+cutTo+`2" } }; }
			rpc Good(M) returns (M);
		}
		service SService { rpc Good(M) returns (M); }`))
	want := []string{cutTo + "1", "test_s_good_55245e3a", "test_s_good_bbad09ca"}
	if diff := cmp.Diff(want, names(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	told(t, c, catalog.Withheld, "S.Bad: name: ", "VS Code", cutTo+"1")
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
	source.Tools = configured{"test.S.A": {Name: cutTo + "1"}, "test.S.B": {Name: cutTo + "2"}}
	withheld := compile(t, catalog.Options{Features: allFeatures()}, source)
	source.Tools, source.Hide = configured{"test.S.A": {Name: cutTo + "1"}}, []string{"*.B"}
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
