package catalog_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// walk reads pages from cursor on and returns the names on them and the bytes of each.
func walk(t testing.TB, c *catalog.Catalog, f mcp.Features, cursor string) (listed []string, pages [][]byte) {
	t.Helper()
	for {
		page, next, err := c.Page(mcp.ListTools, f, cursor)
		if err != nil {
			t.Fatal(err)
		}
		listed, pages = append(listed, namesOn(t, page)...), append(pages, page)
		if next == "" {
			return listed, pages
		}
		cursor = next
	}
}

func namesOn(t testing.TB, page []byte) []string {
	t.Helper()
	var tools []struct{ Name string }
	if err := json.Unmarshal(page, &tools, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v in %s", err, page)
	}
	var list []string
	for _, tool := range tools {
		list = append(list, tool.Name)
	}
	return list
}

func TestPagesOfEverySize(t *testing.T) {
	t.Parallel()
	source := library(t)
	for size := range 10 {
		c := compile(t, catalog.Options{Features: allFeatures(), PageSize: size}, source)
		for revision, f := range revisions {
			t.Run(fmt.Sprintf("%d on a page/%s", size, revision), func(t *testing.T) {
				t.Parallel()
				listed, pages := walk(t, c, f, "")
				if diff := cmp.Diff(names(c), listed); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if want := (len(listed) + max(size, 1) - 1) / max(size, 1); size > 0 && len(pages) != want {
					t.Errorf("%d pages, want %d", len(pages), want)
				}
				again, repeated := walk(t, compile(t, catalog.Options{PageSize: size}, library(t)), f, "")
				if !slices.Equal(again, listed) || !slices.EqualFunc(repeated, pages, bytes.Equal) {
					t.Error("another catalog of the same descriptors, its pages made on demand, gives other bytes")
				}
			})
		}
	}
}

// TestPagingAcrossAReload changes the catalog after each page: what both have is listed once.
func TestPagingAcrossAReload(t *testing.T) {
	t.Parallel()
	f := revisions["2025-11-25"]
	whole := library(t)
	for _, hide := range []string{"*AdminService*", "*.DeleteBook", "*.GetBook", "*.ListBooks", "*.UpdateBook", "*.Wait"} {
		t.Run(hide, func(t *testing.T) {
			t.Parallel()
			part := whole
			part.Hide = []string{hide}
			opts := catalog.Options{Features: allFeatures(), PageSize: 2}
			before, after := compile(t, opts, whole), compile(t, opts, part)
			for _, order := range [][2]*catalog.Catalog{{before, after}, {after, before}} {
				page, next, err := order[0].Page(mcp.ListTools, f, "")
				if err != nil {
					t.Fatal(err)
				}
				rest, _ := walk(t, order[1], f, next)
				listed := append(namesOn(t, page), rest...)
				for _, name := range names(after) {
					if n := count(listed, name); n != 1 {
						t.Errorf("%s is listed %d times in %v", name, n, listed)
					}
				}
			}
		})
	}
}

func count(list []string, name string) int {
	n := 0
	for _, s := range list {
		if s == name {
			n++
		}
	}
	return n
}

func TestCursorBeyondTheEnd(t *testing.T) {
	t.Parallel()
	source := library(t)
	_, next, err := compile(t, catalog.Options{PageSize: 6}, source).Page(mcp.ListTools, mcp.Features{}, "")
	if err != nil || next == "" {
		t.Fatalf("next %q, error %v", next, err)
	}
	source.Expose = []string{"*AdminService*"}
	page, next, err := compile(t, catalog.Options{}, source).Page(mcp.ListTools, mcp.Features{}, next)
	if err != nil || next != "" || string(page) != "[]" {
		t.Errorf("page %s, next %q, error %v", page, next, err)
	}
}

func TestBadCursors(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{PageSize: 2}, library(t))
	_, good, _ := c.Page(mcp.ListTools, mcp.Features{}, "")
	for name, cursor := range map[string]string{
		"no base64":      "no cursor!",
		"an offset":      "2",
		"a name":         base64.RawURLEncoding.EncodeToString([]byte("library_get_book")),
		"cut":            good[:len(good)-2],
		"longer":         good + "AAAA",
		"padded":         good + "=",
		"a line break":   good[:4] + "\n" + good[4:],
		"one bit":        string(good[0]^1) + good[1:],
		"far too long":   strings.Repeat("A", 100_000),
		"check sum only": "AAAAAAAA",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, next, err := c.Page(mcp.ListTools, mcp.Features{}, cursor)
			if err == nil || err.Code != jsonrpc.CodeInvalidParams || !strings.Contains(err.Message, "cursor") {
				t.Errorf("error %v", err)
			}
			if page != nil || next != "" {
				t.Errorf("page %s, next %q", page, next)
			}
		})
	}
}
