package catalog_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// TestCorpus offers the methods of several real APIs at once (of all with CORPUS=all in the environment), among them the same
// services from several backends.
func TestCorpus(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	sources := corpus(t, seed)
	opts := catalog.Options{Features: allFeatures()}
	c := compile(t, opts, sources...)
	t.Run("every method is offered or accounted for", func(t *testing.T) {
		t.Parallel()
		accounted(t, sources, c)
	})
	t.Run("definitions", func(t *testing.T) {
		t.Parallel()
		for _, tool := range c.Tools() {
			checkTool(t, tool)
		}
	})
	t.Run("order of loading", func(t *testing.T) {
		t.Parallel()
		shuffled := slices.Clone(sources)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		sameCatalog(t, c, compile(t, opts, shuffled...))
	})
	t.Run("official schemas", func(t *testing.T) {
		t.Parallel()
		for revision, f := range revisions {
			tool := official(t, revision, "Tool")
			listed, pages := walk(t, c, f, "")
			if diff := cmp.Diff(names(c), listed); diff != "" {
				t.Errorf("%s lists other tools (-want +got):\n%s", revision, diff)
			}
			for _, page := range pages {
				validate(t, tool, page)
			}
		}
	})
}

// TestCorpusNames names the methods of all the real APIs at once: each has a name of its own that every client takes, whatever
// the order in which they are loaded.
func TestCorpusNames(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	parties := partiesOf(loadAll(t, corpusPaths(t)))
	given, taken := map[catalog.Party]string{}, map[string]catalog.Party{}
	for i, name := range catalog.ToolNames(parties) {
		p := parties[i]
		if len(name) > 44 || !wellFormed.MatchString(name) {
			t.Errorf("%s is called %q", p.Method, name)
		}
		if other, ok := taken[name]; ok {
			t.Errorf("%s and %s are both called %q", other.Method, p.Method, name)
		}
		given[p], taken[name] = name, p
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(parties), func(i, j int) { parties[i], parties[j] = parties[j], parties[i] })
	for i, name := range catalog.ToolNames(parties) {
		if given[parties[i]] != name {
			t.Errorf("%s is called %q, and in another order %q", parties[i].Method, given[parties[i]], name)
		}
	}
	t.Logf("%d methods", len(parties))
}

// partiesOf are all methods of some sources.
func partiesOf(sources []catalog.Source) []catalog.Party {
	var parties []catalog.Party
	for _, source := range sources {
		for _, service := range source.Set.Services() {
			for i := range service.Methods().Len() {
				parties = append(parties, catalog.Party{Backend: source.Backend.Name(), Method: service.Methods().Get(i).FullName()})
			}
		}
	}
	return parties
}

// accounted demands that tools and omissions together are the methods, each once, and that no method is left out but
// those that their APIs show to some alone.
func accounted(t *testing.T, sources []catalog.Source, c *catalog.Catalog) {
	seen := map[[2]string]int{}
	for _, tool := range c.Tools() {
		seen[[2]string{tool.Backend.Name(), string(tool.Method.FullName())}]++
	}
	restricted := 0
	for _, o := range c.Omitted() {
		seen[[2]string{o.Backend, o.Method}]++
		switch {
		case o.Kind == catalog.Refused && strings.HasPrefix(o.Reason, "google.api.visibility"):
			restricted++
		default:
			t.Errorf("%s: %s", o.Method, o.Reason)
		}
	}
	methods := 0
	for _, source := range sources {
		for _, service := range source.Set.Services() {
			for i := range service.Methods().Len() {
				m := service.Methods().Get(i)
				if n := seen[[2]string{source.Backend.Name(), string(m.FullName())}]; n != 1 {
					t.Errorf("%s of %s is accounted for %d times", m.FullName(), source.Backend.Name(), n)
				}
				methods++
			}
		}
	}
	if methods != len(c.Tools())+restricted {
		t.Errorf("%d of %d methods are offered, and %d restricted", len(c.Tools()), methods, restricted)
	}
	t.Logf("%d tools, %d omitted, %d of them restricted", len(c.Tools()), len(c.Omitted()), restricted)
}

func checkTool(t *testing.T, tool *catalog.Tool) {
	d := tool.Definition
	if len(d.Name) > 44 || !wellFormed.MatchString(d.Name) {
		t.Errorf("%s is called %q", tool.Method.FullName(), d.Name)
	}
	if n := utf8.RuneCountInString(d.Description); n < 1 || n > 1024 {
		t.Errorf("the description of %s has %d characters", d.Name, n)
	}
	if n := utf8.RuneCountInString(d.Title); n < 1 || n > 80 {
		t.Errorf("the title of %s has %d characters: %s", d.Name, n, d.Title)
	}
	checkRequired(t, tool)
}

func sameCatalog(t *testing.T, a, b *catalog.Catalog) {
	t.Helper()
	if a.Digest() != b.Digest() {
		t.Error("another digest")
	}
	if diff := cmp.Diff(a.Omitted(), b.Omitted()); diff != "" {
		t.Errorf("omitted differ:\n%s", diff)
	}
	for revision, f := range revisions {
		_, first := walk(t, a, f, "")
		_, second := walk(t, b, f, "")
		if !slices.EqualFunc(first, second, slices.Equal[[]byte]) {
			t.Errorf("the list of %s has other bytes", revision)
		}
	}
}

// BenchmarkCompile makes a catalog of the corpus, always of the same part, pages for every revision included; loading is not
// measured. It is about the whole with CORPUS=all in the environment.
func BenchmarkCompile(b *testing.B) {
	sources := corpus(b, 1)
	b.ReportAllocs()
	for b.Loop() {
		compile(b, catalog.Options{Features: allFeatures()}, sources...)
	}
}
