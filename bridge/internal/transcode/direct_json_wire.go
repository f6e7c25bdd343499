package transcode

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// value is one value on the wire: the bits of a number, or what is within a string, bytes, a message or a group.
type value struct {
	bits uint64
	text []byte
}

// tagOf reads the tag of a field of a message; n is 0 where there is none that is valid.
func tagOf(b []byte) (num protowire.Number, typ protowire.Type, n int) {
	v, n := varint(b)
	if v>>3 == 0 || v>>3 > uint64(protowire.MaxValidNumber) {
		return 0, 0, 0
	}
	return protowire.Number(v >> 3), protowire.Type(v & 7), n
}

// varint is protowire.ConsumeVarint, quicker for short ones; n is 0 where there is none that is valid.
func varint(b []byte) (v uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	if len(b) > 1 && b[1] < 0x80 {
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, 2
	}
	v, n = protowire.ConsumeVarint(b)
	if n < 0 {
		return 0, 0
	}
	return v, n
}

// sizeOf is how many bytes of b a value takes; negative where it is not valid.
func sizeOf(num protowire.Number, typ protowire.Type, b []byte) int {
	if typ == protowire.BytesType {
		size, n := varint(b)
		if n == 0 || size > uint64(len(b)-n) {
			return -1
		}
		return n + int(size)
	}
	if typ == protowire.StartGroupType {
		return groupSize(num, b, nil)
	}
	return protowire.ConsumeFieldValue(num, typ, b)
}

// fits reports whether an occurrence with the wire type is one of f, and not of an unknown field.
func (f *field) fits(typ protowire.Type) bool {
	if f.mapped {
		return typ == protowire.BytesType
	}
	return typ == f.wire || f.packed != nil && typ == protowire.BytesType
}

// take takes one value, of the wire type of single ones but for groups, off b.
func (f *field) take(b []byte) (v value, rest []byte, ok bool) {
	switch f.wire {
	case protowire.VarintType:
		n, size := varint(b)
		return value{bits: n}, b[size:], size > 0
	case protowire.Fixed32Type:
		if len(b) < 4 {
			return v, b, false
		}
		return value{bits: uint64(binary.LittleEndian.Uint32(b))}, b[4:], true
	case protowire.Fixed64Type:
		if len(b) < 8 {
			return v, b, false
		}
		return value{bits: binary.LittleEndian.Uint64(b)}, b[8:], true
	case protowire.BytesType:
		return takeBytes(b)
	default: // a group, for which the emitter has a method
		return v, b, false
	}
}

// takeBytes takes a value with a length off b.
func takeBytes(b []byte) (v value, rest []byte, ok bool) {
	size, n := varint(b)
	if n == 0 || size > uint64(len(b)-n) {
		return v, b, false
	}
	to := n + int(size)
	return value{text: b[n:to]}, b[to:], true
}

// again reads the tag of one more occurrence of f; n is 0 where something else follows.
func (f *field) again(b []byte) (typ protowire.Type, n int) {
	if len(b) > 0 && len(f.tag) == 1 && b[0] == f.tag[0] {
		return f.wire, 1
	}
	num, typ, n := tagOf(b)
	if n == 0 || num != f.number || !f.fits(typ) {
		return 0, 0
	}
	return typ, n
}

// zero reports whether v is the zero of f's kind, which a field without presence does not hold.
func (f *field) zero(v value) bool { return f.narrow(v.bits) == 0 && len(v.text) == 0 }

// narrow cuts the bits of a varint to the width of f's kind.
func (f *field) narrow(bits uint64) uint64 {
	switch f.kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind, protoreflect.EnumKind:
		return bits & math.MaxUint32
	default:
		return bits
	}
}

// signed is the integer of a kind that has a sign.
func (f *field) signed(bits uint64) int64 {
	switch f.kind {
	case protoreflect.Sint32Kind:
		return int64(int32(protowire.DecodeZigZag(bits & math.MaxUint32)))
	case protoreflect.Sint64Kind:
		return protowire.DecodeZigZag(bits)
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		return int64(bits)
	default:
		return int64(int32(bits))
	}
}

// pass returns how many bytes a value that is not shown takes, and makes sure that it could be decoded; negative where not. The
// field is nil for one that is not known.
func (e *emitter) pass(f *field, num protowire.Number, typ protowire.Type, b []byte) int {
	size := e.sizeOf(num, typ, b)
	if size < 0 || f != nil && f.fits(typ) && !e.validValue(f, typ, b[:size]) {
		return -1
	}
	return size
}

// valid reports whether b would be decoded as a message of p's type.
func (e *emitter) valid(p *plan, b []byte) bool {
	if p.odd || e.levels >= maxLevels {
		return false
	}
	e.levels++
	for len(b) > 0 {
		num, typ, n := tagOf(b)
		if n == 0 {
			return false
		}
		f := p.byNumber(num)
		if f == nil {
			var ok bool
			if f, ok = e.extensionOf(p, num); !ok {
				return false
			}
		}
		size := e.pass(f, num, typ, b[n:])
		if size < 0 {
			return false
		}
		b = b[n+size:]
	}
	e.levels--
	return true
}

// validValue is valid for one occurrence of a field, whose size is right.
func (e *emitter) validValue(f *field, typ protowire.Type, b []byte) bool {
	if f.mapped {
		v, _, ok := takeBytes(b)
		if !ok {
			return false
		}
		entry, ok := f.entry(v.text)
		return ok && f.mapKey.utf8(entry.key) && e.validSingle(f.value, entry.value)
	}
	if typ == f.wire {
		v, _, ok := e.take(f, b)
		return ok && e.validSingle(f, v)
	}
	packed, _, ok := takeBytes(b)
	for rest := packed.text; ok && len(rest) > 0; {
		_, rest, ok = f.take(rest)
	}
	return ok
}

// validSingle is valid for one value.
func (e *emitter) validSingle(f *field, v value) bool {
	if f.message != nil {
		return e.valid(e.codec.planOf(f), v.text)
	}
	return f.utf8(v)
}

// utf8 reports whether v is UTF-8, if f is a string.
func (f *field) utf8(v value) bool {
	return f.kind != protoreflect.StringKind || utf8.Valid(v.text)
}
