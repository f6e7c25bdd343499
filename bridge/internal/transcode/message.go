package transcode

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// readMessage reads the next value into m, which is empty.
func (r *reader) readMessage(m protoreflect.Message) error {
	switch r.codec.plan(m.Descriptor()).kind {
	case shape.Timestamp:
		return r.readText(m, `a timestamp such as "2026-01-31T10:30:00Z"`)
	case shape.Duration:
		return r.readText(m, `a duration in seconds such as "3.5s"`)
	case shape.FieldMask:
		return r.readFieldMask(m)
	case shape.Wrapper:
		return r.readWrapper(m)
	case shape.Struct, shape.ListValue:
		return r.readCollection(m, m.Descriptor().Fields().ByNumber(1))
	case shape.Value:
		return r.readValue(m)
	case shape.Any:
		return r.readAny(m)
	default:
		return r.readObject(m, "")
	}
}

// object is a message being filled from the members of a JSON object.
type object struct {
	protoreflect.Message
	plan   *plan
	given  map[protoreflect.FieldNumber]string // fields met, by the spelling used
	chosen map[int]string                      // oneofs set, by the spelling used
}

// readObject reads an object of one member a field; the member called skip, if any, is passed over.
func (r *reader) readObject(m protoreflect.Message, skip string) error {
	o := object{
		Message: m,
		plan:    r.codec.plan(m.Descriptor()),
		given:   map[protoreflect.FieldNumber]string{},
	}
	return r.enter('{', "an object", "", func() error {
		err := r.members(func(name string) error {
			if skip != "" && name == skip {
				return r.skip()
			}
			return r.readMember(&o, name)
		})
		if err != nil {
			return err
		}
		return r.missing(m)
	})
}

// readMember reads the value of the member called name into its field.
func (r *reader) readMember(o *object, name string) error {
	f, err := r.find(o, name)
	if err != nil {
		return err
	}
	fd := f.Descriptor
	if before, again := o.given[fd.Number()]; again {
		return r.fault(quoted(before)+" and "+quoted(name)+" are the same argument", "give it once")
	}
	o.given[fd.Number()] = name
	if r.dec.PeekKind() == 'n' && !takesNull(fd) {
		return r.skip()
	}
	if err := r.choose(o, fd, name); err != nil {
		return err
	}
	mark := len(r.path)
	r.path = r.path.field(f.Name)
	if err := r.readField(o, fd); err != nil {
		return err
	}
	r.path = r.path[:mark]
	return nil
}

// find resolves a member's name: a field in any spelling, or an extension as "[pkg.ext]".
func (r *reader) find(o *object, name string) (shape.Field, error) {
	if f, ok := o.plan.find(name); ok {
		return f, nil
	}
	if inner, ok := strings.CutPrefix(name, "["); ok && strings.HasSuffix(inner, "]") {
		full := protoreflect.FullName(strings.TrimSuffix(inner, "]"))
		if xt, err := r.codec.types.FindExtensionByName(full); err == nil && extends(xt, o.Descriptor()) && !r.codec.hides(xt.TypeDescriptor()) {
			return shape.Field{Descriptor: xt.TypeDescriptor(), Name: name}, nil
		}
		return shape.Field{}, r.fault("unknown extension "+quoted(name), "")
	}
	reason := "unknown argument " + quoted(name)
	if od := o.Descriptor().Oneofs().ByName(protoreflect.Name(name)); od != nil && !od.IsSynthetic() {
		if members := o.members(od); len(members) > 0 {
			return shape.Field{}, r.fault(reason, "it is a choice: set one of "+listed(members))
		}
	}
	if near := o.plan.nearest(name); near != "" {
		return shape.Field{}, r.fault(reason, "did you mean "+quoted(near)+"?")
	}
	return shape.Field{}, r.fault(reason, allowed(o.plan.fields))
}

func extends(xt protoreflect.ExtensionType, md protoreflect.MessageDescriptor) bool {
	xd := xt.TypeDescriptor()
	return xd.ContainingMessage().FullName() == md.FullName() && md.ExtensionRanges().Has(xd.Number())
}

// allowed says what an object may have, for the one who named something far from it.
func allowed(fields []shape.Field) string {
	if len(fields) == 0 {
		return "there are no arguments here"
	}
	return "there are: " + listed(names(fields))
}

// choose refuses a second member of a oneof.
func (r *reader) choose(o *object, fd protoreflect.FieldDescriptor, name string) error {
	od := fd.ContainingOneof()
	if od == nil {
		return nil
	}
	before, again := o.chosen[od.Index()]
	if !again {
		if o.chosen == nil {
			o.chosen = map[int]string{}
		}
		o.chosen[od.Index()] = name
		return nil
	}
	return r.fault(quoted(before)+" and "+quoted(name)+" exclude each other", "set only one of: "+listed(o.members(od)))
}

