package jsonrpc

// NumberLength returns how long the JSON number is with which data begins (RFC
// 8259 §6), 0 for none. How long one may be, [Decode] says and it does not.
func NumberLength(data []byte) int {
	if len(data) == 0 || data[0] != '-' && !isDigit(data[0]) {
		return 0
	}
	end, ok := scanNumber(data, 0)
	if !ok {
		return 0
	}
	return end
}

// PlainLength returns how many bytes data begins with that stand for themselves
// in a string literal and are ASCII.
func PlainLength(data []byte) int { return skipPlain(data, 0) }

// Unescape reads the escape sequence that data opens with, two for a surrogate
// pair, and returns its character and its length; a length of 0 if it is none
// (RFC 8259 §7).
func Unescape(data []byte) (r rune, size int) { return unescape(data) }
