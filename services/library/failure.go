package library

import (
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/services/violation"
)

// resourceType is the type of a book in google.rpc.ResourceInfo.
const resourceType = "library.example.com/Book"

func notFound(name string) error {
	return violation.With(status.Newf(codes.NotFound, "book %q does not exist", name), &errdetails.ResourceInfo{
		ResourceType: resourceType,
		ResourceName: name,
		Description:  "call ListBooks for the names of the books that exist",
	})
}

func alreadyExists(name string) error {
	return violation.With(status.Newf(codes.AlreadyExists, "book %q exists already", name), &errdetails.ResourceInfo{
		ResourceType: resourceType,
		ResourceName: name,
		Description:  "choose another book_id, or leave it out to have one made from the title",
	})
}

func full() error {
	return violation.With(status.Newf(codes.ResourceExhausted, "the library is full, it holds %d books", maxBooks), &errdetails.QuotaFailure{
		Violations: []*errdetails.QuotaFailure_Violation{{
			Subject:     "library",
			Description: "delete books to make room",
		}},
	})
}
