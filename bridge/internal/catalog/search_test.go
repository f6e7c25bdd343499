package catalog_test

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// firstOnes is how far down the list of hits the right method may stand.
const firstOnes = 5

// query is a line of testdata/queries.txt.
type query struct {
	part, text string
	expected   []string // globs of full method names
}

// TestFound asks for methods of real APIs in plain language: of each API that has a method which is meant, as one does who is
// connected to that API, and of all of them at once, where what one API calls by a name another does too. Nine of ten are to be
// among the first five, both ways.
func TestFound(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{Search: true}, wholeCorpus(t)...)
	alone, together := map[string]*tally{}, map[string]*tally{}
	for _, q := range queries(t) {
		for _, backend := range c.Backends() {
			if slices.ContainsFunc(c.Tools(), func(tool *catalog.Tool) bool { return tool.Backend.Name() == backend && q.accepts(tool) }) {
				score(alone, q, c.Search(catalog.Query{Text: q.text, Backend: backend}), backend)
			}
		}
		score(together, q, c.Search(catalog.Query{Text: q.text}), "all")
	}
	report(t, "of one API", alone)
	report(t, "of all at once", together)
	if n := sum(alone); 10*n.right < 9*n.asked || n.asked < 80 {
		t.Errorf("of one API %d of %d are found, want nine of ten", n.right, n.asked)
	}
	if n := sum(together); 10*n.right < 9*n.asked {
		t.Errorf("of all at once %d of %d are found, want nine of ten", n.right, n.asked)
	}
}

// report prints the rates of the parts of the list, and what was missed.
func report(t *testing.T, what string, counts map[string]*tally) {
	t.Helper()
	for _, part := range slices.Sorted(maps.Keys(counts)) {
		n := counts[part]
		t.Logf("%s, %s: %d of %d among the first %d", what, part, n.right, n.asked, firstOnes)
		for _, miss := range n.misses {
			t.Logf("%s, %s: missed %s", what, part, miss)
		}
	}
}

// tally counts what was found.
type tally struct {
	asked, right int
	misses       []string
}

// score adds the hits of one question to a part of the list.
func score(counts map[string]*tally, q query, hits []*catalog.Tool, of string) {
	n := counts[q.part]
	if n == nil {
		n = &tally{}
		counts[q.part] = n
	}
	n.asked++
	if place := slices.IndexFunc(hits, q.accepts); place >= 0 && place < firstOnes {
		n.right++
		return
	}
	miss := fmt.Sprintf("%q of %s, which has", q.text, of)
	for _, hit := range hits[:min(len(hits), firstOnes)] {
		miss += "\n\t" + string(hit.Method.FullName())
	}
	n.misses = append(n.misses, miss)
}

// sum adds the parts up.
func sum(counts map[string]*tally) tally {
	var all tally
	for _, n := range counts {
		all.asked, all.right = all.asked+n.asked, all.right+n.right
	}
	return all
}

// accepts says whether a tool is one of those that are meant.
func (q query) accepts(tool *catalog.Tool) bool {
	return slices.ContainsFunc(q.expected, func(glob string) bool {
		ok, err := path.Match(glob, string(tool.Method.FullName()))
		return ok && err == nil
	})
}

// queries reads testdata/queries.txt.
func queries(t *testing.T) []query {
	t.Helper()
	file, err := os.ReadFile("testdata/queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	part, list := "", []query(nil)
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			part, _, _ = strings.Cut(heading, ":")
			continue
		}
		if text, expected, ok := strings.Cut(line, "\t"); ok {
			list = append(list, query{part, text, strings.Split(expected, "|")})
		}
	}
	return list
}

// wholeCorpus loads all descriptor sets of real APIs, each a source. It skips the test where they are absent.
func wholeCorpus(t *testing.T) []catalog.Source {
	t.Helper()
	paths, err := filepath.Glob(corpusDir + "/*.binpb")
	if err != nil || len(paths) == 0 {
		t.Skipf("no descriptor sets in %s", corpusDir)
	}
	sources := make([]catalog.Source, len(paths))
	for i, file := range paths {
		name := strings.TrimSuffix(filepath.Base(file), ".binpb")
		sources[i] = catalog.Source{Backend: named(t, name), Set: load(t, descriptor.FileSet(file))}
	}
	return sources
}
