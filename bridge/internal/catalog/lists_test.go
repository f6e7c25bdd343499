package catalog_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// lists are all that there are, with the member that sorts them.
var lists = map[mcp.List]string{
	mcp.ListTools: "name", mcp.ListResources: "uri", mcp.ListResourceTemplates: "uriTemplate", mcp.ListPrompts: "name",
}

const five = `
	message M { string id = 1 [(bridge.v1.field).header = "Id"]; }
	service S {`

// everyKind offers five tools, resources, templates and prompts.
func everyKind(t testing.TB, opts catalog.Options) *catalog.Catalog {
	t.Helper()
	text := five
	for i := range 5 {
		text += fmt.Sprintf(`rpc Do%c(M) returns (M) { option (bridge.v1.method) = {
			tool { name: "t%[2]d" } prompt { name: "p%[2]d" }
			resources { uri: "a://r%[2]d" title: "R" } resources { uri_template: "a://t%[2]d/{id}" mime_type: "text/plain" }
		}; }`, 'A'+i, i)
	}
	return compile(t, opts, annotated(t, "b", text+"}"))
}

// keys reads a list page by page.
func keys(t testing.TB, c *catalog.Catalog, list mcp.List, f mcp.Features) (all []string, pages int) {
	t.Helper()
	for cursor := ""; ; pages++ {
		page, next, err := c.Page(list, f, cursor)
		if err != nil {
			t.Fatal(err)
		}
		var entries []map[string]any
		if err := json.Unmarshal(page, &entries); err != nil {
			t.Fatalf("%v in %s", err, page)
		}
		for _, e := range entries {
			all = append(all, e[lists[list]].(string))
		}
		if next == "" {
			return all, pages + 1
		}
		cursor = next
	}
}

func TestListsInPages(t *testing.T) {
	t.Parallel()
	want := map[mcp.List][]string{
		mcp.ListTools:             {"t0", "t1", "t2", "t3", "t4"},
		mcp.ListPrompts:           {"p0", "p1", "p2", "p3", "p4"},
		mcp.ListResources:         {"a://r0", "a://r1", "a://r2", "a://r3", "a://r4"},
		mcp.ListResourceTemplates: {"a://t0/{id}", "a://t1/{id}", "a://t2/{id}", "a://t3/{id}", "a://t4/{id}"},
	}
	for size, pages := range map[int]int{0: 1, 1: 5, 2: 3, 5: 1} {
		advance, demand := everyKind(t, catalog.Options{PageSize: size, Features: allFeatures()}), everyKind(t, catalog.Options{PageSize: size})
		for list := range lists {
			for revision, f := range revisions {
				for _, c := range []*catalog.Catalog{advance, demand} {
					got, n := keys(t, c, list, f)
					if diff := cmp.Diff(want[list], got); diff != "" || n != pages {
						t.Errorf("%s of %s: %d pages (-want +got):\n%s", list, revision, n, diff)
					}
				}
			}
			if !advance.Offers(list) {
				t.Errorf("%s are not offered", list)
			}
		}
	}
}

// TestCursorOfAnotherList: each list takes its own cursors alone.
func TestCursorOfAnotherList(t *testing.T) {
	t.Parallel()
	c := everyKind(t, catalog.Options{PageSize: 2})
	for from := range lists {
		_, cursor, err := c.Page(from, mcp.Features{}, "")
		if err != nil || cursor == "" {
			t.Fatalf("cursor %q, error %v", cursor, err)
		}
		for to := range lists {
			_, _, err := c.Page(to, mcp.Features{}, cursor)
			if (err == nil) != (from == to) || err != nil && err.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("a cursor of %s for %s: error %v", from, to, err)
			}
		}
	}
}

func TestEmptyLists(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{})
	for list := range lists {
		if page, next, err := c.Page(list, mcp.Features{}, ""); string(page) != "[]" || next != "" || err != nil || c.Offers(list) {
			t.Errorf("%s: page %s, next %q, error %v, offered %t", list, page, next, err, c.Offers(list))
		}
	}
	if page, _, err := c.Page("others", mcp.Features{}, ""); string(page) != "[]" || err != nil || c.Offers("others") {
		t.Errorf("a list that there is not: %s, error %v", page, err)
	}
	if c.Watched() {
		t.Error("something is watched")
	}
}

// FuzzCursor: what is no cursor is refused, and what is one continues the list behind the entry that it names.
func FuzzCursor(f *testing.F) {
	c := everyKind(f, catalog.Options{PageSize: 2})
	all := []mcp.List{mcp.ListTools, mcp.ListResources, mcp.ListResourceTemplates, mcp.ListPrompts}
	for i, list := range all {
		_, cursor, _ := c.Page(list, mcp.Features{}, "")
		f.Add(uint8(i), cursor)
		f.Add(uint8(i+1), cursor)
		f.Add(uint8(i), cursor+"=")
	}
	f.Add(uint8(0), "")
	f.Add(uint8(0), strings.Repeat("A", 1000))
	f.Fuzz(func(t *testing.T, which uint8, cursor string) {
		list := all[int(which)%len(all)]
		page, next, err := c.Page(list, mcp.Features{}, cursor)
		if err != nil {
			if err.Code != jsonrpc.CodeInvalidParams || page != nil || next != "" {
				t.Fatalf("page %s, next %q, error %v", page, next, err)
			}
			return
		}
		var entries []map[string]any
		if err := json.Unmarshal(page, &entries); err != nil {
			t.Fatal(err)
		}
		raw, _ := base64.RawURLEncoding.DecodeString(cursor)
		for _, e := range entries {
			if key := e[lists[list]].(string); len(raw) > 6 && key <= string(raw[6:]) {
				t.Fatalf("%q lists %s again", cursor, key)
			}
		}
	})
}
