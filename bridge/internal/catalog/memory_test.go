package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestHeldNames gives parties as `backend:method`, what they hold or bring along behind `=` or `!`, and the names that they get.
func TestHeldNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, parties, want string }{
		{"a backend comes", "a:x.S.Get=s_get b:x.S.Get", "s_get b_s_get"},
		{"a version comes", "a:x.v1.S.Get=s_get a:x.v2.S.Get", "s_get v2_s_get"},
		{"two come", "a:x.S.Get=s_get b:x.S.Get c:x.S.Get", "s_get b_s_get c_s_get"},
		{"the other has gone", "a:x.S.Get=a_s_get", "a_s_get"},
		{"a name is brought along", "a:x.S.Get=s_get b:x.S.Get!s_get", "a_s_get s_get"},
		{"it is in the next one's way", "a:x.S.Get=s_get b:y.S.Get!s_get c:z.S.Put=x_s_get", "x_s_get_c37236a0 s_get x_s_get"},
		{"its own is brought along", "a:x.S.Get=s_get!mine b:x.S.Get", "mine s_get"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all := parties(c.parties)
			for i := range all {
				method, own, _ := strings.Cut(string(all[i].Method), "!")
				method, held, _ := strings.Cut(method, "=")
				all[i].Method, all[i].Held, all[i].Name = all[i].Method[:len(method)], held, own
			}
			got := catalog.ToolNames(all)
			if diff := cmp.Diff(strings.Fields(c.want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNamesStay: what a method was called it is called as long as its backend is there, whoever comes and goes.
func TestNamesStay(t *testing.T) {
	t.Parallel()
	service := "message M {} service S { rpc Get(M) returns (M); }"
	a, b := annotated(t, "a", service), annotated(t, "b", service)
	pinned := b
	pinned.Tools = map[string]*bridgev1.Tool{"test.S.Get": {Name: "s_get"}}
	both := []string{"a", "b"}
	var c *catalog.Catalog
	for i, step := range []struct {
		sources  []catalog.Source
		backends []string
		want     string
		renamed  []catalog.Renaming
	}{
		{[]catalog.Source{a}, both, "s_get", nil},
		{[]catalog.Source{a, b}, both, "b_s_get s_get", nil},
		{[]catalog.Source{b}, both, "b_s_get", nil},
		{[]catalog.Source{a, b}, both, "b_s_get s_get", nil},
		{[]catalog.Source{a, pinned}, both, "a_s_get s_get", []catalog.Renaming{
			{Backend: "a", Method: "test.S.Get", From: "s_get", To: "a_s_get"}, {Backend: "b", Method: "test.S.Get", From: "b_s_get", To: "s_get"},
		}},
		{[]catalog.Source{a, pinned}, both, "a_s_get s_get", nil},
		{[]catalog.Source{b}, []string{"b"}, "s_get", nil}, // and a is forgotten
		{[]catalog.Source{b, a}, nil, "a_s_get s_get", nil},
	} {
		c = compile(t, catalog.Options{Before: c, Backends: step.backends}, step.sources...)
		if got := strings.Join(names(c), " "); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
		if diff := cmp.Diff(step.renamed, c.Renamed()); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
	if got := strings.Join(names(compile(t, catalog.Options{}, a, b)), " "); got != "a_s_get b_s_get" {
		t.Errorf("described in one go: %q", got)
	}
}

// TestPromptsKeepNames: what is no tool keeps its name too, and no tool that comes takes it.
func TestPromptsKeepNames(t *testing.T) {
	t.Parallel()
	prompt := annotated(t, "p", "message M {} service S { rpc Get(M) returns (M) { option (bridge.v1.method).prompt = {}; } }")
	tool := annotated(t, "t", "message M {} service S { rpc Get(M) returns (M); }")
	first := compile(t, catalog.Options{}, prompt)
	both := compile(t, catalog.Options{Before: first}, prompt, tool)
	if got := fmt.Sprintf("%s %s", both.Prompts()[0].Definition.Name, names(both)); got != "s_get [t_s_get]" {
		t.Error(got)
	}
}
