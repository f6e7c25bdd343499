// Package redact writes a message as JSON for those who run the bridge, without what the API marks as sensitive by the
// option debug_redact (google.protobuf.FieldOptions, EnumValueOptions): for spans that carry the content of calls.
//
// It never fails open. What the descriptors do not tell of is not written: unknown fields and extensions, and payloads of
// google.protobuf.Any whose type is not known. What cannot be read or written as a whole is an error, and nothing of it is
// written. The bridge's own rules of what clients may see have no part in it.
package redact

import (
	"bytes"
	"encoding/json"
	"errors"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Mark stands in the place of a string that is not written.
const Mark = "[REDACTED]"

// Resolver finds the types that a message can hold without naming them in its descriptor: the payloads of
// google.protobuf.Any and extensions.
type Resolver interface {
	protoregistry.MessageTypeResolver
	protoregistry.ExtensionTypeResolver
}

// JSON returns a message of type md, given as wire bytes, as compact ProtoJSON with its defaults left out: the same bytes for
// the same message. A string with debug_redact becomes Mark; any other field with it, be it a list or a map, is left out, and
// so are enum values with it, alone or in a list or a map. types may be nil, which knows nothing.
//
// An error is one of the wire bytes or of what ProtoJSON cannot express, and says nothing of the content.
func JSON(md protoreflect.MessageDescriptor, wire []byte, types Resolver) ([]byte, error) {
	if types == nil {
		types = new(protoregistry.Types)
	}
	m := dynamicpb.NewMessage(md)
	if !(&masker{types: types, nesting: maxNesting}).read(m, wire) {
		return nil, errUnreadable
	}
	text, err := protojson.MarshalOptions{AllowPartial: true, Resolver: types}.Marshal(m)
	if err != nil {
		return nil, errUnreadable
	}
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		return nil, errUnreadable
	}
	return out.Bytes(), nil
}

// errUnreadable is the one error. Those of protobuf quote what they stumble over.
var errUnreadable = errors.New("the message cannot be read by its descriptor or not be written as JSON, so that nothing of it is recorded")

// maxNesting is how deep messages may nest, over all payloads of Any.
const maxNesting = 100

// masker takes out of messages what must not be written.
type masker struct {
	types   Resolver
	nesting int // that is left
}

// read fills m from wire bytes and masks it. It reports false when nothing of m may be written.
func (k *masker) read(m protoreflect.Message, wire []byte) bool {
	options := proto.UnmarshalOptions{AllowPartial: true, DiscardUnknown: true, Resolver: k.types, RecursionLimit: maxNesting}
	return options.Unmarshal(wire, m.Interface()) == nil && k.message(m)
}

// message masks the fields of a message; see read.
func (k *masker) message(m protoreflect.Message) bool {
	if k.nesting--; k.nesting < 0 {
		return false
	}
	defer func() { k.nesting++ }()
	if m.Descriptor().FullName() == anyName {
		return k.payload(m)
	}
	ok := true
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		ok = ok && k.field(m, fd, v)
		return ok
	})
	return ok
}

// field masks one field that is set. A message in it of which nothing may be written is left out, but its list or map with
// it, whose other members would seem to be all there are.
func (k *masker) field(m protoreflect.Message, fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
	switch {
	case !sensitive(fd):
	case fd.Kind() == protoreflect.StringKind && fd.Cardinality() != protoreflect.Repeated:
		m.Set(fd, protoreflect.ValueOfString(Mark))
		return true
	default:
		m.Clear(fd)
		return true
	}
	var keep bool
	switch {
	case fd.IsMap():
		keep = k.entries(fd.MapValue(), v.Map())
	case fd.IsList():
		keep = k.items(m, fd, v.List())
	default:
		keep = k.value(fd, v)
	}
	if !keep {
		m.Clear(fd)
	}
	return true
}

// value masks the value of a field, of a list or of a map, and reports whether it may be written.
func (k *masker) value(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return k.message(v.Message())
	case protoreflect.EnumKind:
		return !sensitiveValue(fd.Enum().Values().ByNumber(v.Enum()))
	default:
		return true
	}
}

// entries masks the values of a map.
func (k *masker) entries(fd protoreflect.FieldDescriptor, entries protoreflect.Map) bool {
	ok := true
	entries.Range(func(key protoreflect.MapKey, v protoreflect.Value) bool {
		switch keep := k.value(fd, v); {
		case keep:
		case fd.Kind() == protoreflect.EnumKind:
			entries.Clear(key)
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// items masks the values of a list.
func (k *masker) items(m protoreflect.Message, fd protoreflect.FieldDescriptor, items protoreflect.List) bool {
	if fd.Kind() == protoreflect.EnumKind {
		kept := m.NewField(fd).List()
		for i := range items.Len() {
			if k.value(fd, items.Get(i)) {
				kept.Append(items.Get(i))
			}
		}
		m.Set(fd, protoreflect.ValueOfList(kept))
		return true
	}
	for i := range items.Len() {
		if !k.value(fd, items.Get(i)) {
			return false
		}
	}
	return true
}

// anyName is the type whose payload names its own type.
const anyName protoreflect.FullName = "google.protobuf.Any"

// payload masks what is in a google.protobuf.Any.
func (k *masker) payload(m protoreflect.Message) bool {
	fields := m.Descriptor().Fields()
	url, value := fields.ByNumber(1), fields.ByNumber(2)
	if url == nil || value == nil || url.Kind() != protoreflect.StringKind || value.Kind() != protoreflect.BytesKind {
		return false // is none but by its name
	}
	if !m.Has(url) {
		return !m.Has(value)
	}
	kind, err := k.types.FindMessageByURL(m.Get(url).String())
	if err != nil {
		return false
	}
	inner := kind.New()
	if !k.read(inner, m.Get(value).Bytes()) {
		return false
	}
	wire, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(inner.Interface())
	if err != nil {
		return false
	}
	m.Set(value, protoreflect.ValueOfBytes(wire))
	return true
}

// sensitive reports whether a field has debug_redact. Options that are not the ones of this program's protobuf are not read,
// and the field counts as one that has it.
func sensitive(fd protoreflect.FieldDescriptor) bool {
	options, ok := fd.Options().(interface{ GetDebugRedact() bool })
	return !ok || options.GetDebugRedact()
}

// sensitiveValue reports whether an enum value has debug_redact; one that has no name has none.
func sensitiveValue(vd protoreflect.EnumValueDescriptor) bool {
	if vd == nil {
		return false
	}
	options, ok := vd.Options().(interface{ GetDebugRedact() bool })
	return !ok || options.GetDebugRedact()
}
