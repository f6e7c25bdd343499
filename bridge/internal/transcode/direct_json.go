package transcode

import (
	"math"
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// directJSON is AppendJSON by plan: from wire bytes to JSON without a message. It declines, with ok false and dst as it was, what
// it does not do, what has to be told of in a warning and whatever is wrong. What it does not do is rare in replies: a single
// message, or a oneof, that occurs more than once and would have to be merged; elements of a list or entries of a map with
// other fields between them; an entry that has its key or its value twice, or a key of another wire type; messages nested
// deeper than [maxLevels], seen or not; messages in each other that all have their fields in another order; more than
// [maxNotedGroups] groups with others in them; message sets; and well-known types that are declared otherwise than the real ones.
func (c *Codec) directJSON(dst, wire []byte) (json []byte, ok bool) {
	if len(wire) > math.MaxInt32 {
		return dst, false
	}
	e := emitters.Get().(*emitter)
	e.codec, e.out, e.most = c, dst, len(dst)+min(c.opts.MaxResult, math.MaxInt-len(dst))
	e.room, e.rereads = cap(wire), maxRereads*len(wire)
	ok = e.reply(wire) && len(e.out) <= e.most
	if !ok {
		return dst, false
	}
	for _, p := range e.unordered {
		p.scattered.Store(true) // other replies will be alike
	}
	json = e.out
	e.release()
	return json, true
}

// maxLevels bounds the nesting of messages, which may be deeper than that of JSON; well below what protobuf reads.
const maxLevels = 2500

// What is borne of messages in each other with fields in another order than that of declaration: so many types are told from
// others, and so many times its length is read of a reply once more.
const (
	maxUnordered = 16
	maxRereads   = 32
)

// maxKept is how many elements of scratch space an emitter keeps for the next reply.
const maxKept = 4096

var emitters = sync.Pool{New: func() any { return new(emitter) }}

// emitter writes the JSON of a reply from its wire. Its methods report whether they could; after a false it is of no more use.
type emitter struct {
	codec  *Codec
	out    []byte
	most   int // how long out may become
	depth  int // of objects and arrays
	levels int // of messages

	spans      []place        // where the fields lie, of each message that is being written by index
	extensions []extension    // the same of extensions
	many       map[*field]int // where in extensions those lie that are not searched, of the message that is being indexed
	unordered  []*plan        // of the messages met with fields in another order than that of declaration
	rereads    int            // how many bytes may still be read again because of that
	room       int            // the capacity of the reply
	groups     map[int]int    // the sizes of groups, by the capacity of the reply before them
	entries    []entry        // of the maps that are being written
}

// release gives e back for another reply, without this one; its scratch space has been cleared after use.
func (e *emitter) release() {
	clear(e.unordered)
	kept := emitter{
		unordered: e.unordered[:0], groups: e.groups,
		spans: e.spans[:0], extensions: e.extensions[:0], entries: e.entries[:0], many: e.many,
	}
	if cap(kept.spans) > maxKept {
		kept.spans = nil
	}
	if cap(kept.extensions) > maxKept {
		kept.extensions, kept.many = nil, nil
	}
	if cap(kept.entries) > maxKept {
		kept.entries = nil
	}
	if len(kept.groups) > maxKept {
		kept.groups = nil
	}
	clear(kept.groups)
	*e = kept
	emitters.Put(e)
}

// reply writes the whole of the response.
func (e *emitter) reply(wire []byte) bool {
	p := e.codec.plan(e.codec.output)
	key, wrapped := shape.OutputWrapper(p.desc)
	if !wrapped {
		return e.message(p, wire)
	}
	if !e.open('{') {
		return false
	}
	e.out = append(append(append(e.out, '"'), key...), '"', ':')
	return e.message(p, wire) && e.end('}')
}

// open begins an object or an array.
func (e *emitter) open(bracket byte) bool {
	e.depth++
	e.out = append(e.out, bracket)
	return e.depth <= e.codec.opts.MaxDepth
}

func (e *emitter) end(bracket byte) bool {
	e.depth--
	e.out = append(e.out, bracket)
	return true
}

// comma separates what follows from the member or element before it, if any.
func (e *emitter) comma() bool {
	if last := e.out[len(e.out)-1]; last != '{' && last != '[' {
		e.out = append(e.out, ',')
	}
	return len(e.out) <= e.most
}

// message writes the message that b encodes.
func (e *emitter) message(p *plan, b []byte) bool {
	if p.odd || e.levels >= maxLevels {
		return false
	}
	e.levels++
	var ok bool
	switch p.kind {
	case shape.Object, shape.Empty:
		ok = e.open('{') && e.members(p, b) && e.end('}')
	default:
		ok = e.wellKnown(p, b)
	}
	e.levels--
	return ok
}

// members writes the fields of a message, but for the braces: in one pass over the wire while its order is that of declaration.
func (e *emitter) members(p *plan, b []byte) bool {
	if !e.scattered(p) {
		mark := len(e.out)
		switch e.inOrder(p, b) {
		case written:
			return true
		case declined:
			return false
		default:
			e.out = e.out[:mark]
			if !e.restart(p, b) {
				return false
			}
		}
	}
	return e.byIndex(p, b)
}

// scattered reports whether the fields of p's messages are met in another order than that of declaration, in replies before or in
// this one.
func (e *emitter) scattered(p *plan) bool {
	return p.scattered.Load() || len(e.unordered) >= maxUnordered || slices.Contains(e.unordered, p)
}

// restart notes that a message is to be written once more, and declines where messages in each other do that too often.
func (e *emitter) restart(p *plan, b []byte) bool {
	if len(e.unordered) < maxUnordered && !slices.Contains(e.unordered, p) {
		e.unordered = append(e.unordered, p)
	}
	e.rereads -= len(b)
	return e.rereads >= 0
}

// omits reports whether f is a field of the response itself that is not to be shown.
func (e *emitter) omits(p *plan, f *field) bool {
	c := e.codec
	return c.opts.Omit != nil && e.depth == 1 && p.desc == c.output && c.opts.Omit(f.desc)
}

// defaults writes the fields p.flat[from:to], which are not on the wire, where defaults are wanted.
func (e *emitter) defaults(p *plan, from, to int) {
	if !e.codec.opts.EmitDefaults {
		return
	}
	for i := from; i < to; i++ {
		f := &p.flat[i]
		if !f.implicit && !f.list && !f.mapped || f.hidden || e.omits(p, f) {
			continue
		}
		e.comma()
		e.out = append(e.out, f.key...)
		switch {
		case f.list:
			e.out = append(e.out, '[', ']')
		case f.mapped:
			e.out = append(e.out, '{', '}')
		default:
			e.scalar(f, value{})
		}
	}
}

// member writes the name and the value of a field. b begins with the value of a single field, with the tag of a list's or a map's
// first element; rest is what comes after all of it.
func (e *emitter) member(f *field, b []byte) (rest []byte, ok bool) {
	mark := len(e.out)
	if f.list || f.mapped {
		if !e.comma() {
			return b, false
		}
		e.out = append(e.out, f.key...)
		start := len(e.out)
		rest, ok = e.repeated(f, b)
		if len(e.out) == start+2 && (f.extension || !e.codec.opts.EmitDefaults) { // nothing but packed values, and none of them
			e.out = e.out[:mark]
		}
		return rest, ok
	}
	v, rest, ok := e.take(f, b)
	if !ok {
		return rest, false
	}
	if f.implicit && !e.codec.opts.EmitDefaults && f.zero(v) {
		return rest, true
	}
	if !e.comma() {
		return rest, false
	}
	e.out = append(e.out, f.key...)
	return rest, e.single(f, v)
}

// single writes one value of f's type.
func (e *emitter) single(f *field, v value) bool {
	if f.message != nil {
		return e.message(e.codec.planOf(f), v.text)
	}
	return e.scalar(f, v)
}

// extensionOf returns the extension of p with a number that the resolver knows; unknown ones are nil.
func (e *emitter) extensionOf(p *plan, num protowire.Number) (f *field, ok bool) {
	if !p.extended || !p.desc.ExtensionRanges().Has(num) {
		return nil, true
	}
	return e.codec.extensionOf(p, num)
}
