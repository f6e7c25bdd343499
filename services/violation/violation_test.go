package violation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	good := &libraryv1.Book{Title: "Dune", Author: "Frank Herbert"}
	tests := map[string]struct {
		prefix  string
		message proto.Message
		want    []*errdetails.BadRequest_FieldViolation
	}{
		"nothing wrong": {message: good},
		"one field": {
			message: &libraryv1.ListBooksRequest{PageSize: 101},
			want: []*errdetails.BadRequest_FieldViolation{
				{Field: "page_size", Description: "must be greater than or equal to 0 and less than or equal to 100", Reason: "INT32_GTE_LTE"},
			},
		},
		"every fault at once, below a prefix": {
			prefix:  "book",
			message: &libraryv1.Book{Title: "Dune", PageCount: -1, Tags: []string{"a", ""}},
			want: []*errdetails.BadRequest_FieldViolation{
				{Field: "book.author", Description: "must be at least 1 characters", Reason: "STRING_MIN_LEN"},
				{Field: "book.page_count", Description: "must be greater than or equal to 0 and less than or equal to 20000", Reason: "INT32_GTE_LTE"},
				{Field: "book.tags[1]", Description: "must be at least 1 characters", Reason: "STRING_MIN_LEN"},
			},
		},
		"a rule of the whole message": {
			prefix:  "request",
			message: &libraryv1.UpdateBookRequest{Book: good},
			want: []*errdetails.BadRequest_FieldViolation{
				{Field: "request", Description: `book.name says which book to update; write it like "books/dune"`, Reason: "BOOK_NAME"},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := violations(t, violation.Check(tt.prefix, tt.message))
			if diff := cmp.Diff(tt.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	err := violation.Error(
		violation.Field("filter", "unknown field %q", "titel"),
		violation.Field("", "send less"),
	)
	if got, want := status.Convert(err).Message(), `filter: unknown field "titel"; send less`; got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
}

// violations returns the field violations that err carries, nil for a nil err.
func violations(t *testing.T, err error) []*errdetails.BadRequest_FieldViolation {
	t.Helper()
	if err == nil {
		return nil
	}
	st := status.Convert(err)
	if st.Code() != codes.InvalidArgument || len(st.Details()) != 1 {
		t.Fatalf("status = %v, want INVALID_ARGUMENT with one detail", st)
	}
	bad, ok := st.Details()[0].(*errdetails.BadRequest)
	if !ok {
		t.Fatalf("detail = %T, want BadRequest", st.Details()[0])
	}
	return bad.GetFieldViolations()
}
