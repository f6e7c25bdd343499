package transcode

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// repeated writes a list or a map, all occurrences of which follow each other in b, from the tag of the first.
func (e *emitter) repeated(f *field, b []byte) (rest []byte, ok bool) {
	if f.mapped {
		return e.mapping(f, b)
	}
	if !e.open('[') {
		return b, false
	}
	for {
		typ, n := f.again(b)
		if n == 0 {
			return b, e.end(']')
		}
		if typ != f.wire {
			b, ok = e.packed(f, b[n:])
		} else {
			b, ok = e.element(f, b[n:])
		}
		if !ok {
			return b, false
		}
	}
}

// element writes one element of a list and returns what follows it.
func (e *emitter) element(f *field, b []byte) (rest []byte, ok bool) {
	v, rest, ok := f.take(b)
	return rest, ok && e.comma() && e.single(f, v)
}

// packed writes the elements that are packed into one value.
func (e *emitter) packed(f *field, b []byte) (rest []byte, ok bool) {
	all, rest, ok := takeBytes(b)
	for left := all.text; ok && len(left) > 0; {
		left, ok = e.element(f, left)
	}
	return rest, ok
}

// entry is an entry of a map.
type entry struct {
	key   value
	order uint64 // that of keys which are no strings
	value value
	at    int // which of the entries it is
}

// mapping writes a map in the order of its keys; of entries with the same key the last counts.
func (e *emitter) mapping(f *field, b []byte) (rest []byte, ok bool) {
	base := len(e.entries)
	for {
		_, n := f.again(b)
		if n == 0 {
			break
		}
		var v value
		if v, b, ok = takeBytes(b[n:]); !ok {
			return b, false
		}
		next, ok := f.entry(v.text)
		if !ok {
			return b, false
		}
		next.at = len(e.entries)
		e.entries = append(e.entries, next)
	}
	slices.SortFunc(e.entries[base:], func(a, b entry) int { return cmp.Or(a.compare(b), cmp.Compare(a.at, b.at)) })
	ok = e.open('{') && e.sorted(f, base) && e.end('}')
	clear(e.entries[base:])
	e.entries = e.entries[:base]
	return b, ok
}

// compare orders entries by key: false before true, numbers by value, strings by bytes.
func (a entry) compare(b entry) int {
	return cmp.Or(cmp.Compare(a.order, b.order), bytes.Compare(a.key.text, b.key.text))
}

// sorted writes the entries from base on.
func (e *emitter) sorted(f *field, base int) bool {
	count := len(e.entries)
	for i := base; i < count; i++ {
		at := e.entries[i]
		if i+1 < count && at.compare(e.entries[i+1]) == 0 {
			if !e.validSingle(f.value, at.value) {
				return false
			}
			continue
		}
		if !e.comma() || !e.key(f.mapKey, at.key) {
			return false
		}
		e.out = append(e.out, ':')
		if !e.single(f.value, at.value) {
			return false
		}
	}
	return true
}

// key writes the key of a map's entry.
func (e *emitter) key(f *field, v value) bool {
	if f.kind == protoreflect.StringKind {
		return e.text(v.text)
	}
	e.out = append(e.out, '"')
	switch {
	case f.kind == protoreflect.BoolKind:
		e.out = strconv.AppendBool(e.out, v.bits != 0)
	case f.unsigned():
		e.out = strconv.AppendUint(e.out, f.narrow(v.bits), 10)
	default:
		e.out = strconv.AppendInt(e.out, f.signed(v.bits), 10)
	}
	e.out = append(e.out, '"')
	return true
}

// unsigned reports whether the kind is one of integers without a sign.
func (f *field) unsigned() bool {
	switch f.kind {
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return true
	default:
		return false
	}
}

// entry reads an entry of the map f. Either part may be missing, and stand first.
func (f *field) entry(b []byte) (found entry, ok bool) {
	key, given := false, false
	for len(b) > 0 {
		num, typ, n := tagOf(b)
		if n == 0 {
			return found, false
		}
		b = b[n:]
		switch {
		case num == 1:
			if key || typ != f.mapKey.wire {
				return found, false
			}
			key = true
			found.key, b, ok = f.mapKey.take(b)
		case num == 2 && typ == f.value.wire:
			if given {
				return found, false
			}
			given = true
			found.value, b, ok = f.value.take(b)
		default:
			size := protowire.ConsumeFieldValue(num, typ, b)
			if ok = size >= 0; ok {
				b = b[size:]
			}
		}
		if !ok {
			return found, false
		}
	}
	if !given && f.value.kind == protoreflect.EnumKind {
		found.value.bits = uint64(f.value.desc.Default().Enum())
	}
	found.order = f.mapKey.order(found.key.bits)
	return found, true
}

// order makes a number of a key that compares as keys do.
func (f *field) order(bits uint64) uint64 {
	switch {
	case f.kind == protoreflect.StringKind:
		return 0
	case f.kind == protoreflect.BoolKind:
		return min(bits, 1)
	case f.unsigned():
		return f.narrow(bits)
	default:
		return uint64(f.signed(bits)) ^ 1<<63
	}
}
