package library

import (
	"strconv"
	"strings"
)

const (
	// namePrefix is what the resource names of books begin with.
	namePrefix = "books/"
	// maxSlug leaves room for a number within the 63 characters of an id.
	maxSlug = 50
)

// freeName makes a resource name from a title, with a number behind it when the
// plain one is taken. The caller holds the lock.
func (s *Server) freeName(title string) string {
	name := namePrefix + slug(title)
	for n := 2; ; n++ {
		if _, taken := s.books[name]; !taken {
			return name
		}
		name = namePrefix + slug(title) + "-" + strconv.Itoa(n)
	}
}

// slug keeps the ASCII letters and digits of a title, in lower case, with one
// hyphen for whatever stands between; "book" when nothing remains.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	s := strings.Join(words, "-")
	if len(s) > maxSlug {
		s = strings.TrimRight(s[:maxSlug], "-")
	}
	if s == "" {
		return "book"
	}
	return s
}
