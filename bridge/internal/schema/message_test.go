package schema_test

import (
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"
)

// filler sets random fields of messages to random values, legal or not, as a backend might.
type filler struct {
	t *rapid.T
}

func (f filler) message(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if rapid.IntRange(0, 2).Draw(f.t, "set") == 0 {
			f.field(m, fields.Get(i), depth)
		}
	}
}

func (f filler) field(m protoreflect.Message, fd protoreflect.FieldDescriptor, depth int) {
	nested := fd.Message() != nil && !fd.IsMap() || fd.IsMap() && fd.MapValue().Message() != nil
	if nested && depth == 0 {
		return
	}
	switch {
	case fd.IsMap():
		entries := m.Mutable(fd).Map()
		value := entries.NewValue()
		if fd.MapValue().Message() != nil {
			f.message(value.Message(), depth-1)
		} else {
			value = f.scalar(fd.MapValue())
		}
		entries.Set(f.scalar(fd.MapKey()).MapKey(), value)
	case fd.IsList():
		list := m.Mutable(fd).List()
		for range rapid.IntRange(0, 2).Draw(f.t, "items") {
			if nested {
				f.message(list.AppendMutable().Message(), depth-1)
			} else {
				list.Append(f.scalar(fd))
			}
		}
	case nested:
		f.message(m.Mutable(fd).Message(), depth-1)
	default:
		m.Set(fd, f.scalar(fd))
	}
}

var (
	floats = []float64{0, 1.5, -2, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, math.SmallestNonzeroFloat32}
	texts  = []string{"", "a", "größe", "snake_case", "not.a.Path", "type.googleapis.com/none.Such", "\u0000\"\\", "*"}
)

func (f filler) scalar(fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(f.t, "bool"))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(f.enum(fd.Enum()))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(rapid.SampledFrom(texts).Draw(f.t, "string"))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(f.t, "bytes"))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(rapid.SampledFrom(floats).Draw(f.t, "float")))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(rapid.SampledFrom(floats).Draw(f.t, "double"))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(rapid.Int32().Draw(f.t, "int32"))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(f.t, "uint32"))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(f.t, "uint64"))
	}
	return protoreflect.ValueOfInt64(rapid.Int64().Draw(f.t, "int64"))
}

// enum picks a declared number or one that nobody declared.
func (f filler) enum(ed protoreflect.EnumDescriptor) protoreflect.EnumNumber {
	i := rapid.IntRange(0, ed.Values().Len()).Draw(f.t, "enum")
	if i == ed.Values().Len() {
		return 99999
	}
	return ed.Values().Get(i).Number()
}
