package annotation

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// spell writes a value of a rule the way a [Constraint] does. names, when not nil, are those of the numbers. It says false for
// a duration or a timestamp out of range, and for messages that no rule has.
func spell(fd protoreflect.FieldDescriptor, v protoreflect.Value, names protoreflect.EnumDescriptor) (string, bool) {
	switch fd.Kind() {
	case protoreflect.FloatKind:
		return spellFloat(v.Float(), 32), true
	case protoreflect.DoubleKind:
		return spellFloat(v.Float(), 64), true
	case protoreflect.BytesKind:
		return base64.StdEncoding.EncodeToString(v.Bytes()), true
	case protoreflect.Int32Kind:
		return spellEnum(protoreflect.EnumNumber(v.Int()), names), true
	case protoreflect.MessageKind:
		return spellMessage(v.Message().Interface())
	}
	return v.String(), true
}

// spellEnum names a number, by the first of its names.
func spellEnum(number protoreflect.EnumNumber, names protoreflect.EnumDescriptor) string {
	if names != nil {
		if v := names.Values().ByNumber(number); v != nil {
			return string(v.Name())
		}
	}
	return strconv.Itoa(int(number))
}

// spellFloat is shortest and, like JSON's, with an exponent only for the very large and the very small; zero has no sign.
func spellFloat(f float64, bits int) string {
	switch size := math.Abs(f); {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0"
	case size < 1e-6 || size >= 1e21:
		return strings.Replace(strconv.FormatFloat(f, 'e', -1, bits), "e-0", "e-", 1)
	}
	return strconv.FormatFloat(f, 'f', -1, bits)
}

func spellMessage(m proto.Message) (string, bool) {
	switch m := m.(type) {
	case *durationpb.Duration:
		return spellDuration(m), m.IsValid()
	case *timestamppb.Timestamp:
		return m.AsTime().Format(time.RFC3339Nano), m.IsValid()
	case *fieldmaskpb.FieldMask:
		return strings.Join(m.GetPaths(), ","), true
	}
	return "", false
}

// spellDuration writes as many digits as it takes. Seconds and nanoseconds have the same sign, of which one is written.
func spellDuration(d *durationpb.Duration) string {
	sign, seconds, nanos := "", d.GetSeconds(), d.GetNanos()
	if seconds < 0 || nanos < 0 {
		sign, seconds, nanos = "-", -seconds, -nanos
	}
	text := strings.TrimRight(fmt.Sprintf("%d.%09d", seconds, nanos), "0")
	return sign + strings.TrimSuffix(text, ".") + "s"
}
