package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/search"
)

// library is a small API.
var library = []search.Document{
	{
		Name: "library_create_book", Method: "library.v1.LibraryService.CreateBook", Title: "Create book",
		Description: "Creates a book. The author has to be there already.", Arguments: []string{"title", "author"},
		Texts: []string{"What stands on the cover."},
	},
	{
		Name: "library_delete_book", Method: "library.v1.LibraryService.DeleteBook", Title: "Delete book",
		Description: "Deletes a book for good.", Arguments: []string{"name"},
	},
	{
		Name: "library_get_book", Method: "library.v1.LibraryService.GetBook", Title: "Get book",
		Description: "Gets one book.", Arguments: []string{"name"}, Results: []string{"title", "barcode"},
	},
	{
		Name: "library_list_books", Method: "library.v1.LibraryService.ListBooks", Title: "List books",
		Description: "Lists the books, page by page.", Arguments: []string{"page_size", "author"},
	},
	{
		Name: "library_list_author_books", Method: "library.v1.LibraryService.ListAuthorBooks", Title: "List author books",
		Description: "Lists what one author has written.", Arguments: []string{"author"},
	},
	{
		Name: "members_suspend_membership", Method: "library.v1.Members.SuspendMembership", Title: "Suspend membership",
		Description: "Suspends a membership until it is resumed.", Service: "Looks after the readers of the library.",
	},
	{
		Name: "archive_get_book", Method: "archive.v1.Archive.GetBook", Description: "Gets a book that is no longer lent.",
		Texts: []string{"Shelfmark in the stacks."},
	},
}

func TestSearch(t *testing.T) {
	t.Parallel()
	x := search.New(library)
	for _, c := range []struct{ what, query, first string }{
		{"own words", "create a book", "library_create_book"},
		{"another form", "deleting books", "library_delete_book"},
		{"synonym", "remove a book", "library_delete_book"},
		{"phrase", "throw away a book", "library_delete_book"},
		{"more words in the name than asked for", "show all books", "library_list_books"},
		{"all the words of a longer name", "books of an author", "library_list_author_books"},
		{"slip", "suspnd the membership", "members_suspend_membership"},
		{"beginning of a word", "member susp", "members_suspend_membership"},
		{"one word where there are two", "listbooks", "library_list_books"},
		{"identifier of another convention", "listAuthorBooks", "library_list_author_books"},
		{"text of an argument", "shelfmark", "archive_get_book"},
		{"result", "barcode", "library_get_book"},
		{"service", "readers", "members_suspend_membership"},
		{"name of the tool", "archive_get_book", "archive_get_book"},
		{"name of the tool in capitals", " Library_Get_Book ", "library_get_book"},
		{"full name", "archive.v1.Archive.GetBook", "archive_get_book"},
		{"path", "/archive.v1.Archive/GetBook", "archive_get_book"},
		{"nothing but stop words", "the will of you", "none"},
		{"nothing that there is", "weather forecast", "none"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			if got := names(x.Search(c.query, nil)); got[0] != c.first {
				t.Errorf("%q finds %q, want %s first", c.query, got, c.first)
			}
		})
	}
}

// names are those of the documents of the library at some places; "none" for no place.
func names(places []int) []string {
	if len(places) == 0 {
		return []string{"none"}
	}
	list := make([]string, len(places))
	for i, place := range places {
		list[i] = library[place].Name
	}
	return list
}

func TestKeep(t *testing.T) {
	t.Parallel()
	x := search.New(library)
	keep := func(i int) bool { return strings.HasPrefix(library[i].Name, "archive") }
	for _, query := range []string{"", "?", "book", "gets", "archive_get_book", "get a book"} {
		if got := names(x.Search(query, keep)); !slices.Equal(got, []string{"archive_get_book"}) {
			t.Errorf("%q finds %q", query, got)
		}
	}
	if got := names(x.Search("library_get_book", keep)); slices.Contains(got, "library_get_book") {
		t.Errorf("a name finds what is not kept: %q", got)
	}
}

// TestNoWords: a query without words finds everything, in order, and an index of nothing finds nothing.
func TestNoWords(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", " ", "?!", "\xff"} {
		if got := search.New(library).Search(query, nil); len(got) != len(library) || !slices.IsSorted(got) {
			t.Errorf("%q finds %v", query, got)
		}
	}
	for _, query := range []string{"", "book", "library_get_book"} {
		if got := search.New(nil).Search(query, nil); len(got) != 0 {
			t.Errorf("an empty index finds %v", got)
		}
	}
}

