// Package library is a sample backend: the books of a small library, held in
// memory, served as library.v1.LibraryService in the style of the API
// Improvement Proposals. It is what a first try of the bridge talks to, so it
// has what real services have: pages, filters, field masks, resource names and
// errors with details.
package library

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
	"github.com/mcpgrpc/bridge/services/violation"
)

// maxBooks bounds what callers can make the server hold.
const maxBooks = 10_000

// Server implements library.v1.LibraryService. It is safe for concurrent use;
// what it holds is gone when it is. Every error is a gRPC status: NOT_FOUND and
// ALREADY_EXISTS carry a google.rpc.ResourceInfo, INVALID_ARGUMENT a
// google.rpc.BadRequest, RESOURCE_EXHAUSTED a google.rpc.QuotaFailure.
type Server struct {
	libraryv1.UnimplementedLibraryServiceServer

	now func() time.Time

	mu sync.RWMutex
	// books maps resource names to books. A stored book is never modified, only
	// replaced, so that it can be read without the lock.
	books map[string]*libraryv1.Book
}

// Option changes how a Server is made.
type Option func(*Server)

// WithClock makes the server take create and update times from now, which must
// be safe for concurrent use. The default is time.Now.
func WithClock(now func() time.Time) Option {
	return func(s *Server) { s.now = now }
}

// WithBooks makes the server start with copies of books, which must have
// distinct names, instead of the dozen that it has by default.
func WithBooks(books ...*libraryv1.Book) Option {
	return func(s *Server) { s.put(books) }
}

// New returns a server that holds the same dozen books each time, unless an
// option says otherwise.
func New(opts ...Option) *Server {
	s := &Server{now: time.Now}
	s.put(seed())
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// put makes books the only ones of the server.
func (s *Server) put(books []*libraryv1.Book) {
	s.books = make(map[string]*libraryv1.Book, len(books))
	for _, book := range books {
		s.books[book.GetName()] = proto.CloneOf(book)
	}
}

// Register adds the service to a gRPC server that does not serve yet.
func (s *Server) Register(registrar grpc.ServiceRegistrar) {
	libraryv1.RegisterLibraryServiceServer(registrar, s)
}

// GetBook returns the book with a name, or NOT_FOUND.
func (s *Server) GetBook(_ context.Context, req *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	s.mu.RLock()
	book, ok := s.books[req.GetName()]
	s.mu.RUnlock()
	if !ok {
		return nil, notFound(req.GetName())
	}
	return proto.CloneOf(book), nil
}

// ListBooks returns a page of the books that match the request's filter.
func (s *Server) ListBooks(_ context.Context, req *libraryv1.ListBooksRequest) (*libraryv1.ListBooksResponse, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	match, err := parseFilter(req.GetFilter())
	if err != nil {
		return nil, violation.Error(violation.Field("filter", "%v", err))
	}
	by, err := parseOrder(req.GetOrderBy())
	if err != nil {
		return nil, violation.Error(violation.Field("order_by", "%v", err))
	}
	after, err := parseToken(req)
	if err != nil {
		return nil, violation.Error(violation.Field("page_token", "%v", err))
	}
	found := s.matching(match)
	by.sort(found)
	return page(req, by, found, after), nil
}

// matching returns the stored books that match, in no order.
func (s *Server) matching(match filter) []*libraryv1.Book {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found []*libraryv1.Book
	for _, book := range s.books {
		if match.holds(book) {
			found = append(found, book)
		}
	}
	return found
}

// CreateBook stores a new book and returns it, or ALREADY_EXISTS.
func (s *Server) CreateBook(_ context.Context, req *libraryv1.CreateBookRequest) (*libraryv1.Book, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	book := proto.CloneOf(req.GetBook())
	book.CreateTime = timestamppb.New(s.now())
	book.UpdateTime = book.GetCreateTime()

	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.books) >= maxBooks {
		return nil, full()
	}
	book.Name = namePrefix + req.GetBookId()
	if req.GetBookId() == "" {
		book.Name = s.freeName(book.GetTitle())
	} else if _, taken := s.books[book.GetName()]; taken {
		return nil, alreadyExists(book.GetName())
	}
	s.books[book.GetName()] = book
	return proto.CloneOf(book), nil
}

// UpdateBook changes the masked fields of a book and returns it, or NOT_FOUND.
func (s *Server) UpdateBook(_ context.Context, req *libraryv1.UpdateBookRequest) (*libraryv1.Book, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	paths, err := maskPaths(req)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, ok := s.books[req.GetBook().GetName()]
	if !ok {
		return nil, notFound(req.GetBook().GetName())
	}
	book := proto.CloneOf(stored)
	copyFields(book, proto.CloneOf(req.GetBook()), paths)
	if err := violation.Check("book", book); err != nil {
		return nil, err
	}
	book.UpdateTime = timestamppb.New(s.now())
	s.books[book.GetName()] = book
	return proto.CloneOf(book), nil
}

// DeleteBook removes the book with a name, or returns NOT_FOUND.
func (s *Server) DeleteBook(_ context.Context, req *libraryv1.DeleteBookRequest) (*emptypb.Empty, error) {
	if err := violation.Check("", req); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.books[req.GetName()]; !ok {
		return nil, notFound(req.GetName())
	}
	delete(s.books, req.GetName())
	return &emptypb.Empty{}, nil
}
