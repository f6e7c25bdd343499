package library_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
	"github.com/mcpgrpc/bridge/services/library"
)

// clock is what the servers of these tests take for now.
func clock() time.Time { return time.Date(2026, time.March, 1, 12, 0, 0, 5, time.UTC) }

// dial serves a library in memory and returns a client of it.
func dial(t *testing.T, opts ...library.Option) libraryv1.LibraryServiceClient {
	t.Helper()
	lis := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	library.New(append([]library.Option{library.WithClock(clock)}, opts...)...).Register(server)
	served := make(chan error, 1)
	go func() { served <- server.Serve(lis) }()
	conn, err := grpc.NewClient("passthrough:///memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		server.Stop()
		<-served
	})
	return libraryv1.NewLibraryServiceClient(conn)
}

// refusal is what a test expects of an error: its code, its details, and a part
// of its message.
type refusal struct {
	code    codes.Code
	message string
	details []proto.Message
}

func requireRefusal(t *testing.T, err error, want refusal) {
	t.Helper()
	st := status.Convert(err)
	if st.Code() != want.code || !strings.Contains(st.Message(), want.message) {
		t.Errorf("status = %v, want %v with %q", st, want.code, want.message)
	}
	var details []proto.Message
	for _, d := range st.Details() {
		details = append(details, d.(proto.Message))
	}
	if diff := cmp.Diff(want.details, details, protocmp.Transform()); want.details != nil && diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

func invalid(field, message string) refusal {
	return refusal{code: codes.InvalidArgument, message: field + ": " + message}
}

func missing(name string) refusal {
	return refusal{codes.NotFound, `book "` + name + `" does not exist`, []proto.Message{&errdetails.ResourceInfo{
		ResourceType: "library.example.com/Book",
		ResourceName: name,
		Description:  "call ListBooks for the names of the books that exist",
	}}}
}

func TestGetBook(t *testing.T) {
	t.Parallel()
	client := dial(t)
	got, err := client.GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "books/dune"})
	if err != nil {
		t.Fatal(err)
	}
	want := &libraryv1.Book{
		Name: "books/dune", Title: "Dune", Author: "Frank Herbert", Isbn: "9780441013593", PageCount: 412,
		Genre: libraryv1.Genre_GENRE_SCIENCE_FICTION, Available: true, CatalogNumber: 9007199254740993,
		PublishDate: "1965-08-01", Price: &libraryv1.Price{Currency: "EUR", Units: 12, Nanos: 500_000_000},
		Tags: []string{"desert", "politics"}, Labels: map[string]string{"shelf": "B-1"},
		CreateTime: timestamppb.New(time.Date(2026, time.January, 15, 9, 30, 0, 0, time.UTC)),
		UpdateTime: timestamppb.New(time.Date(2026, time.January, 15, 9, 30, 0, 0, time.UTC)),
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("book (-want +got):\n%s", diff)
	}
}

// TestRefusals calls every method wrongly in each way that its comment names.
func TestRefusals(t *testing.T) {
	t.Parallel()
	good := &libraryv1.Book{Title: "Emma", Author: "Jane Austen"}
	tests := map[string]struct {
		request proto.Message
		want    refusal
	}{
		"get: no name":             {&libraryv1.GetBookRequest{}, invalid("name", "does not match regex pattern")},
		"get: not a resource name": {&libraryv1.GetBookRequest{Name: "dune"}, invalid("name", "does not match regex pattern")},
		"get: unknown":             {&libraryv1.GetBookRequest{Name: "books/none"}, missing("books/none")},
		"list: page too large": {
			&libraryv1.ListBooksRequest{PageSize: 101}, invalid("page_size", "must be greater than or equal to 0 and less than or equal to 100"),
		},
		"list: order": {
			&libraryv1.ListBooksRequest{OrderBy: "isbn"}, invalid("order_by", `cannot order by "isbn"; write title, author,`),
		},
		"list: token":     {&libraryv1.ListBooksRequest{PageToken: "2"}, invalid("page_token", "not a token of this method")},
		"create: no book": {&libraryv1.CreateBookRequest{}, invalid("book", "value is required")},
		"create: no title": {
			&libraryv1.CreateBookRequest{Book: &libraryv1.Book{Author: "x"}}, invalid("book.title", "must be at least 1 characters"),
		},
		"create: id": {
			&libraryv1.CreateBookRequest{Book: good, BookId: "Emma!"}, invalid("book_id", "does not match regex pattern"),
		},
		"create: price": {
			&libraryv1.CreateBookRequest{Book: &libraryv1.Book{Title: "a", Author: "b", Price: &libraryv1.Price{Currency: "euro"}}},
			invalid("book.price.currency", "does not match regex pattern"),
		},
		"create: taken": {&libraryv1.CreateBookRequest{Book: good, BookId: "dune"}, refusal{
			codes.AlreadyExists, `book "books/dune" exists already`,
			[]proto.Message{&errdetails.ResourceInfo{
				ResourceType: "library.example.com/Book", ResourceName: "books/dune",
				Description: "choose another book_id, or leave it out to have one made from the title",
			}},
		}},
		"update: no name": {&libraryv1.UpdateBookRequest{Book: good}, refusal{code: codes.InvalidArgument, message: "book.name says which book"}},
		"update: no book": {&libraryv1.UpdateBookRequest{}, refusal{code: codes.InvalidArgument, message: "book.name says which book"}},
		"update: unknown": {&libraryv1.UpdateBookRequest{Book: &libraryv1.Book{Name: "books/none"}}, missing("books/none")},
		"delete: unknown": {&libraryv1.DeleteBookRequest{Name: "books/none"}, missing("books/none")},
		"delete: no name": {&libraryv1.DeleteBookRequest{}, invalid("name", "does not match regex pattern")},
	}
	client := dial(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRefusal(t, call(t.Context(), client, tt.request), tt.want)
		})
	}
}

