package transcode_test

import (
	"math"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// maker draws random messages.
type maker struct {
	types    transcode.Resolver
	payloads []protoreflect.FullName // what an Any may hold
	hostile  bool                    // also values that protojson refuses
	marked   bool                    // some strings hold the marker
}

// marker stands in strings whose place in the wire a test wants to find.
const marker = "qZq8Q"

// messages generates messages of type md with at most a few fields at each level.
func (g maker) messages(md protoreflect.MessageDescriptor) *rapid.Generator[*dynamicpb.Message] {
	return rapid.Custom(func(t *rapid.T) *dynamicpb.Message {
		m := dynamicpb.NewMessage(md)
		g.fill(t, m, rapid.IntRange(3, 5).Draw(t, "depth"))
		return m
	})
}

func (g maker) fill(t *rapid.T, m protoreflect.Message, depth int) {
	switch m.Descriptor().FullName() {
	case "google.protobuf.Timestamp":
		g.setTime(t, m, -62135596800, 253402300799, 0)
	case "google.protobuf.Duration":
		g.setTime(t, m, -315576000000, 315576000000, -999999999)
	case "google.protobuf.FieldMask":
		g.setMask(t, m)
	case "google.protobuf.Any":
		g.setAny(t, m, depth)
	case "google.protobuf.Value":
		g.setValue(t, m, depth)
	default:
		g.setFields(t, m, depth)
	}
}

func (g maker) setFields(t *rapid.T, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if fd := fields.Get(i); fd.Cardinality() == protoreflect.Required {
			g.setField(t, m, fd, depth)
		}
	}
	if fields.Len() == 0 || depth < 0 {
		return
	}
	least := min(depth, 3)
	for range rapid.IntRange(least, 4*least).Draw(t, "fields") {
		// Small numbers are drawn more often than large ones: the product scatters them over the fields.
		i := rapid.Uint32().Draw(t, "field") * 2654435761 >> 8
		g.setField(t, m, fields.Get(int(i)%fields.Len()), depth)
	}
}

func (g maker) setField(t *rapid.T, m protoreflect.Message, fd protoreflect.FieldDescriptor, depth int) {
	size := rapid.IntRange(0, 3)
	switch {
	case fd.IsMap():
		entries := m.Mutable(fd).Map()
		for range size.Draw(t, "entries") {
			key := g.scalar(t, fd.MapKey()).MapKey()
			entries.Set(key, g.single(t, fd.MapValue(), entries.NewValue, depth))
		}
	case fd.IsList():
		list := m.Mutable(fd).List()
		for range size.Draw(t, "elements") {
			list.Append(g.single(t, fd, list.NewElement, depth))
		}
	default:
		m.Set(fd, g.single(t, fd, func() protoreflect.Value { return m.NewField(fd) }, depth))
	}
}

func (g maker) single(t *rapid.T, fd protoreflect.FieldDescriptor, fresh func() protoreflect.Value, depth int) protoreflect.Value {
	if fd.Message() == nil {
		return g.scalar(t, fd)
	}
	v := fresh()
	g.fill(t, v.Message(), depth-1)
	return v
}

func (g maker) scalar(t *rapid.T, fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, "bool"))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(rapid.Int32().Draw(t, "int32"))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(t, "uint32"))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(rapid.Int64().Draw(t, "int64"))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(t, "uint64"))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(float(t)))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float(t))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(rapid.SliceOfN(rapid.Byte(), 0, 10).Draw(t, "bytes"))
	case protoreflect.EnumKind:
		values := fd.Enum().Values()
		if n := rapid.IntRange(0, values.Len()).Draw(t, "enum"); n < values.Len() {
			return protoreflect.ValueOfEnum(values.Get(n).Number())
		}
		if fd.Enum().FullName() == "google.protobuf.NullValue" {
			return protoreflect.ValueOfEnum(0)
		}
		return protoreflect.ValueOfEnum(99999)
	default:
		s := rapid.StringN(0, 8, -1).Draw(t, "string")
		if g.marked && rapid.Bool().Draw(t, "marked") {
			s += marker
		}
		return protoreflect.ValueOfString(s)
	}
}

