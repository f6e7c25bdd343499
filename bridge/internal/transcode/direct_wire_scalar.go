package transcode

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// scalarBytes writes v, as scalar returns it, without a tag.
func (e *encoder) scalarBytes(f *field, v uint64) {
	switch f.wire {
	case protowire.VarintType:
		e.out = protowire.AppendVarint(e.out, v)
	case protowire.Fixed32Type:
		e.out = binary.LittleEndian.AppendUint32(e.out, uint32(v))
	default:
		e.out = binary.LittleEndian.AppendUint64(e.out, v)
	}
}

// scalar reads a value of f, which is no string, bytes or message, as the varint or the bits that stand for it on the wire: 0
// for the zero value alone.
func (e *encoder) scalar(f *field) (v uint64, ok bool) {
	switch f.kind {
	case protoreflect.BoolKind:
		if e.peek() == 't' {
			return 1, e.literal("true")
		}
		return 0, e.literal("false")
	case protoreflect.EnumKind:
		return e.enum(f.enum)
	case protoreflect.DoubleKind:
		n, ok := e.float(64)
		return math.Float64bits(n), ok
	case protoreflect.FloatKind:
		n, ok := e.float(32)
		return uint64(math.Float32bits(float32(n))), ok
	}
	text, ok := e.numeral()
	if !ok {
		return 0, false
	}
	negative, n, ok := integer(text)
	if !ok {
		return 0, false
	}
	return fit(f.kind, negative, n)
}

// truth is the varint of a bool.
func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// numeral takes a number that has to come next, alone or in a string.
func (e *encoder) numeral() (text []byte, ok bool) {
	if e.peek() != '"' {
		return e.number()
	}
	text, ok = e.text()
	return text, ok && len(text) <= maxNumber && len(text) > 0 && jsonrpc.NumberLength(text) == len(text)
}

// fit returns what stands on the wire for an integer of the given kind, ok false where it is none of that kind.
func fit(kind protoreflect.Kind, negative bool, magnitude uint64) (v uint64, ok bool) {
	width, signed := 64, true
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		width = 32
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		width, signed = 32, false
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		signed = false
	}
	if !signed {
		return magnitude, !negative && magnitude <= math.MaxUint64>>(64-width)
	}
	most := uint64(1)<<(width-1) - 1
	v = magnitude
	if negative {
		most++
		v = -magnitude
	}
	if kind == protoreflect.Sint32Kind || kind == protoreflect.Sint64Kind {
		v = protowire.EncodeZigZag(int64(v))
	}
	return v, magnitude <= most
}

// integer is decimal for a number, or digits with zeros before them, that becomes an integer of 64 bits. Zero is not negative.
func integer(number []byte) (negative bool, n uint64, ok bool) {
	if len(number) > 0 && number[0] == '-' {
		negative, number = true, number[1:]
	}
	whole := digits(number)
	if whole == len(number) && whole < maxDigits {
		for _, c := range number {
			n = n*10 + uint64(c-'0')
		}
		return negative && n != 0, n, true
	}
	n, ok = scaled(number, whole)
	return negative && n != 0, n, ok
}

// scaled is integer for a number without sign, with whole digits before its point, if any.
func scaled(number []byte, whole int) (n uint64, ok bool) {
	end := whole
	if end < len(number) && number[end] == '.' {
		end += 1 + digits(number[end+1:])
	}
	mantissa, exponent := number[:end], 0
	if end < len(number) {
		var err error
		if exponent, err = strconv.Atoi(string(number[end+1:])); err != nil || exponent > maxDigits || exponent < -len(number) {
			return 0, zero(mantissa)
		}
	}
	most := maxDigits
	if number[0] == '0' {
		most++ // that zero is no digit of the integer
	}
	if exponent >= 0 && whole+exponent > most {
		return 0, zero(mantissa)
	}
	return shifted(mantissa, whole+exponent)
}

