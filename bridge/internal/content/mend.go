package content

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// sound reports whether wire, a message of one of our types, can be given to the protobuf parser as it is. That refuses the
// whole message for one string that is not UTF-8, and takes time and memory by the square of the occurrences of a packed
// list. What follows a malformed field is not looked at: the parser refuses it.
func sound(wire []byte, md protoreflect.MessageDescriptor) bool {
	for len(wire) > 0 {
		fd, inner, size := next(wire, md)
		switch {
		case size < 0:
			return true
		case fd == nil:
		case fd.Kind() == protoreflect.StringKind && !utf8.Valid(inner), fd.Kind() == protoreflect.EnumKind:
			return false
		case fd.Kind() == protoreflect.MessageKind && !sound(inner, fd.Message()):
			return false
		}
		wire = wire[size:]
	}
	return true
}

// mend appends wire with U+FFFD in place of invalid bytes in strings and with packed lists unpacked. Our types are three
// messages deep, so copying the inner ones again for each outer one costs little.
func mend(dst, wire []byte, md protoreflect.MessageDescriptor) []byte {
	for len(wire) > 0 {
		fd, inner, size := next(wire, md)
		switch {
		case size < 0:
			return append(dst, wire...)
		case fd == nil:
			dst = append(dst, wire[:size]...)
		case fd.Kind() == protoreflect.StringKind:
			dst = protowire.AppendTag(dst, fd.Number(), protowire.BytesType)
			dst = protowire.AppendString(dst, strings.ToValidUTF8(string(inner), "\uFFFD"))
		case fd.Kind() == protoreflect.EnumKind:
			dst = unpack(dst, inner, fd.Number())
		default:
			dst = protowire.AppendTag(dst, fd.Number(), protowire.BytesType)
			dst = protowire.AppendBytes(dst, mend(nil, inner, fd.Message()))
		}
		wire = wire[size:]
	}
	return dst
}

// unpack appends the numbers of a packed list one by one. What is no number stays packed, for the parser to refuse.
func unpack(dst, packed []byte, num protowire.Number) []byte {
	for len(packed) > 0 {
		v, size := protowire.ConsumeVarint(packed)
		if size < 0 {
			return protowire.AppendBytes(protowire.AppendTag(dst, num, protowire.BytesType), packed)
		}
		dst = protowire.AppendVarint(protowire.AppendTag(dst, num, protowire.VarintType), v)
		packed = packed[size:]
	}
	return dst
}

// next looks at the first field of wire, a message of type md: fd and its contents where it is a string, a message or a
// packed list of enums, a nil fd for any other; size is negative when it is malformed.
func next(wire []byte, md protoreflect.MessageDescriptor) (fd protoreflect.FieldDescriptor, inner []byte, size int) {
	num, typ, size := protowire.ConsumeField(wire)
	if size < 0 || typ != protowire.BytesType {
		return nil, nil, size
	}
	fd = md.Fields().ByNumber(num)
	switch {
	case fd == nil:
		return nil, nil, size
	case fd.Kind() == protoreflect.StringKind, fd.Kind() == protoreflect.MessageKind, fd.Kind() == protoreflect.EnumKind && fd.IsList():
		_, _, tag := protowire.ConsumeTag(wire)
		inner, _ = protowire.ConsumeBytes(wire[tag:size])
		return fd, inner, size
	}
	return nil, nil, size
}
