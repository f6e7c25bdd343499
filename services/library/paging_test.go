package library_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
	"github.com/mcpgrpc/bridge/services/library"
)

// names returns the ids of the books of a page.
func names(page *libraryv1.ListBooksResponse) []string {
	ids := []string{}
	for _, book := range page.GetBooks() {
		ids = append(ids, strings.TrimPrefix(book.GetName(), "books/"))
	}
	return ids
}

func TestFilter(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		filter string
		want   []string
	}{
		"equal, any case":        {`author="frank HERBERT"`, []string{"dune", "dune-messiah"}},
		"two conditions":         {`author="Frank Herbert" AND available=true`, []string{"dune"}},
		"contains":               {`title:"of the" `, []string{}},
		"contains, any case":     {`title:DARK`, []string{"the-left-hand-of-darkness"}},
		"genre":                  {`genre=GENRE_SCIENCE AND available=false`, []string{"silent-spring"}},
		"one of the tags":        {`tags=society AND genre = "GENRE_FICTION"`, []string{"middlemarch", "things-fall-apart"}},
		"part of a tag":          {`tags:labyrinth`, []string{"ficciones"}},
		"isbn as a word":         {`isbn=9780441013593`, []string{"dune"}},
		"an empty text":          {`isbn="" AND genre=GENRE_SCIENCE`, []string{"on-the-origin-of-species"}},
		"quotes within":          {`title="say \"no\""`, []string{}},
		"only spaces is no rule": {`   `, nil},
	}
	server := library.New()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := server.ListBooks(t.Context(), &libraryv1.ListBooksRequest{Filter: tt.filter})
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == nil && page.GetTotalSize() == 12 {
				return
			}
			if diff := cmp.Diff(tt.want, names(page)); diff != "" || int(page.GetTotalSize()) != len(tt.want) {
				t.Errorf("total %d, books (-want +got):\n%s", page.GetTotalSize(), diff)
			}
		})
	}
}

func TestFilterFaults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ filter, want string }{
		"unknown field": {
			`titel=Dune`, `at character 1: unknown field "titel"; the fields are title, author, isbn, tags, genre and available`,
		},
		"no operator":       {`title Dune`, `at character 7: write = (equal) or : (contains) after the field`},
		"other operator":    {`title<Dune`, `at character 6: write = (equal)`},
		"no value":          {`title=`, `at character 7: a value is missing`},
		"open quote":        {`title="Dune`, `at character 7: the text in double quotes does not end`},
		"wrong escape":      {`title="a\q"`, `at character 7: the text in double quotes`},
		"no AND":            {`title=Dune author=x`, `at character 12: join conditions with AND`},
		"OR":                {`title=Dune OR title=x`, `at character 12: join conditions with AND`},
		"ends with AND":     {`title=Dune AND `, `at character 16: unknown field ""`},
		"contains a genre":  {`genre:GENRE_FICTION`, `at character 7: genre is compared with =`},
		"unknown genre":     {`genre=FICTION`, `at character 7: unknown genre "FICTION"; write for example genre=GENRE_FICTION`},
		"available is text": {`available=yes`, `at character 11: available is true or false, not "yes"`},
		"only a sign":       {`=`, `at character 1: unknown field ""`},
	}
	server := library.New()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := server.ListBooks(t.Context(), &libraryv1.ListBooksRequest{Filter: tt.filter})
			requireRefusal(t, err, invalid("filter", tt.want))
		})
	}
}

