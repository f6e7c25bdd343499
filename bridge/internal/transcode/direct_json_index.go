package transcode

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// place is where a field lies in its message: its last value without the tag, or, of a list or a map, all of it with the tags. The
// zero place is of a field that is not there.
type place struct{ from, to int32 }

// extension is an extension that a message has.
type extension struct {
	*field
	place
}

// byIndex writes the fields of a message in any order: one pass finds where they are, another goes by declaration.
func (e *emitter) byIndex(p *plan, b []byte) bool {
	base, first := len(e.spans), len(e.extensions)
	need := len(p.flat) + p.oneofs
	e.spans = slices.Grow(e.spans, need)[:base+need]
	clear(e.spans[base:])
	ok := e.index(p, b, base, first)
	clear(e.many)
	ok = ok && e.indexed(p, b, base) && e.extended(b, first)
	clear(e.extensions[first:])
	e.spans, e.extensions = e.spans[:base], e.extensions[:first]
	return ok
}

// index notes where the fields are; those that are not shown it only checks.
func (e *emitter) index(p *plan, b []byte, base, first int) bool {
	for at := 0; at < len(b); {
		num, typ, n := tagOf(b[at:])
		if n == 0 {
			return false
		}
		f, unseen, ok := e.find(p, num)
		if !ok {
			return false
		}
		if f == nil || unseen || !f.fits(typ) {
			size := e.pass(f, num, typ, b[at+n:])
			if size < 0 || f != nil && f.fits(typ) && !e.choose(p, f, base) {
				return false
			}
			at += n + size
			continue
		}
		size := e.sizeOf(num, typ, b[at+n:])
		if size < 0 || !e.choose(p, f, base) || !f.note(e.slot(f, base, first), b, place{int32(at), int32(at + n + size)}, n) {
			return false
		}
		at += n + size
	}
	return true
}

// find finds a field or an extension by its number, nil for none, and tells whether it is not to be shown.
func (e *emitter) find(p *plan, num protowire.Number) (f *field, unseen, ok bool) {
	if f := p.byNumber(num); f != nil {
		return f, f.hidden || e.omits(p, f), true
	}
	f, ok = e.extensionOf(p, num)
	return f, f != nil && e.codec.hides(f.desc), ok
}

// choose notes that a member of a oneof occurs, which may happen once.
func (e *emitter) choose(p *plan, f *field, base int) bool {
	if f.oneof < 0 {
		return true
	}
	slot := &e.spans[base+len(p.flat)+f.oneof]
	slot.to++
	return slot.to == 1
}

// slot is the place to note f in.
func (e *emitter) slot(f *field, base, first int) *place {
	if !f.extension {
		return &e.spans[base+f.index]
	}
	count := len(e.extensions) - first
	for i := range min(count, maxSearched) {
		if e.extensions[first+i].field == f {
			return &e.extensions[first+i].place
		}
	}
	if count > maxSearched {
		if i, ok := e.many[f]; ok {
			return &e.extensions[i].place
		}
	}
	if count >= maxSearched {
		if e.many == nil {
			e.many = map[*field]int{}
		}
		e.many[f] = len(e.extensions)
	}
	e.extensions = append(e.extensions, extension{field: f})
	return &e.extensions[len(e.extensions)-1].place
}

// note adds an occurrence of f, with a tag of n bytes, to those before.
func (f *field) note(s *place, b []byte, occurs place, n int) bool {
	first := s.to == 0
	switch {
	case !f.list && !f.mapped:
		if !first && (f.message != nil || f.kind == protoreflect.StringKind && !f.validText(b[s.from:s.to])) {
			return false
		}
		*s = place{occurs.from + int32(n), occurs.to}
	case first:
		*s = occurs
	case s.to != occurs.from:
		return false
	default:
		s.to = occurs.to
	}
	return true
}

// validText reports whether the string that b holds is UTF-8.
func (f *field) validText(b []byte) bool {
	v, _, ok := f.take(b)
	return ok && utf8.Valid(v.text)
}

// indexed writes the fields that were found, and the defaults between them.
func (e *emitter) indexed(p *plan, b []byte, base int) bool {
	emit := e.codec.opts.EmitDefaults
	for i := range p.flat {
		s := e.spans[base+i]
		if s.to == 0 {
			if emit {
				e.defaults(p, i, i+1)
			}
			continue
		}
		if rest, ok := e.member(&p.flat[i], b[s.from:s.to]); !ok || len(rest) > 0 {
			return false
		}
	}
	return true
}

// extended writes the extensions that were found, by name.
func (e *emitter) extended(b []byte, first int) bool {
	found := e.extensions[first:]
	slices.SortFunc(found, func(a, b extension) int { return cmp.Compare(a.desc.FullName(), b.desc.FullName()) })
	for i := range found {
		x := e.extensions[first+i]
		if rest, ok := e.member(x.field, b[x.from:x.to]); !ok || len(rest) > 0 {
			return false
		}
	}
	return true
}

// extensionOf returns the extension of p with a number, nil where the resolver knows none; not ok where it cannot say.
func (c *Codec) extensionOf(p *plan, num protowire.Number) (f *field, ok bool) {
	if f = p.known.known()[num]; f != nil {
		return f, true
	}
	xt, err := c.types.FindExtensionByNumber(p.desc.FullName(), num)
	if err != nil {
		return nil, err == protoregistry.NotFound //nolint:errorlint // protobuf compares so, and fails on other errors
	}
	f = new(field)
	c.describe(f, xt.TypeDescriptor())
	f.rename("[" + string(f.desc.FullName()) + "]")
	f.extension = true
	return p.known.put(num, f), true
}
