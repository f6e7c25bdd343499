package interaction

import (
	"bytes"
	"crypto/sha256"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Digest returns a digest of arguments, an object as raw JSON, that is the same
// however the object is written: white space, the order of members and the
// spelling of strings and numbers do not count. Numbers count to their last digit,
// which doubles would lose. No arguments are an empty object.
func Digest(arguments []byte) [sha256.Size]byte {
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	value := jsontext.Value(withDecimals(arguments))
	// What cannot be brought into one form stays as it is, and has a digest too.
	_ = value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	return sha256.Sum256(value)
}

// withDecimals returns a copy of JSON with each number in one spelling.
func withDecimals(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		switch n := lengthOfNumber(raw); {
		case n > 0:
			out, raw = appendDecimal(out, string(raw[:n])), raw[n:]
		case raw[0] == '"':
			n = lengthOfString(raw)
			out, raw = append(out, raw[:n]...), raw[n:]
		default:
			out, raw = append(out, raw[0]), raw[1:]
		}
	}
	return out
}

// lengthOfNumber is how many bytes at the beginning are a number; 0 for none.
func lengthOfNumber(raw []byte) int {
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0
	}
	return len(raw) - len(bytes.TrimLeft(raw, "-+.0123456789eE"))
}

// lengthOfString is how many bytes at the beginning are a string.
func lengthOfString(raw []byte) int {
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// appendDecimal appends a number as its digits without a zero at either end and
// its exponent, "-15e-1" for -1.50: one spelling for each value. Zero has no
// exponent, and keeps its sign, which a backend can tell. A number whose exponent
// is beyond 18 digits, which no type can hold, stays as it is.
func appendDecimal(dst []byte, number string) []byte {
	digits, signed := strings.CutPrefix(number, "-")
	exponent := 0
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(digits[i+1:]); err != nil || len(digits)-i > 18 {
			return append(dst, number...)
		}
		digits = digits[:i]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short) - len(fraction)
	if signed {
		dst = append(dst, '-')
	}
	if short == "" {
		return append(dst, '0')
	}
	dst = append(dst, short...)
	if exponent == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, 'e'), int64(exponent), 10)
}
