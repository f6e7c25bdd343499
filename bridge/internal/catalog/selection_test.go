package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

func TestSelection(t *testing.T) {
	t.Parallel()
	const all = "admin_reset library_chat library_delete_book library_get_book library_import_books " +
		"library_list_books library_now library_update_book library_wait library_watch_books"
	for _, c := range []struct{ name, expose, hide, want string }{
		{"everything", "", "", all},
		{"one method", "library.v1.LibraryService.GetBook", "", "library_get_book"},
		{"one service", "library.v1.AdminService.*", "", "admin_reset"},
		{"star matches dots", "library*", "", all},
		{"star in the middle", "library.*.GetBook", "", "library_get_book"},
		{"two patterns", "*.GetBook *.Now", "", "library_get_book library_now"},
		{"one character", "*.Get????", "", "library_get_book"},
		{"one character, no more", "*.Get???", "", ""},
		{"star matches nothing too", "*library.v1.LibraryService.Now*", "", "library_now"},
		{
			"hide", "", "*.DeleteBook *Admin*",
			"library_chat library_get_book library_import_books library_list_books library_now library_update_book library_wait library_watch_books",
		},
		{"hide wins", "*Book", "*.Delete*", "library_get_book library_update_book"},
		{"hide all", "", "*", ""},
		{"a star is not explicit", "*", "", all},
		{"infrastructure by name", "grpc.health.*", "", "health_check"},
		{"infrastructure beside others", "* grpc.health.*", "*Service*", "health_check"},
		{"infrastructure hidden", "grpc.*", "grpc.*", ""},
		{"letter case counts", "*.getbook", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := library(t, "infrastructure.proto")
			source.Expose, source.Hide = strings.Fields(c.expose), strings.Fields(c.hide)
			got := names(compile(t, catalog.Options{}, source))
			if diff := cmp.Diff(strings.Fields(c.want), got, cmpEmpty); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReasonsOfSelection(t *testing.T) {
	t.Parallel()
	source := library(t)
	source.Expose, source.Hide = []string{"*Book", "library.v1.LibraryService"}, []string{"*.Delete*", "*.Drop*"}
	got := map[string]string{}
	for _, o := range compile(t, catalog.Options{}, source).Omitted() {
		got[o.Method] = o.Reason
	}
	const unused = " pattern matches no method; it is held against full names, as in library.v1.LibraryService.GetBook"
	for method, want := range map[string]string{
		"library.v1.LibraryService.DeleteBook": `hidden by the pattern "*.Delete*"`,
		"library.v1.LibraryService.Now":        "not exposed: no expose pattern matches it",
		"library.v1.LibraryService":            "this expose" + unused,
		"*.Drop*":                              "this hide" + unused,
		"library.v1.LibraryService.GetBook":    "",
	} {
		if got[method] != want {
			t.Errorf("%s: %q, want %q", method, got[method], want)
		}
	}
}

func TestWrongSources(t *testing.T) {
	t.Parallel()
	good := library(t)
	with := func(pattern string) catalog.Source {
		s := good
		s.Hide = []string{pattern}
		return s
	}
	for _, c := range []struct {
		name    string
		sources []catalog.Source
		want    []string
	}{
		{
			"class",
			[]catalog.Source{with("*.[GS]et")},
			[]string{`backend "library"`, `"*.[GS]et"`, `a '['`, "* for any run of characters and ? for one"},
		},
		{"open class", []catalog.Source{with("*.Get[")}, []string{`"*.Get["`, `a '['`}},
		{"escape", []catalog.Source{with(`\*`)}, []string{`"\\*"`, `a '\\'`}},
		{"space", []catalog.Source{with("a b")}, []string{`"a b"`, `a ' '`}},
		{"other letters", []catalog.Source{with("*.Größe")}, []string{`"*.Größe"`, `a 'ö'`}},
		{"no text", []catalog.Source{with("a\xff")}, []string{`"a\xff"`}},
		{"empty", []catalog.Source{with("")}, []string{`""`, "write *"}},
		{"slash", []catalog.Source{with("library.v1.LibraryService/GetBook")}, []string{"has a slash", "library.v1.LibraryService/GetBook"}},
		{"one name twice", []catalog.Source{good, good}, []string{`two backends are called "library"`}},
		{"no backend", []catalog.Source{{Set: good.Set}}, []string{"source 1 of 1"}},
		{"no descriptors", []catalog.Source{good, {Backend: named(t, "x")}}, []string{"source 2 of 2"}},
		{"all at once", []catalog.Source{with("["), {}}, []string{`"["`, "source 2 of 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := catalog.Compile(c.sources, catalog.Options{})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}
