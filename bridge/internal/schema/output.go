package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// promise is the dialect of output: what may come, whatever the backend says. A node without a type admits null too, which
// is emitted for google.protobuf.Value and NullValue alone.
type promise struct {
	read map[protoreflect.FullName][]shape.Field
	omit func(protoreflect.FieldDescriptor) bool // of the root's fields; nil for none
}

func (out *promise) fields(md protoreflect.MessageDescriptor, _ texts, depth int) []member {
	shown := out.shown(md)
	members := make([]member, 0, len(shown))
	for _, f := range shown {
		if depth == 1 && out.omit != nil && out.omit(f.Descriptor) {
			continue
		}
		members = append(members, out.member(f))
	}
	return members
}

func (out *promise) names(md protoreflect.MessageDescriptor) []string {
	fields := out.shown(md)
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// shown returns the fields that a response may have.
func (out *promise) shown(md protoreflect.MessageDescriptor) []shape.Field {
	if fields, ok := out.read[md.FullName()]; ok {
		return fields
	}
	var fields []shape.Field
	for _, f := range shape.Of(md).Fields() {
		if !annotation.BehaviorOf(f.Descriptor).InputOnly {
			fields = append(fields, f)
		}
	}
	if out.read == nil {
		out.read = map[protoreflect.FullName][]shape.Field{}
	}
	out.read[md.FullName()] = fields
	return fields
}

func (out *promise) member(f shape.Field) member {
	m := member{property: property{name: f.Name}}
	fd := f.Descriptor
	if fd.IsMap() {
		m.node = &node{types: []string{"object"}, description: describe("", namer(out.names).entries(fd), "")}
		return m
	}
	m.node = out.value(fd)
	if md := fd.Message(); md != nil && shape.KindOf(md) == shape.Object {
		m.nested, m.body = md, m.node
	}
	if fd.IsList() {
		m.node = &node{types: []string{"array"}, items: m.node}
	}
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
		return &node{types: []string{"string"}}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return &node{types: []string{"number", "string"}}
	}
	if is64(fd.Kind()) {
		return &node{types: []string{"string"}}
	}
	return &node{types: []string{"integer"}}
}

// message describes the well-known types without patterns or formats: a value that its type does not allow is emitted as
// well as can be, not withheld.
func (out *promise) message(md protoreflect.MessageDescriptor) *node {
	switch shape.KindOf(md) {
	case shape.Timestamp, shape.Duration, shape.FieldMask:
		return &node{types: []string{"string"}}
	case shape.Wrapper:
		return out.value(md.Fields().ByNumber(1))
	case shape.Value:
		return &node{}
	case shape.ListValue:
		return &node{types: []string{"array"}, items: &node{}}
	}
	return &node{types: []string{"object"}}
}
