package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// promise is the dialect of output: what may come, whatever the backend says. A node without a type admits null too, which
// is emitted for google.protobuf.Value and NullValue alone.
type promise struct {
	reader    *teller
	read      cache[protoreflect.FullName, []shape.Field]
	described cache[protoreflect.FullName, []member]
	stubs     stubs
}

// omitting is the dialect of one output of which the root lacks some fields.
type omitting struct {
	*promise
	omit func(protoreflect.FieldDescriptor) bool // nil for none
}

func (out omitting) fields(md protoreflect.MessageDescriptor, v view) []member {
	members := out.promise.fields(md, v)
	if !v.root || out.omit == nil {
		return members
	}
	shown := make([]member, 0, len(members))
	for _, m := range members {
		if !out.omit(m.field) {
			shown = append(shown, m)
		}
	}
	return shown
}

func (out *promise) fields(md protoreflect.MessageDescriptor, _ view) []member {
	return out.described.get(md.FullName(), func() []member {
		fields := out.shown(md)
		members := make([]member, len(fields))
		for i, f := range fields {
			members[i] = out.member(f)
		}
		return members
	})
}

func (out *promise) namer() namer { return namer{names: out.names, values: out.reader.seen} }

func (out *promise) names(md protoreflect.MessageDescriptor) (required, others []string) {
	fields := out.shown(md)
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return nil, names
}

// shown returns the fields that a response may have.
func (out *promise) shown(md protoreflect.MessageDescriptor) []shape.Field {
	return out.read.get(md.FullName(), func() []shape.Field {
		var fields []shape.Field
		for _, f := range shape.Of(md).Fields() {
			if out.reader.Hidden(f.Descriptor) == "" && !out.reader.Field(f.Descriptor).InputOnly {
				fields = append(fields, f)
			}
		}
		return fields
	})
}

func (out *promise) stub(md protoreflect.MessageDescriptor, named int) string {
	return out.stubs.of(md, out.namer(), named)
}

func (out *promise) whole(protoreflect.MessageDescriptor) string { return "" }

func (out *promise) member(f shape.Field) member {
	fd := f.Descriptor
	m := member{property: property{name: f.Name}, field: fd}
	if md := fd.Message(); md != nil && !fd.IsMap() && shape.KindOf(md) == shape.Object {
		m.nested = md
		if fd.IsList() {
			m.node = &node{types: arrayType}
		}
		return m
	}
	switch {
	case fd.IsMap():
		m.node = &node{types: objectType, description: out.namer().entries(fd, out.namer().brief)}
	case fd.IsList():
		m.node = &node{types: arrayType, items: out.value(fd)}
	default:
		m.node = out.value(fd)
	}
	m.node.seal()
	return m
}

func (out *promise) value(fd protoreflect.FieldDescriptor) *node {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return out.message(fd.Message())
	case protoreflect.EnumKind:
		if shape.IsNullValue(fd.Enum()) {
			return &node{}
		}
		return &node{types: []string{"string", "integer"}}
	case protoreflect.BoolKind:
		return &node{types: []string{"boolean"}}
	case protoreflect.StringKind, protoreflect.BytesKind:
		return &node{types: stringType}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return &node{types: []string{"number", "string"}}
	}
	if is64(fd.Kind()) {
		return &node{types: stringType}
	}
	return &node{types: []string{"integer"}}
}

// message describes the well-known types without patterns or formats: a value that its type does not allow is emitted as
// well as can be, not withheld.
func (out *promise) message(md protoreflect.MessageDescriptor) *node {
	switch shape.KindOf(md) {
	case shape.Timestamp, shape.Duration, shape.FieldMask:
		return &node{types: stringType}
	case shape.Wrapper:
		return out.value(md.Fields().ByNumber(1))
	case shape.Value:
		return &node{}
	case shape.ListValue:
		return &node{types: arrayType, items: &node{}}
	}
	return &node{types: objectType}
}
