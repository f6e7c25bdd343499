package catalog_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// longest is the longest text before or after a page that is tried: it takes three stored blocks.
const longest = 140_000

// unpack reads a file of one member, with nothing behind it, whose checksum and size are right.
func unpack(t rapid.TB, parts [][]byte) []byte {
	t.Helper()
	file := bytes.NewReader(slices.Concat(parts...))
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	r.Multistream(false)
	text, err := io.ReadAll(r)
	if err != nil || file.Len() > 0 {
		t.Fatalf("%d bytes are left, error %v", file.Len(), err)
	}
	return text
}

// find returns the page of a list that a cursor asks for, and the next cursor.
func find(t testing.TB, c *catalog.Catalog, list mcp.List, f mcp.Features, cursor string) (page *catalog.Page, next string) {
	t.Helper()
	page, next, err := c.FindPage(list, f, cursor)
	if err != nil {
		t.Fatal(err)
	}
	return page, next
}

// TestGzip: what a page unpacks to between any two texts is the three in a row.
func TestGzip(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{Features: allFeatures()}, library(t))
	text := bytes.Repeat([]byte(`{"id":[7]`), longest)
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom(allFeatures()).Draw(rt, "features")
		page, _ := find(t, c, mcp.ListTools, f, "")
		texts := rapid.OneOf(rapid.SampledFrom([]int{0, 1, 65_534, 65_535, 65_536, 131_070, 131_071}), rapid.IntRange(0, longest))
		head, tail := text[:texts.Draw(rt, "head")], text[longest:][:texts.Draw(rt, "tail")]
		if got := unpack(rt, page.Gzip(head, tail)); !bytes.Equal(got, slices.Concat(head, page.JSON(), tail)) {
			rt.Fatalf("%d bytes, not the %d, %d and %d in a row", len(got), len(head), len(page.JSON()), len(tail))
		}
	})
}

// TestGzipPays: a page takes a fraction of what it is, and what is sent beside it some bytes more.
func TestGzipPays(t *testing.T) {
	t.Parallel()
	source := catalog.Source{Backend: named(t, "b"), Set: invented(t, few, true)}
	page, _ := find(t, compile(t, catalog.Options{Features: allFeatures()}, source), mcp.ListTools, revisions["2025-11-25"], "")
	parts := page.Gzip([]byte("head"), []byte("tail"))
	if size := len(slices.Concat(parts...)); size*5 > len(page.JSON()) || len(parts[0]) > 20 || len(parts[2]) > 20 {
		t.Errorf("%d bytes for %d: %d before, %d after", size, len(page.JSON()), len(parts[0]), len(parts[2]))
	}
}

// TestPacks: pages that were made with the catalog are kept compressed, if they are not short; those that are made on demand,
// for features or for a cursor, are not.
func TestPacks(t *testing.T) {
	t.Parallel()
	f := revisions["2025-11-25"]
	source := library(t)
	whole := compile(t, catalog.Options{Features: allFeatures(), PageSize: 3}, source)
	source.Hide = []string{"*AdminService*"}
	part := compile(t, catalog.Options{Features: allFeatures(), PageSize: 3}, source)
	page, next := find(t, whole, mcp.ListTools, f, "")
	_, elsewhere := find(t, compile(t, catalog.Options{PageSize: 2}, source), mcp.ListTools, f, "")
	ahead, _ := find(t, part, mcp.ListTools, f, elsewhere)
	second, _ := find(t, whole, mcp.ListTools, f, next)
	demanded, _ := find(t, compile(t, catalog.Options{}, source), mcp.ListTools, f, "")
	none, _ := find(t, whole, "others", f, "")
	short, _ := find(t, everyKind(t, catalog.Options{Features: allFeatures()}), mcp.ListResourceTemplates, mcp.Features{}, "")
	for name, tt := range map[string]struct {
		page  *catalog.Page
		packs bool
	}{
		"the first": {page, true}, "the second": {second, true}, "from elsewhere on": {ahead, false},
		"of unknown features": {demanded, false}, "none": {none, false}, "short": {short, false},
	} {
		if tt.page.Packs() != tt.packs {
			t.Errorf("%s, of %d bytes: packs: %t", name, len(tt.page.JSON()), !tt.packs)
		}
	}
}

// TestPackedTogether: revisions that see the same share the page with its compressed form, and all who ask at once get the same.
func TestPackedTogether(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{Features: allFeatures()}, library(t))
	pages := map[string]*catalog.Page{}
	var first [8]*byte
	var asking sync.WaitGroup
	for i := range first {
		asking.Go(func() {
			page, _, _ := c.FindPage(mcp.ListTools, revisions["2025-11-25"], "")
			first[i] = &page.Gzip(nil, nil)[1][0]
		})
	}
	asking.Wait()
	for _, p := range first {
		if p != first[0] {
			t.Error("it was compressed more than once")
		}
	}
	for _, f := range revisions {
		page, _ := find(t, c, mcp.ListTools, f, "")
		if other := pages[string(page.JSON())]; other != nil && other != page {
			t.Error("the same page is kept twice")
		}
		pages[string(page.JSON())] = page
	}
	if len(pages) == len(revisions) {
		t.Error("no two revisions see the same")
	}
}
