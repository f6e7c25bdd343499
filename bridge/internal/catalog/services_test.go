package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// shelves has three services, of which none is called like another.
const shelves = `
	message M {}
	service BookService { rpc Get(M) returns (M); rpc List(M) returns (M); }
	service Author { rpc Get(M) returns (M); }
	service Reader { rpc Get(M) returns (M); }`

// TestServices: the largest stand first, and a simple name that two have is told apart.
func TestServices(t *testing.T) {
	t.Parallel()
	dir := writeProto(t, `syntax = "proto3"; package other; message M {} service BookService { rpc Get(M) returns (M); }`)
	other := catalog.Source{Backend: named(t, "c"), Set: load(t, filesIn(dir))}
	c := compile(t, catalog.Options{Search: true}, annotated(t, "a", shelves), annotated(t, "b", shelves), other)
	want := []catalog.Service{
		{Backend: "a", Name: "test.BookService", Tools: 2},
		{Backend: "b", Name: "test.BookService", Tools: 2},
		{Backend: "a", Name: "Author", Tools: 1},
		{Backend: "b", Name: "Author", Tools: 1},
		{Backend: "a", Name: "Reader", Tools: 1},
		{Backend: "b", Name: "Reader", Tools: 1},
		{Backend: "c", Name: "other.BookService", Tools: 1},
	}
	if diff := cmp.Diff(want, c.Services(), cmpopts.IgnoreFields(catalog.Service{}, "Full")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for filter, n := range map[string]int{
		"BookService": 5, "bookservice": 5, "test.BookService": 4, "TEST.bookservice": 4, "other.*": 1, "Book": 0, "Service": 0,
	} {
		if found := c.Search(catalog.Query{Service: filter}); len(found) != n {
			t.Errorf("%q finds %d, want %d", filter, len(found), n)
		}
	}
}

// crowd is a source of n services, each with one method more than the one before.
func crowd(t testing.TB, backend string, n int) catalog.Source {
	t.Helper()
	var text strings.Builder
	text.WriteString("syntax = \"proto3\"; package crowd.v1; message M {}\n")
	for i := range n {
		fmt.Fprintf(&text, "service GatheringNumber%dService {\n", i)
		for j := range i + 1 {
			fmt.Fprintf(&text, "rpc Do%d(M) returns (M);\n", j)
		}
		text.WriteString("}\n")
	}
	return catalog.Source{Backend: named(t, backend), Set: load(t, filesIn(writeProto(t, text.String())))}
}

// TestNoService: a filter that no service passes is answered with services that there are, and one that is not to blame with nothing.
func TestNoService(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{Search: true}, annotated(t, "a", shelves), crowd(t, "b", 10))
	for _, q := range []struct{ filter, backend, want string }{
		{"Shop", "a", `no service is called "Shop": there are BookService, Author, Reader`},
		{"test.*Shop", "a", `no service is called "test.*Shop": there are BookService, Author, Reader`},
		{"Author", "b", `no service is called "Author": there are GatheringNumber9Service, `},
		{"Shop", "", `GatheringNumber2Service and 5 more`},
		{"author", "a", ""},
		{"author", "", ""},
		{"", "", ""},
		{"*", "b", ""},
		{"Shop", "none", ""},
	} {
		if got := c.NoService(q.filter, q.backend); !strings.Contains(got, q.want) || (got == "") != (q.want == "") {
			t.Errorf("%q of %q: %q", q.filter, q.backend, got)
		}
	}
}

// TestInstructions: they tell what stands behind the three tools, within their bound, and the same each time.
func TestInstructions(t *testing.T) {
	t.Parallel()
	search := catalog.Options{Search: true}
	const head = "search_methods finds a method by what it does, describe_method gives its arguments, call_method calls it. There are "
	for _, c := range []struct {
		name    string
		opts    catalog.Options
		sources []catalog.Source
		want    string
	}{
		{"tools", catalog.Options{}, []catalog.Source{annotated(t, "a", shelves)}, ""},
		{"nothing", search, nil, ""},
		{"one backend", search, []catalog.Source{annotated(t, "a", shelves)}, head +
			"4 methods in these services:\n- BookService: 2\n- Author: 1\n- Reader: 1"},
		{
			"two", search,
			[]catalog.Source{annotated(t, "a", "message M {} service S { rpc Do(M) returns (M); }"), crowd(t, "b", 1)},
			head + "2 methods in these services:\n- GatheringNumber0Service (backend b): 1\n- S (backend a): 1",
		},
	} {
		if diff := cmp.Diff(c.want, compile(t, c.opts, c.sources...).Instructions()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	source := crowd(t, "b", 60)
	long := compile(t, search, source).Instructions()
	if len(long) > 1500 || len(long) < 1400 || !strings.Contains(long, "services:\n- GatheringNumber59Service: 60\n") ||
		long != compile(t, search, source).Instructions() {
		t.Errorf("%d bytes: %s", len(long), long)
	}
	listed, more, rest := strings.Count(long, "Service: "), 0, 0
	_, err := fmt.Sscanf(long[strings.LastIndex(long, "\n"):], "\n- %d services more: %d", &more, &rest)
	if err != nil || listed+more != 60 || rest != more*(more+1)/2 {
		t.Errorf("%d are listed, %d more with %d methods, error %v", listed, more, rest, err)
	}
}
