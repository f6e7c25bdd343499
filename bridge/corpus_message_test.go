package bridge_test

import (
	"bytes"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// drawer draws messages: what a backend may send where it is hostile, else what ProtoJSON can say.
type drawer struct {
	*rapid.T

	types   *dynamicpb.Types
	hostile bool
	room    int // how many more fields may be set
}

// drawMessage draws a message of a type.
func drawMessage(t *rapid.T, types *dynamicpb.Types, md protoreflect.MessageDescriptor, hostile bool) *dynamicpb.Message {
	m := dynamicpb.NewMessage(md)
	d := drawer{T: t, types: types, hostile: hostile, room: 150}
	d.message(m, []int{4, 1, 2, 3, 5, 6}[pick(t, 6, "depth")])
	if hostile && pick(t, 10, "deep") == 0 {
		d.chain(m)
	}
	return m
}

// TestDrawRequiredCycle: of types that require each other no message is complete, and drawing one ends.
func TestDrawRequiredCycle(t *testing.T) {
	t.Parallel()
	field := func(name string, number int32, kind descriptorpb.FieldDescriptorProto_Type) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{
			Name: &name, Number: &number, Type: &kind, Label: descriptorpb.FieldDescriptorProto_LABEL_REQUIRED.Enum(),
		}
	}
	fields := []*descriptorpb.FieldDescriptorProto{
		field("a", 1, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE), field("b", 2, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE),
		field("text", 3, descriptorpb.FieldDescriptorProto_TYPE_STRING),
	}
	fields[0].TypeName, fields[1].TypeName = new(".Cycle"), new(".Cycle")
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("cycle.proto"), MessageType: []*descriptorpb.DescriptorProto{{Name: new("Cycle"), Field: fields}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		md := file.Messages().Get(0)
		m := drawMessage(t, dynamicpb.NewTypes(nil), md, rapid.Bool().Draw(t, "hostile"))
		if err := proto.CheckInitialized(m); err == nil || !m.Has(md.Fields().ByName("text")) || !m.Has(md.Fields().ByName("a")) {
			t.Fatalf("complete, or without its text or its first message: %v", err)
		}
	})
}

// pick draws a number below n, each as likely as the others: rapid's own ranges prefer the small ones.
func pick(t *rapid.T, n int, label string) int {
	return int(rapid.Uint64().Draw(t, label) * 0x9e3779b97f4a7c15 >> 33 % uint64(n)) // 2⁶⁴ over the golden ratio
}

// invalidText is what of a text in a wire is replaced by bytes that are not UTF-8: protobuf-go writes no such text itself.
const invalidText = "qZq8Q"

// drawWire draws the wire of a message as a backend may send it: with text that is not UTF-8 and with fields that the
// descriptor does not know.
func drawWire(t *rapid.T, types *dynamicpb.Types, md protoreflect.MessageDescriptor) []byte {
	wire, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(drawMessage(t, types, md, true))
	if err != nil {
		t.Fatal(err)
	}
	wire = bytes.ReplaceAll(wire, []byte(invalidText), []byte("q\xff\xc3\x28Q"))
	if rapid.Bool().Draw(t, "unknown field") {
		wire = protowire.AppendTag(wire, 18_999, protowire.BytesType) // below those that protobuf keeps for itself
		wire = protowire.AppendString(wire, "from a newer version")
	}
	return wire
}

func (d *drawer) message(m protoreflect.Message, depth int) {
	switch shape.KindOf(m.Descriptor()) {
	case shape.Timestamp:
		d.time(m, -62135596800, 253402300799, false)
	case shape.Duration:
		d.time(m, -315576000000, 315576000000, true)
	case shape.FieldMask:
		d.mask(m)
	case shape.Any:
		d.any(m, depth)
	case shape.Value:
		d.value(m, depth)
	default:
		d.fields(m, depth)
	}
}

// Where the depth and the room are below these, messages that have to be set are left out all the same: their types may require
// each other without end.
const (
	bottom = -40
	debt   = -2000
)

