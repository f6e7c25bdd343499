package library_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
	"github.com/mcpgrpc/bridge/services/library"
)

func mask(paths ...string) *fieldmaskpb.FieldMask { return &fieldmaskpb.FieldMask{Paths: paths} }

func TestUpdateBook(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		book *libraryv1.Book
		mask *fieldmaskpb.FieldMask
		edit func(*libraryv1.Book) // from the stored book to the wanted one
	}{
		"without a mask, what is set": {
			&libraryv1.Book{PageCount: 5, Tags: []string{"x"}}, nil,
			func(b *libraryv1.Book) { b.PageCount, b.Tags = 5, []string{"x"} },
		},
		"only what the mask names": {
			&libraryv1.Book{PageCount: 5, Title: "not this"}, mask("page_count"),
			func(b *libraryv1.Book) { b.PageCount = 5 },
		},
		"named and not set is cleared": {
			&libraryv1.Book{}, mask("available", "price", "labels"),
			func(b *libraryv1.Book) { b.Available, b.Price, b.Labels = false, nil, nil },
		},
		"within a message": {
			&libraryv1.Book{Price: &libraryv1.Price{Units: 7, Currency: "USD"}}, mask("price.units"),
			func(b *libraryv1.Book) { b.Price.Units = 7 },
		},
		"cleared within a message": {
			&libraryv1.Book{}, mask("price.nanos"),
			func(b *libraryv1.Book) { b.Price.Nanos = 0 },
		},
		"all": {
			&libraryv1.Book{Title: "T", Author: "A"}, mask("*"),
			func(b *libraryv1.Book) {
				proto.Reset(b)
				b.Title, b.Author = "T", "A"
			},
		},
		"fixed fields are passed over": {
			&libraryv1.Book{CreateTime: &timestamppb.Timestamp{Seconds: 1}, PageCount: 5}, mask("name", "create_time", "update_time", "page_count"),
			func(b *libraryv1.Book) { b.PageCount = 5 },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := dial(t)
			stored, err := client.GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "books/dune"})
			if err != nil {
				t.Fatal(err)
			}
			want := proto.CloneOf(stored)
			tt.edit(want)
			want.Name, want.CreateTime, want.UpdateTime = stored.GetName(), stored.GetCreateTime(), timestamppb.New(clock())
			tt.book.Name = "books/dune"
			got, err := client.UpdateBook(t.Context(), &libraryv1.UpdateBookRequest{Book: tt.book, UpdateMask: tt.mask})
			if diff := cmp.Diff(want, got, protocmp.Transform()); err != nil || diff != "" {
				t.Errorf("book, %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestUpdateBookRefusals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		book *libraryv1.Book
		mask *fieldmaskpb.FieldMask
		want refusal
	}{
		"unknown field": {
			&libraryv1.Book{}, mask("pages"),
			invalid("update_mask", `a book has no field "pages"; its fields are title, author, isbn, page_count,`),
		},
		"unknown inner field":   {&libraryv1.Book{}, mask("price.cents"), invalid("update_mask", `a book has no field "price.cents"`)},
		"into a map":            {&libraryv1.Book{}, mask("labels.shelf"), invalid("update_mask", `a book has no field "labels.shelf"`)},
		"into a scalar":         {&libraryv1.Book{}, mask("title.x"), invalid("update_mask", `a book has no field "title.x"`)},
		"all and one":           {&libraryv1.Book{}, mask("*", "title"), invalid("update_mask", `"*" stands alone`)},
		"an empty path":         {&libraryv1.Book{}, mask(""), invalid("update_mask", `a book has no field ""`)},
		"clears what is needed": {&libraryv1.Book{}, mask("title"), invalid("book.title", "must be at least 1 characters")},
		"breaks a rule":         {&libraryv1.Book{PageCount: -1}, nil, invalid("book.page_count", "must be greater than or equal to 0")},
		"a rule by all":         {&libraryv1.Book{Title: "T"}, mask("*"), invalid("book.author", "must be at least 1 characters")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := library.New()
			before, err := server.GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "books/dune"})
			if err != nil {
				t.Fatal(err)
			}
			tt.book.Name = "books/dune"
			_, err = server.UpdateBook(t.Context(), &libraryv1.UpdateBookRequest{Book: tt.book, UpdateMask: tt.mask})
			requireRefusal(t, err, tt.want)
			after, err := server.GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "books/dune"})
			if diff := cmp.Diff(before, after, protocmp.Transform()); err != nil || diff != "" {
				t.Errorf("a refused update changed the book, %v:\n%s", err, diff)
			}
		})
	}
}

// TestUpdateIsTheMask updates with any mask over any values: named fields are as
// sent, the others as stored.
func TestUpdateIsTheMask(t *testing.T) {
	t.Parallel()
	fields := []string{
		"title", "author", "isbn", "page_count", "genre", "available", "catalog_number", "publish_date", "price", "tags", "labels",
	}
	rapid.Check(t, func(t *rapid.T) {
		server := library.New()
		stored, err := server.GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "books/dune"})
		if err != nil {
			t.Fatal(err)
		}
		sent, err := server.GetBook(t.Context(), &libraryv1.GetBookRequest{
			Name: rapid.SampledFrom([]string{"books/beloved", "books/leaves-of-grass", "books/middlemarch"}).Draw(t, "from"),
		})
		if err != nil {
			t.Fatal(err)
		}
		sent.Name = "books/dune"
		paths := rapid.SliceOfNDistinct(rapid.SampledFrom(fields), 1, len(fields), rapid.ID).Draw(t, "mask")
		got, err := server.UpdateBook(t.Context(), &libraryv1.UpdateBookRequest{Book: sent, UpdateMask: mask(paths...)})
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, path := range paths {
			named[path] = true
		}
		for _, field := range fields {
			fd := stored.ProtoReflect().Descriptor().Fields().ByTextName(field)
			want := stored
			if named[field] {
				want = sent
			}
			if !want.ProtoReflect().Get(fd).Equal(got.ProtoReflect().Get(fd)) {
				t.Errorf("%s = %v, want %v", field, got.ProtoReflect().Get(fd), want.ProtoReflect().Get(fd))
			}
		}
	})
}
