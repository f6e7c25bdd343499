package catalog_test

import (
	"runtime"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// few and tenfold are how many methods catalogs are compared that differ in nothing else.
const few, tenfold = 200, 2000

// TestGrowth: a catalog of ten times the methods takes no more objects and bytes for each of them, its index and its spellings
// included. It must not run beside others, which allocate too.
func TestGrowth(t *testing.T) { //nolint:paralleltest // it counts what all goroutines allocate
	for _, own := range []bool{false, true} {
		for _, search := range []bool{false, true} {
			objects, bytes := perMethod(t, few, own, search)
			moreObjects, moreBytes := perMethod(t, tenfold, own, search)
			t.Logf("messages of their own: %t, search: %t: %.0f objects and %.0f bytes a method of %d, %.0f and %.0f of %d",
				own, search, objects, bytes, few, moreObjects, moreBytes, tenfold)
			if moreObjects > objects*1.2 || moreBytes > bytes*1.3 {
				t.Error("more methods cost more each")
			}
		}
	}
}

// perMethod counts what making a catalog allocates for each method, the first use of everything that is made late included.
func perMethod(t *testing.T, n int, own, search bool) (objects, bytes float64) {
	t.Helper()
	set := invented(t, n, own)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := compile(t, catalog.Options{Features: allFeatures(), Search: search}, catalog.Source{Backend: named(t, "b"), Set: set})
	c.Search(catalog.Query{Text: "get a book"})
	c.Nearest("nothing_of_the_kind")
	c.Instructions()
	runtime.ReadMemStats(&after)
	if len(c.Tools()) != n {
		t.Fatalf("%d tools of %d methods", len(c.Tools()), n)
	}
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}
