package transcode

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// field writes the field f, with its tags, of the value that comes next.
func (e *encoder) field(f *field) bool {
	switch {
	case f.mapped:
		return e.entries(f)
	case f.list && f.pack:
		return e.packed(f)
	case f.list:
		return e.list(f)
	default:
		return e.singular(f)
	}
}

// singular writes one value with its tag, or nothing where that means the same.
func (e *encoder) singular(f *field) bool {
	switch {
	case f.message != nil:
		return e.single(f)
	case f.wire != protowire.BytesType:
		v, ok := e.scalar(f)
		if ok && (v != 0 || !f.implicit) {
			e.out = append(e.out, f.tag...)
			e.scalarBytes(f, v)
		}
		return ok
	}
	before := len(e.out)
	ok := e.single(f)
	if ok && f.implicit && len(e.out) == before+len(f.tag)+1 { // the length of nothing is one byte
		e.out = e.out[:before]
	}
	return ok
}

// single writes one value with its tag.
func (e *encoder) single(f *field) bool {
	e.out = append(e.out, f.tag...)
	switch {
	case f.kind == protoreflect.GroupKind:
		ok := e.message(e.codec.planOf(f))
		e.out = protowire.AppendTag(e.out, f.number, protowire.EndGroupType)
		return ok
	case f.message != nil:
		start := e.open()
		ok := e.message(e.codec.planOf(f))
		e.close(start)
		return ok
	case f.kind == protoreflect.StringKind:
		return e.string()
	case f.kind == protoreflect.BytesKind:
		return e.bytes()
	}
	v, ok := e.scalar(f)
	e.scalarBytes(f, v)
	return ok
}

// open leaves room for a short length.
func (e *encoder) open() (start int) {
	e.out = append(e.out, 0)
	return len(e.out)
}

// close writes the length of what was written since start, moving that where the length is a long one.
func (e *encoder) close(start int) {
	n := len(e.out) - start
	if n < 1<<7 {
		e.out[start-1] = byte(n)
		return
	}
	longer := protowire.SizeVarint(uint64(n)) - 1
	e.out = append(e.out, 0, 0, 0, 0, 0, 0, 0, 0, 0)[:start+n+longer]
	copy(e.out[start+longer:], e.out[start:start+n])
	binary.PutUvarint(e.out[start-1:], uint64(n))
}

// list writes a tag for each element.
func (e *encoder) list(f *field) bool {
	if !e.enter('[') {
		return false
	}
	for first := true; ; first = false {
		more, ok := e.more(first, ']')
		if !more {
			return ok
		}
		if !e.single(f) {
			return false
		}
	}
}

// packed writes all elements after one tag.
func (e *encoder) packed(f *field) bool {
	if !e.enter('[') {
		return false
	}
	before := len(e.out)
	e.out = append(e.out, f.packed...)
	start := e.open()
	for first := true; ; first = false {
		more, ok := e.more(first, ']')
		if !more {
			e.close(start)
			if first {
				e.out = e.out[:before]
			}
			return ok
		}
		v, ok := e.scalar(f)
		if !ok {
			return false
		}
		e.scalarBytes(f, v)
	}
}
