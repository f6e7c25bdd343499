package transcode

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// readScalar reads the next value as fd's scalar or enum type.
func (r *reader) readScalar(fd protoreflect.FieldDescriptor) (protoreflect.Value, error) {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return r.readBool()
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		n, err := r.readInt(32)
		return protoreflect.ValueOfInt32(int32(n)), err
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		n, err := r.readInt(64)
		return protoreflect.ValueOfInt64(n), err
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		n, err := r.readUint(32)
		return protoreflect.ValueOfUint32(uint32(n)), err
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		n, err := r.readUint(64)
		return protoreflect.ValueOfUint64(n), err
	case protoreflect.FloatKind:
		n, err := r.readFloat(32)
		return protoreflect.ValueOfFloat32(float32(n)), err
	case protoreflect.DoubleKind:
		n, err := r.readFloat(64)
		return protoreflect.ValueOfFloat64(n), err
	case protoreflect.BytesKind:
		return r.readBytes()
	case protoreflect.EnumKind:
		return r.readEnum(fd.Enum())
	default:
		return r.readString()
	}
}

func (r *reader) readBool() (protoreflect.Value, error) {
	const want = "true or false"
	l, err := r.literal(want)
	if err != nil {
		return protoreflect.Value{}, err
	}
	if l.kind != 't' && l.kind != 'f' {
		hint := ""
		if l.text == "true" || l.text == "false" {
			hint = "write it without quotes"
		}
		return protoreflect.Value{}, r.mismatch(want, l.raw, hint)
	}
	return protoreflect.ValueOfBool(l.kind == 't'), nil
}

func (r *reader) readString() (protoreflect.Value, error) {
	const want = "a string"
	l, err := r.literal(want)
	if err != nil {
		return protoreflect.Value{}, err
	}
	if l.kind != '"' {
		return protoreflect.Value{}, r.mismatch(want, l.raw, "put it in quotes")
	}
	return protoreflect.ValueOfString(l.text), nil
}

func (r *reader) readBytes() (protoreflect.Value, error) {
	const want = "a base64 string"
	l, err := r.literal(want)
	if err != nil {
		return protoreflect.Value{}, err
	}
	if l.kind != '"' {
		return protoreflect.Value{}, r.mismatch(want, l.raw, "")
	}
	enc := base64.StdEncoding
	if strings.ContainsAny(l.text, "-_") {
		enc = base64.URLEncoding
	}
	if len(l.text)%4 != 0 {
		enc = enc.WithPadding(base64.NoPadding)
	}
	b, err := enc.DecodeString(l.text)
	if err != nil {
		return protoreflect.Value{}, r.mismatch(want, l.raw, `encode the bytes, as in "aGVsbG8=" for hello`)
	}
	return protoreflect.ValueOfBytes(b), nil
}

// maxNumber is the longest number in a string, in bytes: as long as one without quotes may be in a message.
const maxNumber = 64

// number returns the text of a JSON number, whether it stands alone or in a string without blanks.
func (l literal) number() (string, bool) {
	if l.kind == '0' {
		return l.text, true
	}
	if len(l.text) > maxNumber {
		return "", false
	}
	v := jsontext.Value(l.text)
	return l.text, l.kind == '"' && strings.TrimSpace(l.text) == l.text && v.Kind() == '0' && v.IsValid()
}

// tooLong is the hint about a string that no number is long enough to need.
func (l literal) tooLong() string {
	if l.kind == '"' && len(l.text) > maxNumber && jsontext.Value(l.text).Kind() == '0' {
		return fmt.Sprintf("write a number in at most %d characters", maxNumber)
	}
	return ""
}

// readInteger returns the plain decimal digits of the next value, "" where it is a number but no integer.
func (r *reader) readInteger() (l literal, digits string, err error) {
	const want = "an integer"
	if l, err = r.literal(want); err != nil {
		return l, "", err
	}
	text, ok := l.number()
	if !ok {
		return l, "", r.mismatch(want, l.raw, l.tooLong())
	}
	digits, _ = decimal(text)
	return l, digits, nil
}

