package bridge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// TestCorpusOffered: of every API every method is offered, or left out with a reason, and what is offered is what every
// client and model provider takes, by the linter and by a check that has nothing to do with it.
func TestCorpusOffered(t *testing.T) {
	t.Parallel()
	for _, a := range corpus(t) {
		for _, p := range corpusProfiles {
			t.Run(a.name+"/"+p.String(), func(t *testing.T) {
				t.Parallel()
				c := compileCatalog(t, corpusSources(t, p, a)...)
				accountFor(t, a, c)
				for _, tool := range c.Tools() {
					checkOffered(t, tool, p)
				}
				t.Logf("%d of %d methods are offered", len(c.Tools()), len(a.methods))
			})
		}
	}
}

func compileCatalog(t testing.TB, sources ...catalog.Source) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Compile(sources, catalog.Options{Features: lifecycle.AllFeatures()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// accountFor demands that each method is offered once, or left out for a reason that says what to do about it.
func accountFor(t *testing.T, a *api, c *catalog.Catalog) {
	t.Helper()
	offered, omitted := map[string]int{}, map[string]string{}
	for _, tool := range c.Tools() {
		offered[string(tool.Method.FullName())]++
	}
	for _, o := range c.Omitted() {
		if o.Kind == catalog.Withheld {
			t.Errorf("%s is withheld, so that schemas or texts break the linter's rules: %s", o.Method, o.Reason)
		}
		if o.Kind != catalog.Ignored {
			omitted[o.Method] = o.Reason
		}
	}
	for _, m := range a.methods {
		reason, left := omitted[string(m.FullName())]
		switch {
		case left == (offered[string(m.FullName())] == 1):
			t.Errorf("%s is offered %d times, and omitted: %q", m.FullName(), offered[string(m.FullName())], reason)
		case left && (len(reason) < 20 || !strings.ContainsAny(reason, ":;")):
			t.Errorf("%s is omitted, and it is not said why and what to do: %q", m.FullName(), reason)
		case left:
			t.Logf("%s is omitted: %s", m.FullName(), reason)
		}
	}
}

// checkOffered looks at one tool with two pairs of eyes.
func checkOffered(t *testing.T, tool *catalog.Tool, p schema.Profile) {
	t.Helper()
	for _, f := range lint.Errors(tool.Subject) {
		if f.Severity == lint.Error {
			t.Errorf("%s is offered in spite of the linter: %+v", tool.Method.FullName(), f)
		}
	}
	input, output := portableInput, portableOutput
	if p == schema.Rich {
		input, output = richInput, richOutput
	}
	if (tool.Definition.OutputSchema == nil) != tool.Output.Only() {
		t.Errorf("%s has data, and no schema of it, or the other way round", tool.Method.FullName())
	}
	raw := tool.Definition.AppendJSON(nil, lifecycle.AllFeatures()[0])
	for _, fault := range inspectDefinition(raw, input, output) {
		t.Errorf("%s: %s", tool.Method.FullName(), fault)
	}
}

// TestCorpusTogether: all APIs are offered by one bridge, in both profiles; names are unique, and neither they nor the pages
// depend on the order in which the backends are given, nor on the run.
func TestCorpusTogether(t *testing.T) {
	t.Parallel()
	apis := corpus(t)
	rng := newSeed(t)
	order := rng.Perm(len(apis))
	for _, p := range corpusProfiles {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			c := compileCatalog(t, corpusSources(t, p, apis...)...)
			unique(t, c)
			shuffled := make([]*api, len(apis))
			for i, at := range order {
				shuffled[i] = renewed(t, apis[at])
			}
			again := compileCatalog(t, corpusSources(t, p, shuffled...)...)
			if c.Digest() != again.Digest() {
				t.Error("another digest")
			}
			if diff := cmp.Diff(c.Omitted(), again.Omitted()); diff != "" {
				t.Errorf("omitted differ:\n%s", diff)
			}
			for _, f := range lifecycle.AllFeatures() {
				if !slices.EqualFunc(pagesOf(t, c, f), pagesOf(t, again, f), slices.Equal[[]byte]) {
					t.Errorf("pages for %+v differ", f)
				}
			}
		})
	}
}

// renewed reads an API again, so that nothing is remembered of the last time.
func renewed(t *testing.T, a *api) *api {
	t.Helper()
	set, err := descriptorSet(a.name).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return newAPI(a.name, set)
}

// unique demands that all methods are there under names of their own.
func unique(t *testing.T, c *catalog.Catalog) {
	t.Helper()
	names, methods := map[string]protoreflect.FullName{}, 0
	for _, tool := range c.Tools() {
		name := strings.ToLower(strings.NewReplacer("-", "_", ".", "_").Replace(tool.Definition.Name)) // as clients may write it
		if other, taken := names[name]; taken {
			t.Errorf("%s and %s are both called %s", other, tool.Method.FullName(), name)
		}
		names[name] = tool.Method.FullName()
		methods++
	}
	t.Logf("%d tools, %d omitted", methods, len(c.Omitted()))
}

func pagesOf(t *testing.T, c *catalog.Catalog, f mcp.Features) (pages [][]byte) {
	t.Helper()
	for cursor := ""; ; {
		page, next, err := c.Page(mcp.ListTools, f, cursor)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page)
		if next == "" {
			return pages
		}
		cursor = next
	}
}
