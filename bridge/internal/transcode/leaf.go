package transcode

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// writeScalar writes a scalar or an enum value.
func (w *writer) writeScalar(fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		w.out = strconv.AppendBool(w.out, v.Bool())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		w.out = strconv.AppendInt(w.out, v.Int(), 10)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		w.out = strconv.AppendUint(w.out, v.Uint(), 10)
	case protoreflect.FloatKind:
		w.writeFloat(v.Float(), 32)
	case protoreflect.DoubleKind:
		w.writeFloat(v.Float(), 64)
	case protoreflect.BytesKind:
		w.out = append(w.out, '"')
		w.out = base64.StdEncoding.AppendEncode(w.out, v.Bytes())
		w.out = append(w.out, '"')
	case protoreflect.EnumKind:
		w.writeEnum(fd.Enum(), v.Enum())
	case protoreflect.StringKind:
		w.writeString(v.String())
	default: // the 64-bit integers, quoted because JSON readers round them
		w.text(v.String())
	}
}

const badUTF8 = "not valid UTF-8; U+FFFD stands in place of the bad bytes"

func (w *writer) writeString(s string) {
	if !w.text(s) {
		w.warnf(badUTF8)
	}
}

// writeEnum writes the first name declared for the number, or the number where it has none.
func (w *writer) writeEnum(ed protoreflect.EnumDescriptor, n protoreflect.EnumNumber) {
	if shape.IsNullValue(ed) {
		w.raw("null")
		return
	}
	if v := ed.Values().ByNumber(n); v != nil {
		w.text(string(v.Name()))
		return
	}
	w.out = strconv.AppendInt(w.out, int64(n), 10)
}

func (w *writer) writeFloat(n float64, bits int) { w.out = appendFloat(w.out, n, bits) }

// appendFloat writes the shortest number that reads back as n, in the notation of ECMAScript, or one of three strings.
func appendFloat(out []byte, n float64, bits int) []byte {
	if short, ok := appendShort(out, n); ok && bits == 64 {
		return short
	}
	switch {
	case math.IsNaN(n):
		return append(out, `"NaN"`...)
	case math.IsInf(n, +1):
		return append(out, `"Infinity"`...)
	case math.IsInf(n, -1):
		return append(out, `"-Infinity"`...)
	}
	format := byte('f')
	if abs := math.Abs(n); abs != 0 && scientific(abs, bits) {
		format = 'e'
	}
	out = strconv.AppendFloat(out, n, format, -1, bits)
	if l := len(out); format == 'e' && l >= 4 && string(out[l-4:l-1]) == "e-0" {
		out[l-2] = out[l-1]
		out = out[:l-1]
	}
	return out
}

func scientific(abs float64, bits int) bool {
	if bits == 32 {
		return float32(abs) < 1e-6 || float32(abs) >= 1e21
	}
	return abs < 1e-6 || abs >= 1e21
}

// writeTime writes a Timestamp or Duration; one out of range as its two fields in a string.
func (w *writer) writeTime(m protoreflect.Message) {
	if text, ok := textOf(m); ok {
		w.raw(string(text))
		return
	}
	fields := m.Descriptor().Fields()
	seconds, nanos := m.Get(fields.ByNumber(1)).Int(), m.Get(fields.ByNumber(2)).Int()
	w.text(fmt.Sprintf("seconds=%d nanos=%d", seconds, nanos))
	w.warnf("the %s is out of range; its fields are shown as they are", strings.ToLower(string(m.Descriptor().Name())))
}

// writeFieldMask writes comma-separated paths; where one has no lowerCamelCase form that reads back, all as they are.
func (w *writer) writeFieldMask(m protoreflect.Message) {
	if text, ok := textOf(m); ok {
		w.raw(string(text))
		return
	}
	list := m.Get(m.Descriptor().Fields().ByNumber(1)).List()
	paths := make([]string, list.Len())
	for i := range paths {
		paths[i] = list.Get(i).String()
	}
	w.text(strings.Join(paths, ","))
	w.warnf("the field mask has no canonical JSON form; its paths are shown as they are")
}

// writeValue writes whatever JSON a google.protobuf.Value holds.
func (w *writer) writeValue(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for number := valueNull; number <= valueArray; number++ {
		fd := fields.ByNumber(number)
		if !m.Has(fd) {
			continue
		}
		v := m.Get(fd)
		if number == valueNumber && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)) {
			w.warnf("not a finite number; shown as a string")
		}
		if number == valueNull {
			w.raw("null")
			return
		}
		w.writeField(fd, v)
		return
	}
	w.raw("null")
	w.warnf("the value holds nothing; shown as null")
}