// shifted returns the integer that has the first so many digits of a mantissa, those it has not being zeros; what it has beyond
// must be zeros.
func shifted(mantissa []byte, length int) (n uint64, ok bool) {
	for _, c := range mantissa {
		switch {
		case c == '.':
			continue
		case length <= 0:
			if c != '0' {
				return 0, false
			}
			continue
		}
		length--
		if n, ok = times10(n, c-'0'); !ok {
			return 0, false
		}
	}
	for ; length > 0 && n != 0; length-- {
		if n, ok = times10(n, 0); !ok {
			return 0, false
		}
	}
	return n, true
}

// times10 appends a digit to n, if there is room for it.
func times10(n uint64, digit byte) (more uint64, ok bool) {
	high, low := bits.Mul64(n, 10)
	more, carry := bits.Add64(low, uint64(digit), 0)
	return more, high == 0 && carry == 0
}

// zero reports whether the digits of a mantissa are all zeros.
func zero(mantissa []byte) bool {
	for _, c := range mantissa {
		if c != '0' && c != '.' {
			return false
		}
	}
	return true
}

// float takes a number of the given bits, or the name of one that JSON has no number for.
func (e *encoder) float(width int) (n float64, ok bool) {
	var text []byte
	if e.peek() == '"' {
		if text, ok = e.text(); !ok {
			return 0, false
		}
		switch string(text) {
		case "NaN":
			return math.NaN(), true
		case "Infinity":
			return math.Inf(+1), true
		case "-Infinity":
			return math.Inf(-1), true
		}
		ok = len(text) > 0 && len(text) <= maxNumber && jsonrpc.NumberLength(text) == len(text)
	} else {
		text, ok = e.number()
	}
	if !ok {
		return 0, false
	}
	if n, ok := readShort(text); ok && width == 64 {
		return n, true
	}
	n, err := strconv.ParseFloat(string(text), width)
	return n, err == nil
}

// enum takes the name or the number of a value.
func (e *encoder) enum(enum *enum) (v uint64, ok bool) {
	switch e.peek() {
	case 'n':
		return 0, enum.null && e.literal("null")
	case '"':
		name, ok := e.text()
		if !ok {
			return 0, false
		}
		if value, ok := enum.byName[string(name)]; ok {
			return uint64(value.Number()), !e.codec.hidesValue(value)
		}
		return e.folded(enum, name)
	}
	text, ok := e.number()
	if !ok {
		return 0, false
	}
	negative, n, ok := integer(text)
	if !ok {
		return 0, false
	}
	return fit(protoreflect.EnumKind, negative, n)
}

// folded finds a value by its name in any letter case.
func (e *encoder) folded(enum *enum, name []byte) (v uint64, ok bool) {
	if e.codec.opts.HideValue != nil {
		return 0, false
	}
	mark := len(e.arena)
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		e.arena = append(e.arena, c)
	}
	n, ok := enum.folded[string(e.arena[mark:])]
	return uint64(n), ok
}

// string writes a string with its length.
func (e *encoder) string() bool {
	text, ok := e.text()
	e.out = protowire.AppendBytes(e.out, text)
	return ok
}

// The encodings of bytes that are accepted, by whether they have the letters of URLs and whether they are padded.
var encodings = [2][2]*base64.Encoding{
	{base64.RawStdEncoding, base64.StdEncoding},
	{base64.RawURLEncoding, base64.URLEncoding},
}

// bytes writes what a string of base64 holds, with its length.
func (e *encoder) bytes() bool {
	text, ok := e.text()
	if !ok {
		return false
	}
	letters := truth(containsAny(text, '-', '_'))
	padded := truth(len(text)%4 == 0)
	start := e.open()
	out, err := encodings[letters][padded].AppendDecode(e.out, text)
	if err != nil {
		return false
	}
	e.out = out
	e.close(start)
	return true
}

func containsAny(text []byte, a, b byte) bool {
	for _, c := range text {
		if c == a || c == b {
			return true
		}
	}
	return false
}
