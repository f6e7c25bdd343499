package jsonrpc

import (
	"bytes"
	"errors"
	"iter"
)

// errNotObject is what Members says of anything else.
var errNotObject = errors.New("a JSON object is wanted")

// Members calls fn for each member of the object raw, in order, with the name
// unescaped and the value raw: a slice of raw without surrounding space. Names
// are copies. It stops at fn's first error and returns it; it returns an error
// if raw is not an object. Where allocations matter use [Pairs] or [Find].
func Members(raw []byte, fn func(name string, value []byte) error) error {
	c := newCursor(raw, '{')
	if c.raw == nil {
		return errNotObject
	}
	for c.nextMember() {
		if err := fn(string(c.name), c.value); err != nil {
			return err
		}
	}
	return nil
}

// Pairs yields name and value of each member of the object raw, in order:
// the name unescaped, the value raw. Both are slices of raw, except that a name
// with escapes is a copy. If raw is not an object, nothing is yielded.
func Pairs(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for c := newCursor(raw, '{'); c.nextMember(); {
			if !yield(c.name, c.value) {
				return
			}
		}
	}
}

// Elements yields each element of the array raw, in order: a slice of raw
// without surrounding space. If raw is not an array, nothing is yielded.
func Elements(raw []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		for c := newCursor(raw, '['); c.next(); {
			if !yield(c.value) {
				return
			}
		}
	}
}

// Find returns the raw value of the member called name, and whether raw is an
// object that has it. It reads no further than that member and does not
// allocate, unless a name before it holds escapes.
func Find(raw []byte, name string) ([]byte, bool) {
	for c := newCursor(raw, '{'); c.nextMember(); {
		if string(c.name) == name {
			return c.value, true
		}
	}
	return nil, false
}

// Unquote returns the text of a JSON string literal, and false if raw is
// anything else: a value of another kind, or a literal that a strict reader
// refuses. Surrounding space is not accepted.
func Unquote(raw []byte) (string, bool) {
	escaped, ok := stringLiteral(raw)
	if !ok {
		return "", false
	}
	inside := raw[1 : len(raw)-1]
	if !escaped {
		return string(inside), true
	}
	return string(appendUnescaped(make([]byte, 0, len(inside)), inside)), true
}

// stringLiteral reports whether raw is one whole string literal, and whether it
// holds escapes.
func stringLiteral(raw []byte) (escaped, ok bool) {
	if kindOf(raw) != kindString {
		return false, false
	}
	end, escaped, fault := scanString(raw, 0)
	return escaped, fault == "" && end == len(raw)
}

// cursor walks the members of an object or the elements of an array. It ends
// where the text does not go on as expected.
type cursor struct {
	raw   []byte
	at    int // of the next item; past the end when there is none
	name  []byte
	value []byte
}

// newCursor returns a cursor before the first item; of anything that does not
// begin with open, it has no items.
func newCursor(raw []byte, open byte) cursor {
	at := skipSpace(raw, 0)
	if at == len(raw) || raw[at] != open {
		return cursor{}
	}
	return cursor{raw: raw, at: at + 1}
}

// next reads one value and the comma after it.
func (c *cursor) next() bool {
	start := skipSpace(c.raw, c.at)
	end := skipValue(c.raw, start)
	if end == start || c.raw[start] == ']' || c.raw[start] == '}' {
		return false
	}
	c.value = c.raw[start:end:end]
	c.at = skipSpace(c.raw, end)
	if c.at < len(c.raw) && c.raw[c.at] == ',' {
		c.at++
	} else {
		c.at = len(c.raw)
	}
	return true
}

// nextMember reads one name and its value.
func (c *cursor) nextMember() bool {
	name, at := memberName(c.raw, c.at)
	if name == nil {
		return false
	}
	c.name, c.at = unquoted(name), at
	return c.next()
}

// memberName returns the name literal at or after at, and the place after its
// colon; nil where there is none.
func memberName(raw []byte, at int) (name []byte, next int) {
	start := skipSpace(raw, at)
	if start == len(raw) || raw[start] != '"' {
		return nil, at
	}
	end := skipString(raw, start)
	colon := skipSpace(raw, end)
	if colon == len(raw) || raw[colon] != ':' || end-start < 2 {
		return nil, at
	}
	return raw[start:end], colon + 1
}

// unquoted returns the inside of a name literal, unescaped.
func unquoted(literal []byte) []byte {
	inside := literal[1 : len(literal)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	return appendUnescaped(nil, inside)
}

// skipValue returns the place after the value at i. It trusts the text: of
// brackets it only counts how many are open.
func skipValue(data []byte, i int) int {
	for open := 0; i < len(data); {
		switch data[i] {
		case '"':
			i = skipString(data, i)
		case '{', '[':
			open++
			i++
			continue
		case '}', ']':
			open--
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
			continue
		default:
			i = skipScalar(data, i)
		}
		if open <= 0 {
			return i
		}
	}
	return i
}

// skipString returns the place after the string literal at i.
func skipString(data []byte, i int) int {
	for i = skipPlain(data, i+1); i < len(data); i = skipPlain(data, i) {
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			i += 2
		default:
			i++
		}
	}
	return len(data)
}

// skipScalar returns the place after the number or word at i.
func skipScalar(data []byte, i int) int {
	for i < len(data) {
		switch data[i] {
		case ',', ':', ']', '}', ' ', '\n', '\t', '\r', '"', '[', '{':
			return i
		}
		i++
	}
	return i
}
