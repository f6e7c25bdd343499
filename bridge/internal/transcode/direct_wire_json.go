package transcode

import (
	"unicode/utf8"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// peek passes over blanks and returns the byte that follows, 0 at the end.
func (e *encoder) peek() byte {
	for e.pos < len(e.src) {
		c := e.src[e.pos]
		if c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
		e.pos++
	}
	return 0
}

// spend counts a token, as the reference path does.
func (e *encoder) spend() bool {
	e.left--
	return e.left >= 0
}

// enter takes the bracket that has to come next.
func (e *encoder) enter(bracket byte) bool {
	if e.peek() != bracket || e.depth >= e.deepest {
		return false
	}
	e.depth++
	e.pos++
	return e.spend()
}

// more goes to the next member or element, past the comma unless it is the first. At the end it takes the bracket: more is
// false and ok true.
func (e *encoder) more(first bool, bracket byte) (more, ok bool) {
	switch c := e.peek(); {
	case c == bracket:
		e.depth--
		e.pos++
		return false, e.spend()
	case first:
		return true, true
	case c == ',':
		e.pos++
		return true, true
	default:
		return false, false
	}
}

// literal takes null, true or false, which has to come next.
func (e *encoder) literal(want string) bool {
	if len(e.src)-e.pos < len(want) || string(e.src[e.pos:e.pos+len(want)]) != want {
		return false
	}
	e.pos += len(want)
	return e.spend()
}

// number takes the number that has to come next.
func (e *encoder) number() (text []byte, ok bool) {
	e.peek()
	n := jsonrpc.NumberLength(e.src[e.pos:])
	if n == 0 || !e.spend() {
		return nil, false
	}
	text = e.src[e.pos : e.pos+n]
	e.pos += n
	return text, true
}

// digits returns how many decimal digits b begins with.
func digits(b []byte) int {
	for i, c := range b {
		if c < '0' || '9' < c {
			return i
		}
	}
	return len(b)
}

// name takes the name of a member, with its colon. The bytes are valid until the end.
func (e *encoder) name() (text []byte, ok bool) {
	text, ok = e.text()
	return text, ok && e.colon()
}

func (e *encoder) colon() bool {
	ok := e.peek() == ':'
	e.pos++
	return ok
}

// text takes the string that has to come next. The bytes are valid until the end; they lie in src or in arena.
func (e *encoder) text() (text []byte, ok bool) {
	if e.peek() != '"' || !e.spend() {
		return nil, false
	}
	start := e.pos + 1
	end := start + plainLength(e.src[start:])
	if end == len(e.src) {
		return nil, false
	}
	if e.src[end] == '"' {
		e.pos = end + 1
		return e.src[start:end], true
	}
	return e.escaped(start, end)
}

// escaped is text for a string that begins at start and is plain up to end.
func (e *encoder) escaped(start, end int) (text []byte, ok bool) {
	mark := len(e.arena)
	for {
		e.arena = append(e.arena, e.src[start:end]...)
		if end == len(e.src) {
			return nil, false
		}
		switch e.src[end] {
		case '"':
			e.pos = end + 1
			return e.arena[mark:], true
		case '\\':
			r, n := jsonrpc.Unescape(e.src[end:])
			if n == 0 {
				return nil, false
			}
			e.arena = utf8.AppendRune(e.arena, r)
			start = end + n
		default: // a control character, or invalid UTF-8
			return nil, false
		}
		end = start + plainLength(e.src[start:])
	}
}

// plainLength returns how many bytes at the beginning of b stand for themselves in a JSON string: all to the end of b, a
// quotation mark, a backslash, a control character or invalid UTF-8.
func plainLength(b []byte) int {
	i := 0
	for {
		i += jsonrpc.PlainLength(b[i:])
		if i == len(b) || b[i] < utf8.RuneSelf {
			return i
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
}
