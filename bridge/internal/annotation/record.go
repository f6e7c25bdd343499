package annotation

import (
	"iter"
	"slices"
	"unicode/utf8"

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

// part is one field of a record: whole is it with its tag.
type part struct {
	value

	whole []byte
}

// hasOptions tells whether d has options at all; most descriptors have none.
func hasOptions(d protoreflect.Descriptor) bool {
	o := d.Options()
	return o != nil && o.ProtoReflect().IsValid()
}

// optionsFunc is [optionsOf], or one that remembers.
type optionsFunc func(protoreflect.Descriptor) record

// optionsOf serialises d's options, extensions and unknown fields included; empty when there are none.
func optionsOf(d protoreflect.Descriptor) record {
	if !hasOptions(d) {
		return nil
	}
	marshal := proto.MarshalOptions{AllowPartial: true}
	b, err := marshal.Marshal(d.Options())
	if err == nil {
		return b
	}
	// One extension that cannot be encoded must not take the others with it.
	b = nil
	m := d.Options().ProtoReflect()
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		alone := m.New()
		alone.Set(fd, v)
		if one, err := marshal.Marshal(alone.Interface()); err == nil {
			b = append(b, one...)
		}
		return true
	})
	return append(b, m.GetUnknown()...)
}

// parts goes through the fields in their order; what follows a malformed field is not seen.
func (r record) parts() iter.Seq2[protowire.Number, part] {
	return func(yield func(protowire.Number, part) bool) {
		for b := []byte(r); len(b) > 0; {
			num, typ, n := protowire.ConsumeTag(b)
			if n < 0 {
				return
			}
			size := protowire.ConsumeFieldValue(num, typ, b[n:])
			if size < 0 || !yield(num, part{value: valueOf(num, typ, b[n:n+size]), whole: b[:n+size]}) {
				return
			}
			b = b[n+size:]
		}
	}
}

// whole says whether all bytes are fields.
func (r record) whole() bool {
	size := 0
	for _, p := range r.parts() {
		size += len(p.whole)
	}
	return size == len(r)
}

// all returns the occurrences of the field with this number in their order.
func (r record) all(number protowire.Number) []value {
	var found []value
	for num, p := range r.parts() {
		if num == number {
			found = append(found, p.value)
		}
	}
	return found
}

// message returns a field that is a message, its occurrences merged as a parser would: the bytes of one behind those of the
// other mean just that. It is nil where there is none, and not nil for an empty one.
func (r record) message(number protowire.Number) record {
	var merged record
	for num, p := range r.parts() {
		switch {
		case num != number || p.bytes == nil:
		case merged == nil:
			merged = slices.Clip(p.bytes)
		default:
			merged = append(merged, p.bytes...)
		}
	}
	return merged
}

// text returns a field that is a string as it is, "" where there is none: the last one wins.
func (r record) text(number protowire.Number) string { return string(r.last(number).bytes) }

// prose is text, but "" for bytes that are not UTF-8, which no parser takes for a string.
func (r record) prose(number protowire.Number) string {
	if text := r.text(number); utf8.ValidString(text) {
		return text
	}
	return ""
}

// flag returns a field that is a bool; the last one wins.
func (r record) flag(number protowire.Number) bool {
	return protowire.DecodeBool(r.last(number).varint)
}

func (r record) last(number protowire.Number) value {
	var last value
	for num, p := range r.parts() {
		if num == number {
			last = p.value
		}
	}
	return last
}

// texts returns a repeated string.
func (r record) texts(number protowire.Number) []string {
	var texts []string
	for _, v := range r.all(number) {
		if v.bytes != nil {
			texts = append(texts, string(v.bytes))
		}
	}
	return texts
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