// fields sets those that have to be, and of the others some, all that there is room for, or none.
func (d *drawer) fields(m protoreflect.Message, depth int) {
	fds := m.Descriptor().Fields()
	one := []int{1, 2, 1, 0, 1, 3, 1, 2}[pick(d.T, 8, "one field in")]
	for i := range fds.Len() {
		fd := fds.Get(i)
		switch must := fd.Cardinality() == protoreflect.Required; {
		case must && (!nests(fd) || depth > bottom && d.room > debt):
		case one == 0 || d.room <= 0 || depth <= 0 && nests(fd):
			continue
		case one > 1 && pick(d.T, one, "set") > 0:
			continue
		}
		if shape.IsNullValue(fd.Enum()) && !d.hostile && !fd.IsList() && !fd.IsMap() {
			continue // null means absent there, so that what was set cannot be told
		}
		d.room--
		d.field(m, fd, depth)
	}
}

// nests says whether a field holds messages.
func nests(fd protoreflect.FieldDescriptor) bool {
	return !fd.IsMap() && fd.Message() != nil || fd.IsMap() && fd.MapValue().Message() != nil
}

func (d *drawer) field(m protoreflect.Message, fd protoreflect.FieldDescriptor, depth int) {
	most := 3
	if d.hostile && !nests(fd) && pick(d.T, 40, "huge") == 0 {
		most = 300
	}
	size := rapid.IntRange(0, most)
	switch {
	case fd.IsMap():
		entries := m.Mutable(fd).Map()
		for range size.Draw(d.T, "entries") {
			entries.Set(d.scalar(fd.MapKey()).MapKey(), d.single(fd.MapValue(), entries.NewValue, depth))
		}
	case fd.IsList():
		list := m.Mutable(fd).List()
		for range size.Draw(d.T, "elements") {
			list.Append(d.single(fd, list.NewElement, depth))
		}
	default:
		m.Set(fd, d.single(fd, func() protoreflect.Value { return m.NewField(fd) }, depth))
	}
}

func (d *drawer) single(fd protoreflect.FieldDescriptor, fresh func() protoreflect.Value, depth int) protoreflect.Value {
	if fd.Message() == nil {
		return d.scalar(fd)
	}
	v := fresh()
	d.message(v.Message(), depth-1)
	return v
}

// The values that are drawn more often than others.
var (
	edgeFloats = []float64{0, math.Copysign(0, -1), 1.5, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, 1e21, 1e-7}
	edgeTexts  = []string{"", "a", "größe", "not.a.Path", "\u0000\"\\\n", "</script>", "\u202e", "NaN", "null"}
)

func (d *drawer) scalar(fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(d.T, "bool"))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(d.enum(fd.Enum()))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(d.text())
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(d.T, "bytes"))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(d.float()))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(d.float())
	}
	return d.integer(fd.Kind())
}

func (d *drawer) integer(kind protoreflect.Kind) protoreflect.Value {
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(rapid.OneOf(rapid.Int32(), rapid.Just[int32](math.MinInt32)).Draw(d.T, "int32"))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(rapid.OneOf(rapid.Uint32(), rapid.Just[uint32](math.MaxUint32)).Draw(d.T, "uint32"))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(rapid.OneOf(rapid.Uint64(), rapid.Just[uint64](math.MaxUint64)).Draw(d.T, "uint64"))
	}
	extremes := rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64})
	return protoreflect.ValueOfInt64(rapid.OneOf(rapid.Int64(), extremes).Draw(d.T, "int64"))
}

// enum picks a declared number, or one that nobody declared.
func (d *drawer) enum(ed protoreflect.EnumDescriptor) protoreflect.EnumNumber {
	values := ed.Values()
	i := pick(d.T, values.Len()+1, "enum")
	if i < values.Len() {
		return values.Get(i).Number()
	}
	if shape.IsNullValue(ed) && !d.hostile {
		return 0
	}
	return 99999
}

func (d *drawer) text() string {
	if d.hostile && pick(d.T, 6, "invalid") == 0 {
		return invalidText
	}
	return rapid.OneOf(rapid.SampledFrom(edgeTexts), rapid.StringN(0, 6, -1)).Draw(d.T, "string")
}

func (d *drawer) float() float64 {
	return rapid.OneOf(rapid.SampledFrom(edgeFloats), rapid.Float64()).Draw(d.T, "float")
}

