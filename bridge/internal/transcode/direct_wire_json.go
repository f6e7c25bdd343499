package transcode

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
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
	n := numberLength(e.src[e.pos:])
	if n == 0 || !e.spend() {
		return nil, false
	}
	text = e.src[e.pos : e.pos+n]
	e.pos += n
	return text, true
}

// numberLength returns how long the JSON number is with which b begins, 0 for none.
func numberLength(b []byte) int {
	i := 0
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		n := digits(b[i:])
		if n == 0 {
			return 0
		}
		i += n
	}
	if i < len(b) && b[i] == '.' {
		n := digits(b[i+1:])
		if n == 0 {
			return 0
		}
		i += 1 + n
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		n := digits(b[i:])
		if n == 0 {
			return 0
		}
		i += n
	}
	return i
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
			n := e.escape(e.src[end+1:])
			if n == 0 {
				return nil, false
			}
			start = end + 1 + n
		default: // a control character, or invalid UTF-8
			return nil, false
		}
		end = start + plainLength(e.src[start:])
	}
}

// escape adds to arena what an escape sequence stands for that goes on, after its backslash, with b. It returns how much of b
// belongs to it, 0 if it is invalid.
func (e *encoder) escape(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	c := escapes[b[0]]
	if c != 0 {
		e.arena = append(e.arena, c)
		return 1
	}
	r, ok := codeUnit(b)
	if !ok {
		return 0
	}
	if !utf16.IsSurrogate(r) {
		e.arena = utf8.AppendRune(e.arena, r)
		return 5
	}
	if len(b) < 11 || b[5] != '\\' {
		return 0
	}
	low, ok := codeUnit(b[6:])
	r = utf16.DecodeRune(r, low)
	if !ok || r == utf8.RuneError {
		return 0
	}
	e.arena = utf8.AppendRune(e.arena, r)
	return 11
}

// escapes are the characters that stand after a backslash for one.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// codeUnit reads the UTF-16 code unit that begins b: "u" and four hexadecimal digits.
func codeUnit(b []byte) (unit rune, ok bool) {
	if len(b) < 5 || b[0] != 'u' {
		return 0, false
	}
	for _, c := range b[1:5] {
		switch {
		case '0' <= c && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			unit = unit<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}

// plainLength returns how many bytes at the beginning of b stand for themselves in a JSON string: all to the end of b, a
// quotation mark, a backslash, a control character or invalid UTF-8.
func plainLength(b []byte) int {
	i := 0
	for {
		for len(b)-i >= 8 {
			if found := unusual(binary.LittleEndian.Uint64(b[i:])); found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		for i < len(b) && ' ' <= b[i] && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
			i++
		}
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

// unusual has the high bit set in the lowest byte of w that is not printable ASCII or is a quotation mark or a backslash; the
// bytes above that say nothing. It is 0 where there is none.
func unusual(w uint64) uint64 {
	const ones = 0x0101010101010101
	quote, slash := w^ones*'"', w^ones*'\\'
	return (w | (w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash) & (ones << 7)
}