func (r *reader) readInt(bits int) (int64, error) {
	l, digits, err := r.readInteger()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(digits, 10, bits)
	if err != nil {
		lowest := int64(math.MinInt64) >> (64 - bits)
		return 0, r.mismatch(fmt.Sprintf("an integer from %d to %d", lowest, ^lowest), l.raw, "")
	}
	return n, nil
}

func (r *reader) readUint(bits int) (uint64, error) {
	l, digits, err := r.readInteger()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(digits, 10, bits)
	if err != nil {
		return 0, r.mismatch(fmt.Sprintf("an integer from 0 to %d", uint64(math.MaxUint64)>>(64-bits)), l.raw, "")
	}
	return n, nil
}

func (r *reader) readFloat(bits int) (float64, error) {
	const want = "a number"
	l, err := r.literal(want)
	if err != nil {
		return 0, err
	}
	if l.kind == '"' {
		switch l.text {
		case "NaN":
			return math.NaN(), nil
		case "Infinity":
			return math.Inf(+1), nil
		case "-Infinity":
			return math.Inf(-1), nil
		}
	}
	text, ok := l.number()
	if !ok {
		return 0, r.mismatch(want, l.raw, l.tooLong())
	}
	n, err := strconv.ParseFloat(text, bits)
	if err != nil {
		return 0, r.mismatch(fmt.Sprintf("a number that fits %d bits", bits), l.raw, "")
	}
	return n, nil
}

// readEnum reads a value's name, in any letter case where that is unambiguous, or its number, known or not.
func (r *reader) readEnum(ed protoreflect.EnumDescriptor) (protoreflect.Value, error) {
	raw, err := r.raw()
	if err != nil {
		return protoreflect.Value{}, err
	}
	name := ""
	switch raw.Kind() {
	case '"':
		name = unquote(raw)
		if n, ok := r.codec.enumNumber(ed, name); ok {
			return protoreflect.ValueOfEnum(n), nil
		}
	case '0':
		if digits, ok := decimal(string(raw)); ok {
			if n, err := strconv.ParseInt(digits, 10, 32); err == nil {
				return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n)), nil
			}
		}
	case 'n':
		if shape.IsNullValue(ed) {
			return protoreflect.ValueOfEnum(0), nil
		}
	}
	names, want := r.codec.enumNames(ed), "a number"
	if len(names) > 0 {
		want = "one of " + listedEnum(names)
	}
	return protoreflect.Value{}, r.mismatch(want, raw, enumHint(names, name))
}

func (c *Codec) enumNumber(ed protoreflect.EnumDescriptor, name string) (n protoreflect.EnumNumber, ok bool) {
	values := ed.Values()
	if v := values.ByName(protoreflect.Name(name)); v != nil && !c.hidesValue(v) {
		return v.Number(), true
	}
	for i := range values.Len() {
		v := values.Get(i)
		if !strings.EqualFold(string(v.Name()), name) || c.hidesValue(v) {
			continue
		}
		if ok && v.Number() != n {
			return 0, false
		}
		n, ok = v.Number(), true
	}
	return n, ok
}

// enumNames returns those that clients may see.
func (c *Codec) enumNames(ed protoreflect.EnumDescriptor) []string {
	names := make([]string, 0, ed.Values().Len())
	for i := range ed.Values().Len() {
		if v := ed.Values().Get(i); !c.hidesValue(v) {
			names = append(names, string(v.Name()))
		}
	}
	return names
}

// enumHint names the value that was probably meant: one that ends so (ACTIVE for STATE_ACTIVE), or one spelled nearly so; ""
// for none.
func enumHint(names []string, name string) string {
	if name == "" {
		return ""
	}
	near := shape.Nearest(name, names)
	for _, n := range names {
		if strings.HasSuffix(n, "_"+strings.ToUpper(name)) {
			near = n
			break
		}
	}
	if near == "" {
		return ""
	}
	return "did you mean " + quoted(near) + "?"
}
