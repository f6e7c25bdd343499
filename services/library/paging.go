package library

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
)

// defaultPageSize is what a page_size of 0 means.
const defaultPageSize = 20

// digestSize is how many bytes of a token tie it to its filter and order.
const digestSize = 8

var (
	errTokenText  = errors.New("not a token of this method; copy next_page_token of the page before unchanged")
	errTokenQuery = errors.New("made for another filter or order_by; repeat the ones of the page before, or start without page_token")
)

// order is how books follow each other: by key, then by name.
type order struct {
	key        func(*libraryv1.Book) string
	descending bool
}

// orderKeys are the fields that books can be ordered by, as texts that compare
// like the fields do.
var orderKeys = map[string]func(*libraryv1.Book) string{
	"":             func(*libraryv1.Book) string { return "" },
	"title":        func(b *libraryv1.Book) string { return strings.ToLower(b.GetTitle()) },
	"author":       func(b *libraryv1.Book) string { return strings.ToLower(b.GetAuthor()) },
	"page_count":   func(b *libraryv1.Book) string { return fmt.Sprintf("%010d", b.GetPageCount()) },
	"publish_date": (*libraryv1.Book).GetPublishDate,
}

// parseOrder reads ListBooksRequest.order_by.
func parseOrder(text string) (order, error) {
	field, descending := strings.CutSuffix(strings.TrimSpace(text), " desc")
	key, ok := orderKeys[strings.TrimSpace(field)]
	if !ok {
		return order{}, fmt.Errorf("cannot order by %q; write title, author, page_count or publish_date, with \" desc\" after it for descending",
			text)
	}
	return order{key, descending}, nil
}

// place is where a book stands in an order. The zero place is before all books.
type place struct{ key, name string }

func (o order) place(b *libraryv1.Book) place { return place{o.key(b), b.GetName()} }

func (o order) compare(a, b place) int {
	c := cmp.Compare(a.key, b.key)
	if o.descending {
		c = -c
	}
	return cmp.Or(c, cmp.Compare(a.name, b.name))
}

func (o order) sort(books []*libraryv1.Book) {
	slices.SortFunc(books, func(a, b *libraryv1.Book) int { return o.compare(o.place(a), o.place(b)) })
}

// page cuts the page that begins behind after out of found, which is sorted. The
// token names the last book of a page and not an offset, so that books created
// or deleted between two calls neither repeat nor hide others.
func page(req *libraryv1.ListBooksRequest, by order, found []*libraryv1.Book, after place) *libraryv1.ListBooksResponse {
	size := cmp.Or(int(req.GetPageSize()), defaultPageSize)
	start := 0
	if after != (place{}) {
		start = slices.IndexFunc(found, func(b *libraryv1.Book) bool { return by.compare(by.place(b), after) > 0 })
	}
	res := &libraryv1.ListBooksResponse{TotalSize: int32(len(found))}
	if start < 0 {
		return res
	}
	for _, book := range found[start:min(start+size, len(found))] {
		res.Books = append(res.Books, proto.CloneOf(book))
	}
	if start+size < len(found) {
		res.NextPageToken = token(req, by.place(res.GetBooks()[size-1]))
	}
	return res
}

// token is the opaque form of a place: a digest of what it is good for, the key,
// a zero byte and the name, in base64url.
func token(req *libraryv1.ListBooksRequest, last place) string {
	return base64.RawURLEncoding.EncodeToString([]byte(digest(req) + last.key + "\x00" + last.name))
}

// parseToken reads the place that ListBooksRequest.page_token stands for.
func parseToken(req *libraryv1.ListBooksRequest) (place, error) {
	if req.GetPageToken() == "" {
		return place{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(req.GetPageToken())
	if err != nil || len(raw) < digestSize {
		return place{}, errTokenText
	}
	if string(raw[:digestSize]) != digest(req) {
		return place{}, errTokenQuery
	}
	key, name, ok := strings.Cut(string(raw[digestSize:]), "\x00")
	if !ok || name == "" {
		return place{}, errTokenText
	}
	return place{key, name}, nil
}

func digest(req *libraryv1.ListBooksRequest) string {
	sum := sha256.Sum256([]byte(req.GetFilter() + "\x00" + req.GetOrderBy()))
	return string(sum[:digestSize])
}
