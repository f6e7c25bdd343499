package jsonrpc

import "strconv"

// maxInteger is 2^53: up to here every JSON reader keeps each integer exact
// (RFC 8259 §6), and none that is taken here looks like another one to it.
const maxInteger = 1 << 53

// ID is a request's id: a JSON string, or an integer within ±2^53 written
// plainly (not 1.0, not 1e3), in the very bytes that the peer sent, so that it
// is answered with the same bytes. IDs are comparable, by those bytes: 7 and
// "7" differ, and so do "a" and "\u0061", which no peer mixes for one request.
// The zero ID means no id.
type ID struct{ raw string }

// StringID returns the string s as an ID. Invalid UTF-8 in s becomes U+FFFD.
func StringID(s string) ID { return ID{raw: string(AppendString(nil, s))} }

// IntID returns the integer n as an ID. An n outside ±2^53 makes an ID that
// peers refuse, as [ParseID] does.
func IntID(n int64) ID { return ID{raw: strconv.FormatInt(n, 10)} }

// ParseID reads an ID from raw JSON without surrounding space, such as the
// requestId of a cancellation or a progress token. It reports false for anything
// but a string or a plain integer within ±2^53. The ID is a copy.
func ParseID(raw []byte) (ID, bool) {
	if _, ok := stringLiteral(raw); !ok && !plainInteger(raw) {
		return ID{}, false
	}
	return ID{raw: string(raw)}, true
}

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.raw == "" }

// String returns the id as raw JSON, strings with their quotes; "" for the zero ID.
func (id ID) String() string { return id.raw }

// AppendJSON appends the id as raw JSON to dst; null for the zero ID, so that
// the result is JSON in any case.
func (id ID) AppendJSON(dst []byte) []byte {
	if id.IsZero() {
		return append(dst, "null"...)
	}
	return append(dst, id.raw...)
}

// plainInteger reports whether raw is a JSON integer without fraction and
// exponent, within ±2^53.
func plainInteger(raw []byte) bool {
	if len(raw) == 0 || len(raw) > len("-9007199254740992") {
		return false
	}
	if end, ok := scanNumber(raw, 0); !ok || end != len(raw) {
		return false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return err == nil && -maxInteger <= n && n <= maxInteger
}

// describeID says what is wrong with raw as an id.
func describeID(raw []byte) string {
	switch kindOf(raw) {
	case kindNull:
		return "null"
	case kindNumber:
		return "the number " + clip(raw)
	default:
		return kindOf(raw).String()
	}
}
