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
//
// Objects that lie beside each other mostly have the same names in the same order.
// What a closed object left on the stack tells what is likely to come, and as long
// as it does, the names of the object are as different as those were.
type nameSet struct {
	data     []byte
	names    spanStack
	unquoted []byte // names that hold escapes, without them; addressed as if it followed data
	slots    []slot // a power of two, at most half in use
	used     int
	serial   uint64
	seed     maphash.Seed
	opened   uint32 // how many objects were
}

// object is one open object: where its names begin, and its serial number in
// the table, 0 while they are few.
type object struct {
	base   int
	serial uint64
	number uint32 // of objects, in the order in which they were opened
	// like is the number of a closed object that has begun with the names that this
	// one has so far; 0 for none.
	like uint32
}

// slot is one name of one object; serial 0 means free.
type slot struct {
	serial uint64
	hash   uint64
	name   int // index in names
}

// open begins an object.
func (n *nameSet) open() object {
	n.opened++
	return object{base: n.names.size, number: n.opened, like: n.names.last(n.names.size).object}
}

// expect returns how long the name is that is likely to come next, with its quotes
// and the colon right behind it, if it does at at; 0 for another. It is then added
// to the innermost object.
func (n *nameSet) expect(o *object, at int) (length int) {
	if o.like == 0 {
		return 0
	}
	likely := n.names.last(n.names.size)
	colon := likely.end + len(`"`)
	length = colon + len(":") - (likely.start - len(`"`))
	if likely.object != o.like || colon >= len(n.data) || n.data[colon] != ':' || at+length > len(n.data) ||
		string(n.data[at:at+length]) != string(n.data[likely.start-1:colon+1]) {
		o.like = 0
		return 0
	}
	n.names.push(span{at + len(`"`), at + length - len(`":`), o.number})
	return length
}

// close ends the innermost object.
func (n *nameSet) close(o object) { n.names.cut(o.base) }

// add gives the innermost object the name at place, which is the inside of a
// string literal. It returns the name unescaped, and false if the object has it.
func (n *nameSet) add(o *object, place span, escaped bool) (name []byte, fresh bool) {
	if escaped {
		start := len(n.unquoted)
		n.unquoted = appendUnescaped(n.unquoted, n.data[place.start:place.end])
		place.start, place.end = len(n.data)+start, len(n.data)+len(n.unquoted)
	}
	name = n.text(place)
	if !n.note(o, name) {
		return name, false
	}
	place.object = o.number
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

// span is a place in a text, that of a name of an object: from start up to, and
// without, end.
type span struct {
	start, end int
	object     uint32
}

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

// last returns what was the i-th span from the bottom when there were more than
// now; the zero span where there never was one.
func (s *spanStack) last(i int) span {
	if i < len(s.first) {
		return s.first[i]
	}
	if i -= len(s.first); i < cap(s.rest) {
		return s.rest[:cap(s.rest)][i]
	}
	return span{}
}

// cut removes all above the first size spans.
func (s *spanStack) cut(size int) {
	s.size = size
	s.rest = s.rest[:max(0, min(len(s.rest), size-len(s.first)))]
}
