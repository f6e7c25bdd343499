package content

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Output says how the responses of one method become content. It is immutable and safe for concurrent use.
//
// Content are the direct fields of the response that are of the type bridge.v1.Content, bridge.v1.ResourceContents or
// google.api.HttpBody, be they singular, repeated or in a oneof, but no maps; or the whole response, where it is of one of
// these types. A field of type bridge.v1.PromptMessage is a message for [Output.Messages], and data like any other
// elsewhere.
//
// A type is recognised by its full name and by its fields: each that has a number of ours must be of our type, so that a
// backend may have an older or newer copy of the file, and a stranger with the name of ours is data.
type Output struct {
	response protoreflect.FullName
	whole    bool // the response is one part itself, the only one in parts
	only     bool
	spoken   bool
	parts    []part                      // in the order of declaration
	byNumber map[protowire.Number]int    // field of the response → index in parts
	rivals   map[protowire.Number]member // fields in those oneofs that have a part
}

// part is a field of the response, or the response, whose type is one of ours.
type part struct {
	kind  kind
	name  string // of the field; "result" for the whole response
	list  bool
	oneof protoreflect.OneofDescriptor // nil for none
}

// member is a field in a oneof.
type member struct {
	oneof protoreflect.OneofDescriptor
	typ   protowire.Type // with another, the field counts as unknown
}

// wholeName is what a response is called that is content itself, where a field has its name.
const wholeName = "result"

// OfOutput examines the response type of a method. The result is never nil; where md is no ordinary message, or nil, it
// is Plain.
func OfOutput(md protoreflect.MessageDescriptor) *Output {
	o := &Output{byNumber: map[protowire.Number]int{}}
	if md == nil || md.IsPlaceholder() {
		return o
	}
	o.response = md.FullName()
	if k := kindOf(md); k != 0 {
		o.whole, o.only, o.spoken = true, k != promptMessage, true
		o.parts = []part{{kind: k, name: wholeName}}
		return o
	}
	fields := md.Fields()
	o.only = fields.Len() > 0 && md.ExtensionRanges().Len() == 0
	o.spoken = o.only
	for i := range fields.Len() {
		fd := fields.Get(i)
		p := partOf(fd)
		o.only, o.spoken = o.only && p.kind.isContent(), o.spoken && p.kind != 0
		if p.kind != 0 {
			o.byNumber[fd.Number()] = len(o.parts)
			o.parts = append(o.parts, p)
			o.compete(p.oneof)
		}
	}
	return o
}

// partOf describes fd; the kind is 0 for data.
func partOf(fd protoreflect.FieldDescriptor) part {
	if fd.Kind() != protoreflect.MessageKind || fd.IsMap() {
		return part{}
	}
	return part{kind: kindOf(fd.Message()), name: string(fd.Name()), list: fd.IsList(), oneof: fd.ContainingOneof()}
}

// compete notes the members of a oneof: of those the last one on the wire is set, and no other.
func (o *Output) compete(oneof protoreflect.OneofDescriptor) {
	if oneof == nil {
		return
	}
	if o.rivals == nil {
		o.rivals = map[protowire.Number]member{}
	}
	for i := range oneof.Fields().Len() {
		fd := oneof.Fields().Get(i)
		o.rivals[fd.Number()] = member{oneof, wireType(fd.Kind())}
	}
}

// wireType is how one value of a kind is encoded.
func wireType(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	}
	return protowire.VarintType
}

// Omits reports whether fd is a direct field of the response that is content, and so no part of its data. All fields of
// a response that is content as a whole are.
func (o *Output) Omits(fd protoreflect.FieldDescriptor) bool {
	if fd == nil || fd.IsExtension() || fd.ContainingMessage().FullName() != o.response {
		return false
	}
	if o.whole {
		return o.only
	}
	i, ok := o.byNumber[fd.Number()]
	return ok && o.parts[i].kind.isContent()
}

// Plain reports that the response has no part that can become content or a message: it is data only.
func (o *Output) Plain() bool { return len(o.parts) == 0 }

// Only reports that the response is content only: it has no data, and so neither an output schema nor structured content.
func (o *Output) Only() bool { return o.only }

// Spoken reports that the response is content and messages only: a prompt that it renders consists of these, and where it
// holds none, it says nothing.
func (o *Output) Spoken() bool { return o.spoken }
