package transcode

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// entry is an entry of a map that is being written. Its places lie in the wire of the whole map; a value that was not given has an
// empty one.
type entry struct {
	key   place  // the text of a string
	order uint64 // of other keys; see there
	value place
	at    int32 // where the entry lies
}

// maxGathered is how many entries of a map are gathered before those are dropped which another with the same key follows.
const maxGathered = 4096

// minEntry is how many bytes of JSON an entry takes, with its comma. That of the empty key is a byte shorter.
const minEntry = len(`"k":1,`)

// mapping writes a map in the order of its keys; of entries with the same key the last counts.
func (e *emitter) mapping(f *field, b []byte) (rest []byte, ok bool) {
	all, base, limit := b, len(e.entries), maxGathered
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
		e.entries = append(e.entries, f.placed(next, len(all)-len(b)-len(v.text)))
		if len(e.entries)-base == limit {
			if limit, ok = e.thin(f, all, base); !ok {
				return b, false
			}
		}
	}
	ok = e.arrange(f, all, base) && e.open('{') && e.sorted(f, all, base) && e.end('}')
	e.entries = e.entries[:base]
	return b, ok
}

// placed is what is kept of an entry that begins at from.
func (f *field) placed(p pair, from int) entry {
	return entry{
		key:   place{int32(from + p.keyEnd - len(p.key.text)), int32(from + p.keyEnd)},
		order: f.mapKey.order(p.key.bits),
		value: place{int32(from + p.valueStart), int32(from + p.valueEnd)},
		at:    int32(from),
	}
}

// thin makes room among the entries from base on, and returns how many there may be until it has to be done again. It declines
// where those that are left cannot fit the result.
func (e *emitter) thin(f *field, all []byte, base int) (limit int, ok bool) {
	if !e.arrange(f, all, base) {
		return 0, false
	}
	left := len(e.entries) - base
	if left > (e.most-len(e.out))/minEntry+1 {
		return 0, false
	}
	if limit = 2 * left; limit <= maxGathered {
		return maxGathered, true
	}
	e.entries = slices.Grow(e.entries, left)
	return limit, true
}

// arrange sorts the entries from base on by key and drops those that another with the same key follows.
func (e *emitter) arrange(f *field, all []byte, base int) bool {
	entries := e.entries[base:]
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(a.compare(b, all), cmp.Compare(a.at, b.at)) })
	kept := 0
	for i, at := range entries {
		if i+1 == len(entries) || at.compare(entries[i+1], all) != 0 {
			entries[kept] = at
			kept++
		} else if !e.validSingle(f.value, f.valueOf(at, all)) {
			return false
		}
	}
	e.entries = e.entries[:base+kept]
	return true
}

// compare orders entries by key: false before true, numbers by value, strings by bytes.
func (a entry) compare(b entry, all []byte) int {
	if a.order != b.order {
		return cmp.Compare(a.order, b.order)
	}
	return bytes.Compare(all[a.key.from:a.key.to], all[b.key.from:b.key.to])
}

// valueOf takes the value of an entry, which has been taken before, or the default one.
func (f *field) valueOf(at entry, all []byte) (v value) {
	switch {
	case at.value.from < at.value.to:
		v, _, _ = f.value.take(all[at.value.from:at.value.to])
	case f.value.kind == protoreflect.EnumKind:
		v.bits = uint64(f.value.desc.Default().Enum())
	}
	return v
}

// sorted writes the entries from base on.
func (e *emitter) sorted(f *field, all []byte, base int) bool {
	for i := base; i < len(e.entries); i++ {
		at := e.entries[i]
		if !e.comma() || !e.key(f.mapKey, at, all) {
			return false
		}
		e.out = append(e.out, ':')
		if !e.single(f.value, f.valueOf(at, all)) {
			return false
		}
	}
	return true
}

// key writes the key of a map's entry.
func (e *emitter) key(f *field, at entry, all []byte) bool {
	if f.kind == protoreflect.StringKind {
		return e.text(all[at.key.from:at.key.to])
	}
	e.out = append(e.out, '"')
	switch {
	case f.kind == protoreflect.BoolKind:
		e.out = strconv.AppendBool(e.out, at.order != 0)
	case f.unsigned():
		e.out = strconv.AppendUint(e.out, at.order, 10)
	default:
		e.out = strconv.AppendInt(e.out, int64(at.order^signBit), 10)
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

// pair is what the bytes of an entry hold, and where in them: the key up to keyEnd, the value from valueStart to valueEnd.
type pair struct {
	key, value                   value
	keyEnd, valueStart, valueEnd int
}

// entry reads an entry of the map f. Either part may be missing, and stand first.
func (f *field) entry(b []byte) (found pair, ok bool) {
	size := len(b)
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
			found.keyEnd = size - len(b)
		case num == 2 && typ == f.value.wire:
			if given {
				return found, false
			}
			given = true
			found.valueStart = size - len(b)
			found.value, b, ok = f.value.take(b)
			found.valueEnd = size - len(b)
		default:
			skip := sizeOf(num, typ, b)
			if ok = skip >= 0; ok {
				b = b[skip:]
			}
		}
		if !ok {
			return found, false
		}
	}
	return found, true
}

// signBit is the highest bit of a number.
const signBit = 1 << 63

// order makes a number of a key that compares as keys do: of one with a sign, with the highest bit the other way round.
func (f *field) order(bits uint64) uint64 {
	switch {
	case f.kind == protoreflect.StringKind:
		return 0
	case f.kind == protoreflect.BoolKind:
		return min(bits, 1)
	case f.unsigned():
		return f.narrow(bits)
	default:
		return uint64(f.signed(bits)) ^ signBit
	}
}
