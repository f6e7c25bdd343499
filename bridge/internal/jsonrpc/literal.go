package jsonrpc

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// maxNumber is the longest number literal accepted, in bytes. No double needs
// more than 25; the rest is work for big-number parsers.
const maxNumber = 64

// text goes past a string literal and reports whether it holds escapes; pos is
// at its opening quote.
func (s *scanner) text() (escaped, ok bool) {
	end, escaped, fault := scanString(s.data, s.pos)
	s.pos = end
	if fault != "" {
		return false, s.refuse(fault)
	}
	return escaped, true
}

// number goes past a number literal.
func (s *scanner) number() bool {
	start := s.pos
	end, ok := scanNumber(s.data, start)
	s.pos = end
	if !ok {
		return s.unexpected("a digit in a number")
	}
	if end-start > maxNumber {
		s.pos = start
		return s.refuse("a number of more than 64 characters: send it shorter or as a string")
	}
	return true
}

// word goes past true, false or null.
func (s *scanner) word(want string) bool {
	end := s.pos + len(want)
	if end > len(s.data) || string(s.data[s.pos:end]) != want {
		return s.refuse("a word that is none of true, false and null")
	}
	s.pos = end
	return true
}

// scanString goes over the string literal whose opening quote is at pos. It
// returns the place after the closing quote and whether there are escapes; or,
// with a fault, the place of the fault.
func scanString(data []byte, pos int) (end int, escaped bool, fault string) {
	for i := pos + 1; ; {
		i = skipPlain(data, i)
		if i == len(data) {
			return i, escaped, "the end of the text inside a string"
		}
		var size int
		switch c := data[i]; {
		case c == '"':
			return i + 1, escaped, ""
		case c == '\\':
			escaped = true
			_, size = unescape(data[i:])
			if size == 0 {
				return i, escaped, "an escape that is not one of JSON's, or half a surrogate pair"
			}
		case c < ' ':
			return i, escaped, "an unescaped control character in a string"
		default:
			_, size = utf8.DecodeRune(data[i:])
			if size == 1 {
				return i, escaped, "invalid UTF-8"
			}
		}
		i += size
	}
}

// skipPlain returns the place of the first byte from i on that is not plain
// inside a string: a quote, a backslash, a control character, part of a longer
// UTF-8 sequence; or the end.
func skipPlain(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		w := binary.LittleEndian.Uint64(data[i:])
		if m := special(w) | w&highBits; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for i < len(data) && data[i] < utf8.RuneSelf && !mustEscape(data[i]) {
		i++
	}
	return i
}

const (
	highBits = 0x8080808080808080
	lowBits  = 0x0101010101010101
)

// special marks, in the high bit of each byte, the bytes of w that must be
// escaped inside a string. A borrow can mark bytes above the lowest marked one
// wrongly; the lowest mark is always right.
func special(w uint64) uint64 {
	quote := w ^ lowBits*'"'
	slash := w ^ lowBits*'\\'
	return ((w-lowBits*' ')&^w | (quote-lowBits)&^quote | (slash-lowBits)&^slash) & highBits
}

// mustEscape reports whether c must be escaped inside a string (RFC 8259 §7).
func mustEscape(c byte) bool { return c < ' ' || c == '"' || c == '\\' }

// unescape reads the escape sequence that b opens with, two for a surrogate
// pair, and returns its character and its length; a length of 0 if it is none.
func unescape(b []byte) (r rune, size int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return unescapeHex(b)
	default:
		return 0, 0
	}
}

// unescapeHex reads \uXXXX, or \uXXXX\uXXXX where that is a surrogate pair.
func unescapeHex(b []byte) (r rune, size int) {
	r, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, ok := hex4(b[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// hex4 reads the four digits of \uXXXX.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// scanNumber goes over the number literal at pos (RFC 8259 §6) and returns the
// place after it; or false and the place where a digit is missing.
func scanNumber(data []byte, pos int) (end int, ok bool) {
	if data[pos] == '-' {
		pos++
	}
	digits := skipDigits(data, pos)
	if digits == pos {
		return pos, false
	}
	if data[pos] == '0' {
		digits = pos + 1 // a second digit is then unexpected
	}
	pos = digits
	if pos < len(data) && data[pos] == '.' {
		if digits = skipDigits(data, pos+1); digits == pos+1 {
			return digits, false
		}
		pos = digits
	}
	if pos < len(data) && data[pos]|0x20 == 'e' {
		pos++
		if pos < len(data) && (data[pos] == '+' || data[pos] == '-') {
			pos++
		}
		digits = skipDigits(data, pos)
		return digits, digits > pos
	}
	return pos, true
}

// skipDigits returns the place of the first byte from i on that is no digit.
func skipDigits(data []byte, i int) int {
	for i < len(data) && isDigit(data[i]) {
		i++
	}
	return i
}

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// skipSpace returns the place of the first byte from i on that is not white space.
func skipSpace(data []byte, i int) int {
	for i < len(data) && data[i] <= ' ' && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}
