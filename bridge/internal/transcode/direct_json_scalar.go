package transcode

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// scalar writes a scalar or an enum value.
func (e *emitter) scalar(f *field, v value) bool {
	switch f.kind {
	case protoreflect.StringKind:
		return e.text(v.text)
	case protoreflect.BoolKind:
		e.out = strconv.AppendBool(e.out, v.bits != 0)
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		e.out = strconv.AppendInt(e.out, f.signed(v.bits), 10)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		e.out = strconv.AppendUint(e.out, f.narrow(v.bits), 10)
	case protoreflect.FloatKind:
		e.out = appendFloat(e.out, float64(math.Float32frombits(uint32(v.bits))), 32)
	case protoreflect.DoubleKind:
		e.out = appendFloat(e.out, math.Float64frombits(v.bits), 64)
	case protoreflect.BytesKind:
		if len(e.out)+len(v.text) > e.most {
			return false
		}
		e.out = append(e.out, '"')
		e.out = append(base64.StdEncoding.AppendEncode(e.out, v.text), '"')
	case protoreflect.EnumKind:
		e.out = f.enum.append(e.out, protoreflect.EnumNumber(int32(v.bits)))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		e.out = append(strconv.AppendUint(append(e.out, '"'), v.bits, 10), '"')
	default:
		e.out = append(strconv.AppendInt(append(e.out, '"'), f.signed(v.bits), 10), '"')
	}
	return true
}

// append writes the first name declared for a number, or the number where it has none.
func (e *enum) append(out []byte, n protoreflect.EnumNumber) []byte {
	if e.null {
		return append(out, "null"...)
	}
	if n >= 0 && int(n) < len(e.dense) {
		return append(out, e.dense[n]...)
	}
	if name, ok := e.quoted[n]; ok {
		return append(out, name...)
	}
	return strconv.AppendInt(out, int64(n), 10)
}

// text writes a JSON string, if s is valid UTF-8 and short enough.
func (e *emitter) text(s []byte) bool {
	if len(e.out)+len(s) > e.most {
		return false
	}
	n := unescaped(s, everyMSB)
	if n < len(s) && !utf8.Valid(s[n:]) {
		return false
	}
	out := e.out
	out = append(out, '"')
	for {
		n += unescaped(s[n:], 0)
		out = append(out, s[:n]...)
		if n == len(s) {
			break
		}
		out = appendEscaped(out, s[n])
		s, n = s[n+1:], 0
	}
	out = append(out, '"')
	e.out = out
	return true
}

// One bit in each byte of a word, the lowest and the highest.
const (
	everyLSB = 0x0101010101010101
	everyMSB = 0x8080808080808080
)

// unescaped returns the length of the longest beginning of s without a character that JSON escapes and, with high set to
// everyMSB, without any that is not ASCII.
func unescaped(s []byte, high uint64) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := binary.LittleEndian.Uint64(s[i:])
		quote, slash := x^everyLSB*'"', x^everyLSB*'\\'
		found := ((x-everyLSB*' ')|(quote-everyLSB)|(slash-everyLSB))&^x | x&high
		if found &= everyMSB; found != 0 { // a borrow can mark a byte in vain, but only above one that is marked with reason
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || uint64(c)&high != 0 {
			return i
		}
	}
	return i
}

// appendEscaped writes one of the characters that JSON escapes.
func appendEscaped(out []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(out, '\\', c)
	case '\b':
		return append(out, `\b`...)
	case '\f':
		return append(out, `\f`...)
	case '\n':
		return append(out, `\n`...)
	case '\r':
		return append(out, `\r`...)
	case '\t':
		return append(out, `\t`...)
	default:
		return append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
}
