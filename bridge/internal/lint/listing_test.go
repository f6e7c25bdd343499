package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// TestListing: what is found of names that stand in one list, by each client that makes something of them.
func TestListing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 50)
	for _, tt := range []struct {
		name  string
		tools []string
		want  map[string]string // rules by names of tools
	}{
		{"nothing", nil, nil},
		{"different", []string{"get_book", "get_books"}, nil},
		{"letter case", []string{"get_book", "Get_book"}, nil},
		{"44 letters that differ in the middle", []string{long[:20] + "x" + long[:23], long[:20] + "y" + long[:23]}, nil},
		{"dot and underscore", []string{"get.book", "get_book"}, map[string]string{"get_book": "name-collides"}},
		{"cut in the middle", []string{long[:20] + "x" + long, long[:20] + "y" + long[:43]}, map[string]string{
			long[:20] + "x" + long: "name-filtered", long[:20] + "y" + long[:43]: "name-collides name-filtered",
		}},
		{
			"cut at the end",
			[]string{long + "x", long + "y"},
			map[string]string{long + "x": "name-filtered", long + "y": "name-collides name-filtered"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := map[string]string{}
			for name, findings := range lint.Listing(tools(tt.tools...)) {
				var rules []string
				for _, f := range findings {
					rules = append(rules, f.Rule)
					t.Logf("%s: %s; %s", name, f.Reason, f.Mend)
				}
				got[name] = strings.Join(rules, " ")
			}
			if tt.want == nil {
				tt.want = map[string]string{}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}

// TestManyTools: from the 41st on a list is too long, and what it costs is said.
func TestManyTools(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range lint.MaxTools + 1 {
		names = append(names, fmt.Sprintf("book_%d", i))
	}
	if found := lint.Listing(tools(names[1:]...)); len(found) > 0 {
		t.Errorf("40 tools: %+v", found)
	}
	found := lint.Listing(tools(names...))
	if len(found) != 1 || len(found[""]) != 1 || found[""][0].Rule != "too-many-tools" ||
		!strings.Contains(found[""][0].Reason, "about 369 tokens") {
		t.Errorf("41 tools: %+v", found)
	}
}

func tools(names ...string) []*mcp.Tool {
	var list []*mcp.Tool
	for _, name := range names {
		list = append(list, &mcp.Tool{Name: name, InputSchema: []byte(`{}`)})
	}
	return list
}

// BenchmarkListing looks at 30,000 tools of some 300 bytes together once an iteration.
func BenchmarkListing(b *testing.B) {
	var names []string
	for i := range 30_000 {
		names = append(names, fmt.Sprintf("book_shelf_get_number_%d", i))
	}
	list := tools(names...)
	for _, t := range list {
		t.Description = strings.Repeat("Gets a book. ", 20)
	}
	b.ReportAllocs()
	for b.Loop() {
		lint.Listing(list)
	}
}
