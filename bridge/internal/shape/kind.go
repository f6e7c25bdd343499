package shape

import "google.golang.org/protobuf/reflect/protoreflect"

// Kind says how a message type is written in JSON.
type Kind uint8

const (
	// Object is an ordinary message: a JSON object with a property for each field.
	Object Kind = iota
	// Empty is google.protobuf.Empty: {}.
	Empty
	// Timestamp is google.protobuf.Timestamp: an RFC 3339 string.
	Timestamp
	// Duration is google.protobuf.Duration: a string of decimal seconds ending in "s".
	Duration
	// FieldMask is google.protobuf.FieldMask: a string of comma-separated lowerCamelCase paths.
	FieldMask
	// Wrapper is one of the nine wrapper types (google.protobuf.StringValue, …): the JSON of its field number 1.
	Wrapper
	// Struct is google.protobuf.Struct: any JSON object.
	Struct
	// Value is google.protobuf.Value: any JSON, null included.
	Value
	// ListValue is google.protobuf.ListValue: any JSON array.
	ListValue
	// Any is google.protobuf.Any: an object whose "@type" names the message whose fields stand beside it, or whose JSON
	// stands under "value" where the message is not an [Object].
	Any
)

// The names that JSON uses beside those of fields.
const (
	// AnyType is the property of an Any that holds its type URL, in ProtoJSON.
	AnyType = "@type"
	// AnyTypeAlias is the portable spelling of AnyType, for clients that refuse a name with "@"; accepted on input, and
	// what a portable schema advertises.
	AnyTypeAlias = "type_url"
	// AnyValue is the property of an Any that holds a payload that is not an ordinary object.
	AnyValue = "value"
)

type wellKnown struct {
	kind   Kind
	fields []protoreflect.Kind // of the fields numbered 1, 2, …
}

// wellKnownTypes lists the fields too: a descriptor that takes such a name for something else is an ordinary message.
var wellKnownTypes = map[protoreflect.FullName]wellKnown{
	"google.protobuf.Empty":       {Empty, nil},
	"google.protobuf.Timestamp":   {Timestamp, []protoreflect.Kind{protoreflect.Int64Kind, protoreflect.Int32Kind}},
	"google.protobuf.Duration":    {Duration, []protoreflect.Kind{protoreflect.Int64Kind, protoreflect.Int32Kind}},
	"google.protobuf.FieldMask":   {FieldMask, []protoreflect.Kind{protoreflect.StringKind}},
	"google.protobuf.Any":         {Any, []protoreflect.Kind{protoreflect.StringKind, protoreflect.BytesKind}},
	"google.protobuf.Struct":      {Struct, []protoreflect.Kind{protoreflect.MessageKind}},
	"google.protobuf.ListValue":   {ListValue, []protoreflect.Kind{protoreflect.MessageKind}},
	"google.protobuf.DoubleValue": {Wrapper, []protoreflect.Kind{protoreflect.DoubleKind}},
	"google.protobuf.FloatValue":  {Wrapper, []protoreflect.Kind{protoreflect.FloatKind}},
	"google.protobuf.Int64Value":  {Wrapper, []protoreflect.Kind{protoreflect.Int64Kind}},
	"google.protobuf.UInt64Value": {Wrapper, []protoreflect.Kind{protoreflect.Uint64Kind}},
	"google.protobuf.Int32Value":  {Wrapper, []protoreflect.Kind{protoreflect.Int32Kind}},
	"google.protobuf.UInt32Value": {Wrapper, []protoreflect.Kind{protoreflect.Uint32Kind}},
	"google.protobuf.BoolValue":   {Wrapper, []protoreflect.Kind{protoreflect.BoolKind}},
	"google.protobuf.StringValue": {Wrapper, []protoreflect.Kind{protoreflect.StringKind}},
	"google.protobuf.BytesValue":  {Wrapper, []protoreflect.Kind{protoreflect.BytesKind}},
	"google.protobuf.Value": {Value, []protoreflect.Kind{
		protoreflect.EnumKind, protoreflect.DoubleKind, protoreflect.StringKind, protoreflect.BoolKind,
		protoreflect.MessageKind, protoreflect.MessageKind,
	}},
}

// repeatedFirst names the kinds whose field number 1 is a list or a map; every other field of the table is singular.
func repeatedFirst(k Kind) bool { return k == FieldMask || k == Struct || k == ListValue }

// KindOf tells how md is written in JSON. A message that has a well-known name but not its fields is an [Object].
func KindOf(md protoreflect.MessageDescriptor) Kind {
	known, ok := wellKnownTypes[md.FullName()]
	if !ok || md.Fields().Len() != len(known.fields) {
		return Object
	}
	for i, want := range known.fields {
		fd := md.Fields().ByNumber(protoreflect.FieldNumber(i + 1))
		if fd == nil || fd.Kind() != want || (fd.Cardinality() == protoreflect.Repeated) != repeatedFirst(known.kind) {
			return Object
		}
	}
	return known.kind
}

// IsObject reports whether messages of this kind are always written as JSON objects.
func (k Kind) IsObject() bool {
	return k == Object || k == Empty || k == Struct || k == Any
}

// IsNullValue reports whether ed is google.protobuf.NullValue, which JSON writes as null.
func IsNullValue(ed protoreflect.EnumDescriptor) bool {
	return ed != nil && ed.FullName() == "google.protobuf.NullValue"
}

// InputWrapper returns the property under which a request of type md stands in a tool's arguments, which must be an
// object; ok is false where md is written as an object already and stands there itself.
func InputWrapper(md protoreflect.MessageDescriptor) (key string, ok bool) {
	if KindOf(md).IsObject() {
		return "", false
	}
	return "value", true
}

// OutputWrapper is to responses what [InputWrapper] is to requests.
func OutputWrapper(md protoreflect.MessageDescriptor) (key string, ok bool) {
	if KindOf(md).IsObject() {
		return "", false
	}
	return "result", true
}