// members names the fields of a oneof.
func (o *object) members(od protoreflect.OneofDescriptor) []string {
	var names []string
	for _, f := range o.plan.fields {
		if f.Descriptor.ContainingOneof() == od {
			names = append(names, f.Name)
		}
	}
	return names
}

// missing refuses a message that lacks required fields, which only proto2 and editions have. One that is hidden is for the
// backend to miss.
func (r *reader) missing(m protoreflect.Message) error {
	if m.Descriptor().RequiredNumbers().Len() == 0 {
		return nil
	}
	var names []string
	for _, f := range r.codec.plan(m.Descriptor()).fields {
		if f.Descriptor.Cardinality() == protoreflect.Required && !m.Has(f.Descriptor) {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return r.fault("missing "+listed(names), "required here")
}

// takesNull reports whether null is a value of the field and not its absence.
func takesNull(fd protoreflect.FieldDescriptor) bool {
	if fd.Cardinality() == protoreflect.Repeated {
		return false
	}
	return shape.IsNullValue(fd.Enum()) || fd.Message() != nil && shape.KindOf(fd.Message()) == shape.Value
}

// readField reads the next value, not null unless the field takes that, into the field fd of m.
func (r *reader) readField(m protoreflect.Message, fd protoreflect.FieldDescriptor) error {
	if fd.IsList() || fd.IsMap() {
		return r.readCollection(m, fd)
	}
	v, err := r.readSingular(fd, func() protoreflect.Value { return m.NewField(fd) })
	if err != nil {
		return err
	}
	m.Set(fd, v)
	return nil
}

// readSingular reads one value of fd's type; fresh makes the message to fill where it is one.
func (r *reader) readSingular(fd protoreflect.FieldDescriptor, fresh func() protoreflect.Value) (protoreflect.Value, error) {
	if fd.Message() == nil {
		return r.readScalar(fd)
	}
	v, ok := r.plain(fd.Message())
	if !ok {
		v = fresh()
	}
	return v, r.readMessage(v.Message())
}

// plain returns an empty message of the type that stands for any JSON. Of these there may be as many as there are tokens,
// and the generated ones take a fifth of the memory of those made from descriptors.
func (r *reader) plain(md protoreflect.MessageDescriptor) (v protoreflect.Value, ok bool) {
	var m proto.Message
	switch r.codec.plan(md).kind {
	case shape.Value:
		m = new(structpb.Value)
	case shape.Struct:
		m = new(structpb.Struct)
	case shape.ListValue:
		m = new(structpb.ListValue)
	default:
		return v, false
	}
	return protoreflect.ValueOfMessage(m.ProtoReflect()), true
}

// readCollection reads a list or a map into the field fd of m.
func (r *reader) readCollection(m protoreflect.Message, fd protoreflect.FieldDescriptor) error {
	if fd.IsMap() {
		entries := m.Mutable(fd).Map()
		return r.enter('{', "an object", "", func() error {
			return r.members(func(name string) error { return r.readEntry(entries, fd, name) })
		})
	}
	list := m.Mutable(fd).List()
	return r.enter('[', "a list", "wrap it in [ ]", func() error {
		return r.elements(func() error {
			v, err := r.readSingular(fd, list.NewElement)
			if err == nil {
				list.Append(v)
			}
			return err
		})
	})
}

// readEntry reads the value of one entry of a map.
func (r *reader) readEntry(entries protoreflect.Map, fd protoreflect.FieldDescriptor, name string) error {
	mark := len(r.path)
	r.path = r.path.key(name)
	key, want := mapKey(name, fd.MapKey().Kind())
	if want != "" {
		return r.fault("the key is not "+want, "")
	}
	if entries.Has(key) {
		return r.fault("the key is given twice, in two spellings", "give it once")
	}
	v, err := r.readSingular(fd.MapValue(), entries.NewValue)
	if err != nil {
		return err
	}
	entries.Set(key, v)
	r.path = r.path[:mark]
	return nil
}

// mapKey reads a map key of the given kind; where it cannot, want says what would do.
func mapKey(name string, kind protoreflect.Kind) (key protoreflect.MapKey, want string) {
	var v any
	var err error
	switch kind {
	case protoreflect.StringKind:
		v = name
	case protoreflect.BoolKind:
		v, want = name == "true", `"true" or "false"`
		if name == "true" || name == "false" {
			want = ""
		}
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		var n uint64
		n, err = strconv.ParseUint(name, 10, 32)
		v = uint32(n)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		v, err = strconv.ParseUint(name, 10, 64)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		v, err = strconv.ParseInt(name, 10, 64)
	default:
		var n int64
		n, err = strconv.ParseInt(name, 10, 32)
		v = int32(n)
	}
	if err != nil {
		want = "a decimal integer that fits " + kind.String()
	}
	return protoreflect.ValueOf(v).MapKey(), want
}