// time sets seconds and nanos, which have one sign where both have one.
func (d *drawer) time(m protoreflect.Message, least, most int64, signed bool) {
	seconds, nanos := rapid.Int64Range(least, most).Draw(d.T, "seconds"), rapid.Int32Range(0, 999999999).Draw(d.T, "nanos")
	if rapid.Bool().Draw(d.T, "millis") {
		nanos -= nanos % 1e6
	}
	if signed && seconds < 0 {
		nanos = -nanos
	}
	if d.hostile && pick(d.T, 4, "out of range") == 0 {
		seconds, nanos = rapid.Int64().Draw(d.T, "any seconds"), rapid.Int32().Draw(d.T, "any nanos")
	}
	m.Set(m.Descriptor().Fields().ByNumber(1), protoreflect.ValueOfInt64(seconds))
	m.Set(m.Descriptor().Fields().ByNumber(2), protoreflect.ValueOfInt32(nanos))
}

func (d *drawer) mask(m protoreflect.Message) {
	paths := `[a-z]{1,3}(_[a-z]{1,3})?(\.[a-z]{1,3}){0,2}`
	if d.hostile {
		paths = `[a-z*A-Z_.1]{1,6}`
	}
	list := m.Mutable(m.Descriptor().Fields().ByNumber(1)).List()
	for range rapid.IntRange(0, 3).Draw(d.T, "paths") {
		list.Append(protoreflect.ValueOfString(rapid.StringMatching(paths).Draw(d.T, "path")))
	}
}

// payloads are the types that an Any may hold, where the API has them.
var payloads = []protoreflect.FullName{
	"google.protobuf.Empty", "google.protobuf.Duration", "google.protobuf.Struct", "google.protobuf.StringValue", "google.rpc.Status",
}

// any leaves the message empty, or sets a payload: one of a type that nobody knows where the drawer is hostile, or no message
// at all.
func (d *drawer) any(m protoreflect.Message, depth int) {
	url, wire := "type.googleapis.com/none.Such", []byte("\xff\x00")
	name := payloads[pick(d.T, len(payloads), "payload")]
	mt, err := d.types.FindMessageByName(name)
	switch {
	case rapid.Bool().Draw(d.T, "empty Any"):
		return
	case err == nil && (!d.hostile || rapid.Bool().Draw(d.T, "known")):
		payload := mt.New()
		d.message(payload, depth-1)
		if wire, err = (proto.MarshalOptions{AllowPartial: true, Deterministic: true}).Marshal(payload.Interface()); err != nil {
			d.Fatal(err)
		}
		url = "type.googleapis.com/" + string(name)
	case !d.hostile:
		return
	}
	m.Set(m.Descriptor().Fields().ByNumber(1), protoreflect.ValueOfString(url))
	m.Set(m.Descriptor().Fields().ByNumber(2), protoreflect.ValueOfBytes(wire))
}

// value sets one kind of a google.protobuf.Value, or none where the drawer is hostile.
func (d *drawer) value(m protoreflect.Message, depth int) {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	kind := 1 + pick(d.T, kinds, "kind")
	if d.hostile && pick(d.T, 6, "unset") == 0 {
		return
	}
	fd := m.Descriptor().Fields().ByNumber(protoreflect.FieldNumber(kind))
	if kind == 2 && !d.hostile {
		m.Set(fd, protoreflect.ValueOfFloat64(rapid.Float64().Draw(d.T, "number")))
		return
	}
	d.field(m, fd, depth)
}

// chain nests messages more deeply than JSON may be nested, where the type is recursive somewhere.
func (d *drawer) chain(m protoreflect.Message) {
	known := map[protoreflect.FullName]bool{}
	for range 130 {
		next := endless(m.Descriptor(), known)
		if next == nil {
			return
		}
		if next.IsList() {
			m = m.Mutable(next).List().AppendMutable().Message()
		} else {
			m = m.Mutable(next).Message()
		}
	}
}

// endless returns a field by which a message leads to one that contains itself, nil for none. known says of messages whether
// there is one; while it is looked for, there may be.
func endless(md protoreflect.MessageDescriptor, known map[protoreflect.FullName]bool) protoreflect.FieldDescriptor {
	known[md.FullName()] = true
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		next := fd.Message()
		if next == nil || fd.IsMap() || shape.KindOf(next) != shape.Object {
			continue
		}
		is, asked := known[next.FullName()]
		if is || !asked && endless(next, known) != nil {
			return fd
		}
	}
	known[md.FullName()] = false
	return nil
}
