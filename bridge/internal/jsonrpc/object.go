package jsonrpc

// maxNoted is how many members of an object are noted: more than any params of
// MCP have.
const maxNoted = 8

// Object is a JSON object of which members may have been noted while it was
// read, so that finding them does not go over it again: the arguments of a call
// may be most of a message. The zero Object has no members. It aliases the text
// that it was read from.
type Object struct {
	raw   []byte
	noted *notes // nil where nothing has been noted
}

// ObjectOf returns the object raw, of which nothing has been noted. What is no
// object has no members.
func ObjectOf(raw []byte) Object { return Object{raw: raw} }

// Raw returns the text; nil for the zero Object.
func (o Object) Raw() []byte { return o.raw }

// Find is the function [Find] for the object.
func (o Object) Find(name string) ([]byte, bool) {
	if o.noted == nil || o.noted.n > maxNoted {
		return Find(o.raw, name)
	}
	for i := range o.noted.n {
		if m := &o.noted.members[i]; string(m.name) == name {
			return m.value, true
		}
	}
	return nil, false
}

// notes are the members of an object.
type notes struct {
	n       int // how many there are; above maxNoted, not all are here
	members [maxNoted]struct{ name, value []byte }
}

// take implements taker.
func (n *notes) take(name, value []byte) {
	if n.n < maxNoted {
		n.members[n.n].name, n.members[n.n].value = name, value
	}
	n.n++
}

// repeated implements taker: the message is refused anyway.
func (*notes) repeated([]byte) {}

// within implements taker: nothing further down is noted.
func (*notes) within([]byte) taker { return nil }