func float(t *rapid.T) float64 {
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e21, 1e-7, math.MaxFloat32, 1 << 53}
	if i := rapid.IntRange(0, 2*len(special)).Draw(t, "special"); i < len(special) {
		return special[i]
	}
	return rapid.Float64().Draw(t, "float")
}

// setTime sets seconds and nanos; least is the lowest value of nanos, which have the sign of the seconds.
func (g maker) setTime(t *rapid.T, m protoreflect.Message, from, to int64, least int32) {
	seconds, nanos := rapid.Int64Range(from, to).Draw(t, "seconds"), rapid.Int32Range(least, 999999999).Draw(t, "nanos")
	if rapid.Bool().Draw(t, "millis") {
		nanos -= nanos % 1e6
	}
	if least < 0 && (seconds < 0) != (nanos < 0) {
		nanos = -nanos
	}
	if g.hostile && rapid.Bool().Draw(t, "out of range") {
		seconds, nanos = rapid.Int64().Draw(t, "any seconds"), rapid.Int32().Draw(t, "any nanos")
	}
	m.Set(m.Descriptor().Fields().ByNumber(1), protoreflect.ValueOfInt64(seconds))
	m.Set(m.Descriptor().Fields().ByNumber(2), protoreflect.ValueOfInt32(nanos))
}

func (g maker) setMask(t *rapid.T, m protoreflect.Message) {
	paths := rapid.StringMatching(`[a-z]{1,3}(_[a-z]{1,3})?(\.[a-z]{1,3}){0,2}`)
	if g.hostile {
		paths = rapid.StringMatching(`[a-z*A-Z_.1]{1,6}`)
	}
	list := m.Mutable(m.Descriptor().Fields().ByNumber(1)).List()
	for range rapid.IntRange(0, 3).Draw(t, "paths") {
		list.Append(protoreflect.ValueOfString(paths.Draw(t, "path")))
	}
}

func (g maker) setAny(t *rapid.T, m protoreflect.Message, depth int) {
	if depth < 0 || len(g.payloads) == 0 || rapid.IntRange(0, 3).Draw(t, "empty Any") == 0 {
		return
	}
	name := rapid.SampledFrom(g.payloads).Draw(t, "payload")
	mt, err := g.types.FindMessageByName(name)
	if err != nil {
		t.Fatal(err)
	}
	payload := mt.New()
	g.fill(t, payload, depth-1)
	wire, err := proto.MarshalOptions{Deterministic: true}.Marshal(payload.Interface())
	if err != nil {
		t.Fatal(err)
	}
	if g.hostile {
		name = rapid.SampledFrom([]protoreflect.FullName{name, "none.Such", ""}).Draw(t, "name")
		wire = append(wire, rapid.SampledFrom([]string{"", "\x0a", "\xff"}).Draw(t, "garbage")...)
	}
	m.Set(m.Descriptor().Fields().ByNumber(1),
		protoreflect.ValueOfString(strings.TrimSuffix("type.googleapis.com/"+string(name), "type.googleapis.com/")))
	m.Set(m.Descriptor().Fields().ByNumber(2), protoreflect.ValueOfBytes(wire))
}

func (g maker) setValue(t *rapid.T, m protoreflect.Message, depth int) {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	kind := rapid.IntRange(1, kinds).Draw(t, "kind")
	if g.hostile && rapid.Bool().Draw(t, "unset") {
		return
	}
	fd := m.Descriptor().Fields().ByNumber(protoreflect.FieldNumber(kind))
	if kind == 2 && !g.hostile {
		m.Set(fd, protoreflect.ValueOfFloat64(rapid.Float64().Draw(t, "number")))
		return
	}
	g.setField(t, m, fd, depth)
}