// TestFilterAcceptsOrExplains sends what nobody would write: it is read, or it is
// an argument error with a place.
func TestFilterAcceptsOrExplains(t *testing.T) {
	t.Parallel()
	server := library.New()
	parts := rapid.SampledFrom([]string{
		"title", "genre", "available", "tags", "=", ":", " ", "AND", `"`, `\`, "true", "é", "GENRE_FICTION", "\t",
	})
	rapid.Check(t, func(t *rapid.T) {
		filter := strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(t, "filter"), "")
		_, err := server.ListBooks(t.Context(), &libraryv1.ListBooksRequest{Filter: filter})
		if err != nil && (status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "at character")) {
			t.Errorf("filter %q: %v", filter, err)
		}
	})
}

func TestOrder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		orderBy string
		first   []string
	}{
		"by name":           {"", []string{"a-wizard-of-earthsea", "beloved", "dune"}},
		"title":             {"title", []string{"a-wizard-of-earthsea", "beloved", "dune"}},
		"title, descending": {"title desc", []string{"things-fall-apart", "the-left-hand-of-darkness", "the-guns-of-august"}},
		"author":            {"author", []string{"the-guns-of-august", "on-the-origin-of-species", "things-fall-apart"}},
		"pages, as numbers": {"page_count", []string{"ficciones", "a-wizard-of-earthsea", "things-fall-apart"}},
		"newest":            {"publish_date desc", []string{"beloved", "dune-messiah", "the-left-hand-of-darkness"}},
		"spaces around":     {" page_count  desc ", []string{"middlemarch", "leaves-of-grass", "the-guns-of-august"}},
	}
	server := library.New()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := server.ListBooks(t.Context(), &libraryv1.ListBooksRequest{OrderBy: tt.orderBy, PageSize: 3})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.first, names(page)); diff != "" {
				t.Errorf("books (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPagesAreTheWhole walks all pages, of any size, in any order: together they
// are one page with everything, each page but the last is full, and every page
// knows the total.
func TestPagesAreTheWhole(t *testing.T) {
	t.Parallel()
	server := library.New()
	rapid.Check(t, func(t *rapid.T) {
		req := &libraryv1.ListBooksRequest{
			OrderBy: rapid.SampledFrom([]string{"", "title", "author desc", "page_count", "publish_date desc"}).Draw(t, "order"),
			Filter:  rapid.SampledFrom([]string{"", "available=true", "genre=GENRE_FICTION", "author=nobody"}).Draw(t, "filter"),
		}
		whole, err := server.ListBooks(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		req.PageSize = rapid.Int32Range(1, 13).Draw(t, "size")
		var got []string
		for {
			page, err := server.ListBooks(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, names(page)...)
			if page.GetTotalSize() != whole.GetTotalSize() {
				t.Fatalf("total = %d, want %d", page.GetTotalSize(), whole.GetTotalSize())
			}
			if req.PageToken = page.GetNextPageToken(); req.GetPageToken() == "" {
				break
			}
			if len(page.GetBooks()) != int(req.GetPageSize()) {
				t.Fatalf("page of %d books before the last, want %d", len(page.GetBooks()), req.GetPageSize())
			}
		}
		if want := names(whole); !slices.Equal(want, got) {
			t.Errorf("pages = %v, want %v", got, want)
		}
	})
}

// TestPagesSurviveChanges deletes the book that a token stands for and adds one
// on a page that was read: neither repeats or hides a book.
func TestPagesSurviveChanges(t *testing.T) {
	t.Parallel()
	server := library.New()
	first, err := server.ListBooks(t.Context(), &libraryv1.ListBooksRequest{PageSize: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.DeleteBook(t.Context(), &libraryv1.DeleteBookRequest{Name: "books/dune"}); err != nil {
		t.Fatal(err)
	}
	if _, err := server.CreateBook(t.Context(), &libraryv1.CreateBookRequest{Book: &libraryv1.Book{Title: "Aaa", Author: "b"}}); err != nil {
		t.Fatal(err)
	}
	second, err := server.ListBooks(t.Context(), &libraryv1.ListBooksRequest{PageSize: 3, PageToken: first.GetNextPageToken()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"dune-messiah", "ficciones", "leaves-of-grass"}, names(second)); diff != "" {
		t.Errorf("second page (-want +got):\n%s", diff)
	}
}

func TestTokenIsForItsQuery(t *testing.T) {
	t.Parallel()
	server := library.New()
	first, err := server.ListBooks(t.Context(), &libraryv1.ListBooksRequest{PageSize: 1, Filter: "available=true"})
	if err != nil {
		t.Fatal(err)
	}
	token := first.GetNextPageToken()
	tests := map[string]struct {
		req  *libraryv1.ListBooksRequest
		want string
	}{
		"another filter": {&libraryv1.ListBooksRequest{PageToken: token}, "made for another filter or order_by"},
		"another order": {
			&libraryv1.ListBooksRequest{PageToken: token, Filter: "available=true", OrderBy: "title"}, "made for another filter or order_by",
		},
		"cut":            {&libraryv1.ListBooksRequest{PageToken: token[:4], Filter: "available=true"}, "not a token of this method"},
		"without a name": {&libraryv1.ListBooksRequest{PageToken: token[:12], Filter: "available=true"}, "not a token of this method"},
		"not base64":     {&libraryv1.ListBooksRequest{PageToken: token + "!", Filter: "available=true"}, "not a token of this method"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := server.ListBooks(t.Context(), tt.req)
			requireRefusal(t, err, invalid("page_token", tt.want))
		})
	}
}

// TestLongTitlesHaveTokens orders by the longest title that a book can have.
func TestLongTitlesHaveTokens(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\U0001F4DA", 200)
	server := library.New(library.WithBooks(
		&libraryv1.Book{Name: "books/a", Title: long}, &libraryv1.Book{Name: "books/b", Title: long}))
	req := &libraryv1.ListBooksRequest{OrderBy: "title", PageSize: 1}
	first, err := server.ListBooks(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.PageToken = first.GetNextPageToken()
	second, err := server.ListBooks(t.Context(), req)
	if err != nil || !slices.Equal(names(second), []string{"b"}) {
		t.Errorf("second page = %v, %v", second, err)
	}
}
