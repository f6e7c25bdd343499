package annotation

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// record is a message in protobuf wire format, read without a descriptor.
type record []byte

// value is one occurrence of a field: varint for the varint wire type, bytes, which is not nil, for a
// length-delimited one and for a group.
type value struct {
	varint uint64
	bytes  []byte
}

// optionsOf serialises d's options, extensions and unknown fields included; empty when there are none.
func optionsOf(d protoreflect.Descriptor) record {
	o := d.Options()
	if o == nil || !o.ProtoReflect().IsValid() {
		return nil
	}
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(o)
	if err != nil {
		return nil
	}
	return b
}

// all returns the occurrences of the field with this number in their order; what follows a malformed field is not seen.
func (r record) all(number protowire.Number) []value {
	var found []value
	for b := []byte(r); len(b) > 0; {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			break
		}
		size := protowire.ConsumeFieldValue(num, typ, b[n:])
		if size < 0 {
			break
		}
		if num == number {
			found = append(found, valueOf(num, typ, b[n:n+size]))
		}
		b = b[n+size:]
	}
	return found
}

func (r record) has(number protowire.Number) bool { return len(r.all(number)) > 0 }

func valueOf(num protowire.Number, typ protowire.Type, b []byte) value {
	var v value
	switch typ {
	case protowire.VarintType:
		v.varint, _ = protowire.ConsumeVarint(b)
	case protowire.BytesType:
		v.bytes, _ = protowire.ConsumeBytes(b)
	case protowire.StartGroupType:
		v.bytes, _ = protowire.ConsumeGroup(num, b)
	}
	return v
}

// enums reads v as one or more numbers of a repeated enum, which a parser has to take packed and unpacked alike.
func (v value) enums() []uint64 {
	if v.bytes == nil {
		return []uint64{v.varint}
	}
	var numbers []uint64
	for b := v.bytes; len(b) > 0; {
		n, size := protowire.ConsumeVarint(b)
		if size < 0 {
			break
		}
		numbers = append(numbers, n)
		b = b[size:]
	}
	return numbers
}
