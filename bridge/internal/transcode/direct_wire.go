package transcode

import (
	"bytes"
	"sync"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// directWire is AppendWire by plan: from JSON to wire bytes in one pass, fields in the order of the members. It declines, with
// ok false and dst as it was, whatever is wrong and these forms, which are rare:
//   - JSON held in a string where an object or a list is wanted, and a request without its wrapper that is a string;
//   - a Timestamp that is not written exactly as RFC 3339 wants it, and a Duration without any digit;
//   - a path of a FieldMask with other blanks around it than ASCII's;
//   - a map's key that is an integer in another than its shortest spelling;
//   - an enum's name in other letters than ASCII's or, while values are hidden, in another letter case;
//   - messages of the message-set wire format, and well-known types that are declared otherwise than the real ones.
func (c *Codec) directWire(dst, arguments []byte) (wire []byte, ok bool) {
	e := encoders.Get().(*encoder)
	e.codec, e.src, e.out = c, arguments, dst
	e.pos, e.depth, e.looked, e.left = 0, 0, 0, jsonrpc.DefaultLimits.Tokens
	e.deepest = min(c.opts.MaxDepth, deepestJSON)
	ok = e.arguments() && e.peek() == 0 && e.pos == len(e.src)
	if ok {
		dst = e.out
	}
	e.release()
	return dst, ok
}

// deepestJSON is how deeply the reference path's parser lets JSON nest, whatever Options say.
const deepestJSON = 10_000

// encoder is the state of one run of directWire. Its methods say by false that they decline.
type encoder struct {
	codec   *Codec
	src     []byte // the arguments
	pos     int    // in src
	out     []byte // dst, and the wire bytes so far
	left    int    // tokens that may still be read
	depth   int    // objects and arrays around pos
	deepest int    // what depth may become
	looked  int    // bytes of Anys, those of Anys in each other counted for each

	arena      []byte   // the text of strings with escapes in them, and whatever else is put together from bits
	seen       []uint64 // a set for each object around pos: its fields met, then its oneofs
	extensions []*field // the extensions met in the objects around pos
	met        map[metExtension]bool
	keys       []keyText // the keys of the maps around pos
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// The largest buffers that are kept between calls, in elements.
const (
	maxKeptArena = 64 << 10
	maxKeptStack = 4 << 10
)

// release gives e back for other calls, without what belongs to the one that ended.
func (e *encoder) release() {
	e.codec, e.src, e.out = nil, nil, nil
	clear(e.extensions[:cap(e.extensions)])
	clear(e.met)
	e.arena, e.seen, e.keys, e.extensions = e.arena[:0], e.seen[:0], e.keys[:0], e.extensions[:0]
	if cap(e.arena) > maxKeptArena {
		e.arena = nil
	}
	if cap(e.seen) > maxKeptStack {
		e.seen = nil
	}
	if cap(e.keys) > maxKeptStack {
		e.keys = nil
	}
	if cap(e.extensions) > maxKeptStack {
		e.extensions, e.met = nil, nil
	}
	encoders.Put(e)
}

// arguments writes the whole request.
func (e *encoder) arguments() bool {
	p := e.codec.plan(e.codec.input)
	c := e.peek()
	switch {
	case c == 0 && e.pos == len(e.src):
		return e.nothing(p)
	case c == 'n':
		return e.literal("null") && e.nothing(p)
	case c == '"':
		return false
	case c == '{' && !p.kind.IsObject():
		return e.wrapped(p)
	}
	return e.message(p)
}

// nothing is the request that was left out.
func (e *encoder) nothing(p *plan) bool {
	return !p.odd && (p.shape == nil || len(p.required) == 0)
}

// wrapped writes the request in {"value": …}.
func (e *encoder) wrapped(p *plan) bool {
	if !e.enter('{') {
		return false
	}
	for first := true; ; first = false {
		more, ok := e.more(first, '}')
		if !more {
			return ok
		}
		name, ok := e.name()
		if !ok || !first || string(name) != shape.AnyValue {
			return false
		}
		if e.peek() == 'n' && p.kind != shape.Value {
			ok = e.literal("null")
		} else {
			ok = e.message(p)
		}
		if !ok {
			return false
		}
	}
}

// message writes the fields of a message of the type of p, without tag and length.
func (e *encoder) message(p *plan) bool {
	if p.odd {
		return false
	}
	switch p.kind {
	case shape.Timestamp:
		return e.timestamp(p)
	case shape.Duration:
		return e.duration(p)
	case shape.FieldMask:
		return e.fieldMask(p)
	case shape.Wrapper:
		return e.singular(p.byNumber(1))
	case shape.Struct:
		return e.structure()
	case shape.ListValue:
		return e.values()
	case shape.Value:
		return e.value()
	case shape.Any:
		return e.any(p)
	default:
		return e.object(p, "")
	}
}

// blank reports whether text has nothing but blanks of ASCII.
func blank(text []byte) bool { return len(bytes.Trim(text, " \t\r\n\v\f")) == 0 }
