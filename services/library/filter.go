package library

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
)

// filter is the conditions of one ListBooksRequest.filter, all of which must
// hold. The zero filter matches every book.
type filter []condition

// condition says whether a book matches one "field operator value".
type condition func(*libraryv1.Book) bool

// holds says whether book matches every condition.
func (f filter) holds(book *libraryv1.Book) bool {
	for _, c := range f {
		if !c(book) {
			return false
		}
	}
	return true
}

// textFields are the fields that = compares and : searches, ignoring case; one
// of several texts that matches is enough.
var textFields = map[string]func(*libraryv1.Book) []string{
	"title":  func(b *libraryv1.Book) []string { return []string{b.GetTitle()} },
	"author": func(b *libraryv1.Book) []string { return []string{b.GetAuthor()} },
	"isbn":   func(b *libraryv1.Book) []string { return []string{b.GetIsbn()} },
	"tags":   (*libraryv1.Book).GetTags,
}

// parseFilter reads conditions joined by AND: a field, "=" or ":", and a value
// that is a word or a text in double quotes with \" and \\ in it. An error is a
// sentence for the field violation.
func parseFilter(text string) (filter, error) {
	s := scanner{text: text}
	var f filter
	for s.skip(); !s.done(); s.skip() {
		if len(f) > 0 && s.word() != "AND" {
			return nil, s.fault("join conditions with AND")
		}
		c, err := s.condition()
		if err != nil {
			return nil, err
		}
		f = append(f, c)
	}
	return f, nil
}

// scanner reads a filter from left to right.
type scanner struct {
	text string
	// at is the offset of what comes next, last that of what was read last.
	at, last int
}

func (s *scanner) done() bool { return s.at >= len(s.text) }

func (s *scanner) skip() {
	for !s.done() && s.text[s.at] == ' ' {
		s.at++
	}
	s.last = s.at
}

// fault is an error about what was read last.
func (s *scanner) fault(format string, args ...any) error {
	return fmt.Errorf("at character %d: %s", s.last+1, fmt.Sprintf(format, args...))
}

// word reads letters, digits and the signs that occur in ids; "" when there are
// none.
func (s *scanner) word() string {
	s.skip()
	rest := s.text[s.at:]
	end := strings.IndexFunc(rest, func(r rune) bool {
		return r < 0x80 && !strings.ContainsRune("_-./", r) &&
			(r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if end < 0 {
		end = len(rest)
	}
	s.at += end
	return rest[:end]
}

// operator reads "=" or ":".
func (s *scanner) operator() (byte, error) {
	s.skip()
	if s.done() || (s.text[s.at] != '=' && s.text[s.at] != ':') {
		return 0, s.fault("write = (equal) or : (contains) after the field")
	}
	s.at++
	return s.text[s.at-1], nil
}

// value reads a word or a text in double quotes.
func (s *scanner) value() (string, error) {
	s.skip()
	if s.done() || s.text[s.at] != '"' {
		if word := s.word(); word != "" {
			return word, nil
		}
		return "", s.fault("a value is missing; write a word or a text in double quotes")
	}
	quoted, err := strconv.QuotedPrefix(s.text[s.at:])
	if err != nil {
		return "", s.fault("the text in double quotes does not end or has a wrong escape")
	}
	s.at += len(quoted)
	return strconv.Unquote(quoted)
}

// condition reads one condition.
func (s *scanner) condition() (condition, error) {
	field := s.word()
	texts, isText := textFields[field]
	if !isText && field != "genre" && field != "available" {
		return nil, s.fault("unknown field %q; the fields are title, author, isbn, tags, genre and available", field)
	}
	op, err := s.operator()
	if err != nil {
		return nil, err
	}
	value, err := s.value()
	if err != nil {
		return nil, err
	}
	if isText {
		return textCondition(texts, op, value), nil
	}
	if op != '=' {
		return nil, s.fault("%s is compared with =", field)
	}
	if field == "genre" {
		return s.genre(value)
	}
	return s.available(value)
}

func textCondition(texts func(*libraryv1.Book) []string, op byte, value string) condition {
	matches := strings.EqualFold
	if op == ':' {
		matches = func(text, part string) bool {
			return strings.Contains(strings.ToLower(text), strings.ToLower(part))
		}
	}
	return func(b *libraryv1.Book) bool {
		return slices.ContainsFunc(texts(b), func(text string) bool { return matches(text, value) })
	}
}

func (s *scanner) genre(value string) (condition, error) {
	number, ok := libraryv1.Genre_value[value]
	if !ok {
		return nil, s.fault("unknown genre %q; write for example genre=GENRE_FICTION", value)
	}
	return func(b *libraryv1.Book) bool { return int32(b.GetGenre()) == number }, nil
}

func (s *scanner) available(value string) (condition, error) {
	if value != "true" && value != "false" {
		return nil, s.fault("available is true or false, not %q", value)
	}
	return func(b *libraryv1.Book) bool { return b.GetAvailable() == (value == "true") }, nil
}
