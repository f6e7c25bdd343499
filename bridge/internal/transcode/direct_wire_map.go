package transcode

import (
	"bytes"
	"cmp"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// entries writes a map.
func (e *encoder) entries(f *field) bool {
	if !e.enter('{') {
		return false
	}
	keys := len(e.keys)
	for first := true; ; first = false {
		more, ok := e.more(first, '}')
		if !ok {
			return false
		}
		if !more {
			return e.distinct(keys)
		}
		name, ok := e.keyName()
		if !ok {
			return false
		}
		e.out = append(e.out, f.tag...)
		start := e.open()
		if !e.key(f.mapKey, name) || !e.single(f.value) {
			return false
		}
		e.close(start)
	}
}

// key writes the key of a map, with its tag.
func (e *encoder) key(f *field, name []byte) bool {
	e.out = append(e.out, f.tag...)
	switch f.kind {
	case protoreflect.StringKind:
		e.out = protowire.AppendBytes(e.out, name)
		return true
	case protoreflect.BoolKind:
		e.scalarBytes(f, truth(string(name) == "true"))
		return string(name) == "true" || string(name) == "false"
	}
	negative, n, ok := integer(name)
	if !ok || !shortest(name) {
		return false
	}
	v, ok := fit(f.kind, negative, n)
	e.scalarBytes(f, v)
	return ok
}

// shortest reports whether name is a decimal integer as everybody writes it, so that no other is equal.
func shortest(name []byte) bool {
	unsigned := bytes.TrimPrefix(name, []byte("-"))
	if len(unsigned) == 0 || digits(unsigned) != len(unsigned) {
		return false
	}
	return unsigned[0] != '0' || len(name) == 1
}

// keyText is where the text of a key lies: in src, or in arena if it is one.
type keyText struct {
	from, length int
	arena        bool
}

// keyName is name for a map's key, which it puts on the stack.
func (e *encoder) keyName() (text []byte, ok bool) {
	before := len(e.arena)
	text, ok = e.text()
	key := keyText{from: e.pos - 1 - len(text), length: len(text)}
	if len(e.arena) > before {
		key = keyText{from: before, length: len(text), arena: true}
	}
	e.keys = append(e.keys, key)
	return text, ok && e.colon()
}

// at returns the text of a keyText.
func (e *encoder) at(s keyText) []byte {
	if s.arena {
		return e.arena[s.from : s.from+s.length]
	}
	return e.src[s.from : s.from+s.length]
}

// maxPairs is how many keys are compared each with each.
const maxPairs = 8

// distinct takes the keys from the stack that lie there since start, and reports whether no two are the same.
func (e *encoder) distinct(start int) bool {
	keys := e.keys[start:]
	e.keys = e.keys[:start]
	if e.ascending(keys) {
		return true
	}
	if len(keys) > maxPairs {
		slices.SortFunc(keys, e.compare)
		return e.ascending(keys)
	}
	for i, a := range keys {
		for _, b := range keys[:i] {
			if a.length == b.length && bytes.Equal(e.at(a), e.at(b)) {
				return false
			}
		}
	}
	return true
}

// ascending reports whether each key is greater than the one before it.
func (e *encoder) ascending(keys []keyText) bool {
	for i := 1; i < len(keys); i++ {
		if e.compare(keys[i-1], keys[i]) >= 0 {
			return false
		}
	}
	return true
}

// compare orders shorter keys first, which is cheap.
func (e *encoder) compare(a, b keyText) int {
	if a.length != b.length {
		return cmp.Compare(a.length, b.length)
	}
	return bytes.Compare(e.at(a), e.at(b))
}
