package library

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
)

// firstCatalogNumber is the least positive integer that a float64 cannot hold.
const firstCatalogNumber = 1<<53 + 1

// seed returns the books that a server starts with, the same each time. Of a
// book only what makes it one is told here; numbers and times follow its place.
func seed() []*libraryv1.Book {
	books := []*libraryv1.Book{
		{
			Name: "books/dune", Title: "Dune", Author: "Frank Herbert", Isbn: "9780441013593", PageCount: 412,
			Genre: libraryv1.Genre_GENRE_SCIENCE_FICTION, Available: true, PublishDate: "1965-08-01", Price: euros(12, 50),
			Tags: []string{"desert", "politics"},
		},
		{
			Name: "books/dune-messiah", Title: "Dune Messiah", Author: "Frank Herbert", Isbn: "9780593098233", PageCount: 256,
			Genre: libraryv1.Genre_GENRE_SCIENCE_FICTION, PublishDate: "1969-10-15", Price: euros(11, 0), Tags: []string{"desert", "prophecy"},
		},
		{
			Name: "books/the-left-hand-of-darkness", Title: "The Left Hand of Darkness", Author: "Ursula K. Le Guin", Isbn: "9780441478125",
			PageCount: 304, Genre: libraryv1.Genre_GENRE_SCIENCE_FICTION, Available: true, PublishDate: "1969-03-01", Price: euros(10, 99),
			Tags: []string{"winter", "society"},
		},
		{
			Name: "books/a-wizard-of-earthsea", Title: "A Wizard of Earthsea", Author: "Ursula K. Le Guin", PageCount: 183,
			Genre: libraryv1.Genre_GENRE_CHILDREN, Available: true, PublishDate: "1968-11-01", Tags: []string{"islands", "magic"},
		},
		{
			Name: "books/middlemarch", Title: "Middlemarch", Author: "George Eliot", Isbn: "9780141439549", PageCount: 880,
			Genre: libraryv1.Genre_GENRE_FICTION, Available: true, PublishDate: "1871-12-01", Price: euros(9, 99),
			Tags: []string{"society", "marriage"},
		},
		{
			Name: "books/beloved", Title: "Beloved", Author: "Toni Morrison", Isbn: "9781400033416", PageCount: 324,
			Genre: libraryv1.Genre_GENRE_FICTION, PublishDate: "1987-09-16", Price: euros(13, 95), Tags: []string{"memory"},
		},
		{
			Name: "books/things-fall-apart", Title: "Things Fall Apart", Author: "Chinua Achebe", Isbn: "9780385474542", PageCount: 209,
			Genre: libraryv1.Genre_GENRE_FICTION, Available: true, PublishDate: "1958-06-17", Price: euros(12, 0), Tags: []string{"society"},
		},
		{
			Name: "books/on-the-origin-of-species", Title: "On the Origin of Species", Author: "Charles Darwin", PageCount: 502,
			Genre: libraryv1.Genre_GENRE_SCIENCE, Available: true, PublishDate: "1859-11-24", Tags: []string{"biology", "evolution"},
		},
		{
			Name: "books/silent-spring", Title: "Silent Spring", Author: "Rachel Carson", Isbn: "9780618249060", PageCount: 400,
			Genre: libraryv1.Genre_GENRE_SCIENCE, PublishDate: "1962-09-27", Price: euros(14, 99), Tags: []string{"ecology"},
		},
		{
			Name: "books/the-guns-of-august", Title: "The Guns of August", Author: "Barbara W. Tuchman", Isbn: "9780345476098", PageCount: 606,
			Genre: libraryv1.Genre_GENRE_HISTORY, Available: true, PublishDate: "1962-01-01", Price: euros(18, 0), Tags: []string{"war"},
		},
		{
			Name: "books/leaves-of-grass", Title: "Leaves of Grass", Author: "Walt Whitman", PageCount: 624, Genre: libraryv1.Genre_GENRE_POETRY,
			Available: true, PublishDate: "1855-07-04", Tags: []string{"nature"},
		},
		{
			Name: "books/ficciones", Title: "Ficciones", Author: "Jorge Luis Borges", Isbn: "9780802130303", PageCount: 174,
			Genre: libraryv1.Genre_GENRE_FICTION, Available: true, PublishDate: "1944-01-01", Price: euros(15, 0),
			Tags: []string{"labyrinths", "mirrors"},
		},
	}
	created := time.Date(2026, time.January, 15, 9, 30, 0, 0, time.UTC)
	for i, book := range books {
		book.CatalogNumber = firstCatalogNumber + int64(i)
		book.Labels = map[string]string{"shelf": "B-" + string(rune('1'+i%3))}
		book.CreateTime = timestamppb.New(created.Add(time.Duration(i) * time.Minute))
		book.UpdateTime = book.GetCreateTime()
	}
	return books
}

func euros(units int64, cents int32) *libraryv1.Price {
	return &libraryv1.Price{Currency: "EUR", Units: units, Nanos: cents * 10_000_000}
}