// TestTies: equal documents come in their order, and two indexes of the same documents agree.
func TestTies(t *testing.T) {
	t.Parallel()
	var documents []search.Document
	for range 50 {
		documents = append(documents, library[:4]...)
	}
	first, second := search.New(documents), search.New(documents)
	for _, query := range []string{"delete", "book", "list the books of an author", "bok", "lib"} {
		got := first.Search(query, nil)
		if !slices.Equal(got, second.Search(query, nil)) {
			t.Errorf("%q: two indexes of the same documents differ", query)
		}
		place := map[int]int{}
		for _, i := range got {
			if last, ok := place[i%4]; ok && last > i {
				t.Errorf("%q: %d comes before %d, its equal", query, last, i)
			}
			place[i%4] = i
		}
	}
}

// TestHostileQueries: no query takes the index apart, however long or broken.
func TestHostileQueries(t *testing.T) {
	t.Parallel()
	x := search.New(library)
	for _, query := range []string{
		strings.Repeat("book ", 1<<18), strings.Repeat("b", 1<<20), strings.Repeat("\xff", 5000), strings.Repeat("日本", 5000),
		"book\x00\x01", strings.Repeat("ab cd ", 400) + "book",
	} {
		x.Search(query, nil)
	}
	if got := names(x.Search("delete book "+strings.Repeat("x", 1<<20), nil)); got[0] != "library_delete_book" {
		t.Errorf("with a long tail, the first is %s", got[0])
	}
}

func FuzzSearch(f *testing.F) {
	x := search.New(library)
	for _, query := range []string{"", "book", "listbooks", "susp", "/a/b", "日本 book", "\xff\xfe book"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		seen := map[int]bool{}
		for _, i := range x.Search(query, nil) {
			if i < 0 || i >= len(library) || seen[i] {
				t.Fatalf("%q finds %d", query, i)
			}
			seen[i] = true
		}
	})
}

// synthetic makes documents of n methods with words as often as a language has them, the same ones every time.
func synthetic(n int) []search.Document {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("word%d", int(float64(4000)*r.Float64()*r.Float64()*r.Float64())) }
	sentence := func(length int) string {
		list := make([]string, length)
		for i := range list {
			list[i] = word()
		}
		return strings.Join(list, " ") + "."
	}
	documents := make([]search.Document, n)
	verbs := []string{"get", "list", "create", "update", "delete"}
	for i := range documents {
		verb, noun := verbs[i%len(verbs)], word()
		documents[i] = search.Document{
			Name: fmt.Sprintf("service%d_%s_%s", i/20, verb, noun), Method: fmt.Sprintf("api.v1.Service%d.%s%s", i/20, verb, noun),
			Description: verb + "s a " + noun + ". " + sentence(30), Arguments: strings.Fields(sentence(12)), Texts: []string{sentence(60)},
		}
	}
	return documents
}

// TestThousands: among thousands of methods the one that is named is first, and so is the only one that has a word.
func TestThousands(t *testing.T) {
	t.Parallel()
	documents := synthetic(3000)
	documents[1234].Description = "Polishes the candlestick."
	x := search.New(documents)
	for _, query := range []string{documents[1234].Name, documents[1234].Method, "polish candlesticks", "candelstick"} {
		started := time.Now()
		got := x.Search(query, nil)
		t.Logf("%q: %d hits in %v", query, len(got), time.Since(started))
		if len(got) == 0 || got[0] != 1234 {
			t.Errorf("%q does not find it first", query)
		}
	}
}

// BenchmarkSearch asks with common words, with a word that has to be guessed and by name.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{3000, 30000} {
		x := search.New(synthetic(n))
		for name, query := range map[string]string{
			"common": "get or list all the word1 of a word2 with word3", "slip": "lsit wrod77 dleete", "name": "service7_get_word1", "all": "",
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					x.Search(query, nil)
				}
			})
		}
	}
}

// BenchmarkNew indexes.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{3000, 30000} {
		documents := synthetic(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				search.New(documents)
			}
		})
	}
}
