package jsonrpc

import (
	"bytes"
	"hash/maphash"
)

// manyNames is the size from which an object's names are hashed: below it
// comparing with each is faster, above it the work would grow with the square.
const manyNames = 16

// nameSet finds names that one object has twice. The names of all open objects
// lie on one stack, the innermost object's last. Objects of many names have
// them in one hash table too, told apart by the object's serial number; what
// a closed object left there is never found again. The table is seeded at
// random, so that no one can choose names that collide.
type nameSet struct {
	data     []byte
	names    spanStack
	unquoted []byte // names that hold escapes, without them; addressed as if it followed data
	slots    []slot // a power of two, at most half in use
	used     int
	serial   uint64
	seed     maphash.Seed
}

// object is one open object: where its names begin, and its serial number in
// the table, 0 while they are few.
type object struct {
	base   int
	serial uint64
}

// slot is one name of one object; serial 0 means free.
type slot struct {
	serial uint64
	hash   uint64
	name   int // index in names
}

// open begins an object.
func (n *nameSet) open() object { return object{base: n.names.size} }

// close ends the innermost object.
func (n *nameSet) close(o object) { n.names.cut(o.base) }

// add gives the innermost object the name at place, which is the inside of a
// string literal. It returns the name unescaped, and false if the object has it.
func (n *nameSet) add(o *object, place span, escaped bool) (name []byte, fresh bool) {
	if escaped {
		start := len(n.unquoted)
		n.unquoted = appendUnescaped(n.unquoted, n.data[place.start:place.end])
		place = span{len(n.data) + start, len(n.data) + len(n.unquoted)}
	}
	name = n.text(place)
	if !n.note(o, name) {
		return name, false
	}
	n.names.push(place)
	return name, true
}

// note reports whether name is new to the object, and enters it into the table
// if the object's names are there.
func (n *nameSet) note(o *object, name []byte) bool {
	if o.serial == 0 && n.names.size-o.base < manyNames {
		for i := o.base; i < n.names.size; i++ {
			other := n.names.at(i)
			if other.end-other.start == len(name) && bytes.Equal(n.text(other), name) {
				return false
			}
		}
		return true
	}
	if o.serial == 0 {
		n.hashAll(o)
	}
	return n.insert(o.serial, name, n.names.size)
}

// hashAll moves an object that has become large into the table.
func (n *nameSet) hashAll(o *object) {
	if n.serial == 0 {
		n.seed = maphash.MakeSeed()
	}
	n.serial++
	o.serial = n.serial
	for i := o.base; i < n.names.size; i++ {
		n.insert(o.serial, n.text(n.names.at(i)), i)
	}
}

// insert puts a name into the table, unless it is there.
func (n *nameSet) insert(serial uint64, name []byte, index int) bool {
	if 2*n.used >= len(n.slots) {
		n.grow()
	}
	// Without the serial, equal names of many objects would share a hash.
	hash := maphash.Bytes(n.seed, name) ^ serial*0x9e3779b97f4a7c15
	mask := len(n.slots) - 1
	at := int(hash) & mask
	for n.slots[at].serial != 0 {
		if s := n.slots[at]; s.serial == serial && s.hash == hash && bytes.Equal(n.text(n.names.at(s.name)), name) {
			return false
		}
		at = (at + 1) & mask
	}
	n.slots[at] = slot{serial, hash, index}
	n.used++
	return true
}

// grow doubles the table.
func (n *nameSet) grow() {
	old := n.slots
	n.slots = make([]slot, max(8*manyNames, 2*len(old)))
	mask := len(n.slots) - 1
	for _, s := range old {
		if s.serial == 0 {
			continue
		}
		at := int(s.hash) & mask
		for n.slots[at].serial != 0 {
			at = (at + 1) & mask
		}
		n.slots[at] = s
	}
}

// text returns the name at place.
func (n *nameSet) text(place span) []byte {
	if first := len(n.data); place.end > first {
		return n.unquoted[place.start-first : place.end-first]
	}
	return n.data[place.start:place.end]
}

// span is a place in a text: from start up to, and without, end.
type span struct{ start, end int }

// spanStack is a stack of spans. The first lie in the struct itself: a slice
// that grows by append would take even its first buffer off the goroutine's
// stack, and so cost an allocation for every message.
type spanStack struct {
	size  int
	first [32]span
	rest  []span
}

// push puts p on top.
func (s *spanStack) push(p span) {
	if s.size < len(s.first) {
		s.first[s.size] = p
	} else {
		s.rest = append(s.rest, p)
	}
	s.size++
}

// at returns the i-th span from the bottom.
func (s *spanStack) at(i int) span {
	if i < len(s.first) {
		return s.first[i]
	}
	return s.rest[i-len(s.first)]
}

// cut removes all above the first size spans.
func (s *spanStack) cut(size int) {
	s.size = size
	s.rest = s.rest[:max(0, min(len(s.rest), size-len(s.first)))]
}