// call makes the call that a request belongs to.
func call(ctx context.Context, client libraryv1.LibraryServiceClient, request proto.Message) (err error) {
	switch r := request.(type) {
	case *libraryv1.GetBookRequest:
		_, err = client.GetBook(ctx, r)
	case *libraryv1.ListBooksRequest:
		_, err = client.ListBooks(ctx, r)
	case *libraryv1.CreateBookRequest:
		_, err = client.CreateBook(ctx, r)
	case *libraryv1.UpdateBookRequest:
		_, err = client.UpdateBook(ctx, r)
	case *libraryv1.DeleteBookRequest:
		_, err = client.DeleteBook(ctx, r)
	}
	return err
}

func TestCreateBook(t *testing.T) {
	t.Parallel()
	now := timestamppb.New(clock())
	tests := map[string]struct {
		id, title, want string
	}{
		"with an id":              {"emma", "Emma", "books/emma"},
		"named by its title":      {"", "Émile, or On Education!", "books/mile-or-on-education"},
		"the title's id is taken": {"", "DUNE", "books/dune-2"},
		"nothing of the title":    {"", "Преступление и наказание", "books/book"},
		"a long title":            {"", strings.Repeat("long ", 40), "books/long-long-long-long-long-long-long-long-long-long"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := dial(t)
			got, err := client.CreateBook(t.Context(), &libraryv1.CreateBookRequest{BookId: tt.id, Book: &libraryv1.Book{
				Name: "ignored", Title: tt.title, Author: "A", CatalogNumber: 1<<63 - 1,
				CreateTime: &timestamppb.Timestamp{Seconds: 1},
			}})
			if err != nil {
				t.Fatal(err)
			}
			want := &libraryv1.Book{Name: tt.want, Title: tt.title, Author: "A", CatalogNumber: 1<<63 - 1, CreateTime: now, UpdateTime: now}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("book (-want +got):\n%s", diff)
			}
			stored, err := client.GetBook(t.Context(), &libraryv1.GetBookRequest{Name: tt.want})
			if diff := cmp.Diff(want, stored, protocmp.Transform()); err != nil || diff != "" {
				t.Errorf("stored book, %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestDeleteBookTwice(t *testing.T) {
	t.Parallel()
	client := dial(t)
	req := &libraryv1.DeleteBookRequest{Name: "books/dune"}
	if _, err := client.DeleteBook(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	_, err := client.DeleteBook(t.Context(), req)
	requireRefusal(t, err, missing("books/dune"))
}

func TestLibraryIsBounded(t *testing.T) {
	t.Parallel()
	books := make([]*libraryv1.Book, 10_000)
	for i := range books {
		books[i] = &libraryv1.Book{Name: "books/" + strings.Repeat("a", i%60+1) + "-" + time.Duration(i).String()}
	}
	client := dial(t, library.WithBooks(books...))
	_, err := client.CreateBook(t.Context(), &libraryv1.CreateBookRequest{Book: &libraryv1.Book{Title: "a", Author: "b"}})
	requireRefusal(t, err, refusal{codes.ResourceExhausted, "the library is full, it holds 10000 books", []proto.Message{
		&errdetails.QuotaFailure{
			Violations: []*errdetails.QuotaFailure_Violation{{Subject: "library", Description: "delete books to make room"}},
		},
	}})
}

// TestConcurrentUse is for the race detector: all methods at once, on one book.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	client := dial(t)
	requests := []proto.Message{
		&libraryv1.GetBookRequest{Name: "books/dune"},
		&libraryv1.ListBooksRequest{Filter: "available=true", OrderBy: "title"},
		&libraryv1.CreateBookRequest{Book: &libraryv1.Book{Title: "Dune", Author: "b"}},
		&libraryv1.UpdateBookRequest{Book: &libraryv1.Book{Name: "books/dune", PageCount: 3, Tags: []string{"new"}}},
		&libraryv1.DeleteBookRequest{Name: "books/beloved"},
	}
	var wg sync.WaitGroup
	for range 8 {
		for _, request := range requests {
			wg.Go(func() {
				err := call(t.Context(), client, request)
				if code := status.Code(err); code != codes.OK && code != codes.NotFound {
					t.Errorf("%T: %v", request, err)
				}
			})
		}
	}
	wg.Wait()
}

// TestAnswersAreCopies calls the server without gRPC in between, as an embedder
// can: what it returns and what it was given are not what it holds.
func TestAnswersAreCopies(t *testing.T) {
	t.Parallel()
	server := library.New()
	book, err := server.GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "books/dune"})
	if err != nil {
		t.Fatal(err)
	}
	book.Title = "changed"
	page, err := server.ListBooks(t.Context(), &libraryv1.ListBooksRequest{Filter: "title=Dune"})
	if err != nil || len(page.GetBooks()) != 1 {
		t.Fatalf("page = %v, %v", page, err)
	}
	page.GetBooks()[0].Title = "changed"
	again, err := server.GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "books/dune"})
	if err != nil || again.GetTitle() != "Dune" {
		t.Errorf("title = %q, %v, want the stored book unchanged", again.GetTitle(), err)
	}
}
