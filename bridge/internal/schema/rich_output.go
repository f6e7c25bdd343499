package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// results describes the fields of md that a response may have.
func (g *Generator) results(md protoreflect.MessageDescriptor) []richField {
	var fields []richField
	for _, f := range shape.Of(md).Fields() {
		fd := f.Descriptor
		if g.reader.Field(fd).InputOnly || g.reader.Hidden(fd) != "" {
			continue
		}
		var n *richNode
		switch {
		case fd.IsMap():
			n = &richNode{types: `"object"`, values: promised(fd.MapValue())}
		case fd.IsList():
			n = &richNode{types: `"array"`, items: promised(fd)}
		default:
			n = promised(fd)
		}
		fields = append(fields, richField{name: f.Name, node: n})
	}
	return fields
}

// promised describes one value of fd as wide as it can come: a value that its type does not allow is emitted as well as
// can be, not withheld.
func promised(fd protoreflect.FieldDescriptor) *richNode {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return promisedMessage(fd.Message())
	case protoreflect.EnumKind:
		if shape.IsNullValue(fd.Enum()) {
			return &richNode{types: `"null"`}
		}
		return &richNode{target: fd.Enum()}
	case protoreflect.BoolKind:
		return &richNode{types: `"boolean"`}
	case protoreflect.StringKind:
		return &richNode{types: `"string"`}
	case protoreflect.BytesKind:
		return &richNode{types: `"string"`, rest: []string{encoded}}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return &richNode{types: `["number","string"]`}
	}
	if is64(fd.Kind()) {
		return &richNode{types: `"string"`}
	}
	return &richNode{types: `"integer"`}
}

// encoded is how bytes are told from text.
const encoded = `"contentEncoding":"base64"`

func promisedMessage(md protoreflect.MessageDescriptor) *richNode {
	switch shape.KindOf(md) {
	case shape.Timestamp, shape.Duration, shape.FieldMask:
		return &richNode{types: `"string"`}
	case shape.Wrapper:
		return promised(md.Fields().ByNumber(1))
	case shape.Value:
		return &richNode{}
	case shape.ListValue:
		return &richNode{types: `"array"`, items: &richNode{}}
	case shape.Any, shape.Struct, shape.Empty:
		return &richNode{types: `"object"`}
	}
	return &richNode{target: md}
}
