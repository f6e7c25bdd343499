package transcode

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// object writes the fields that an object has as members, but for the one called skip, which is a string.
func (e *encoder) object(p *plan, skip string) bool {
	if p.odd || !e.enter('{') {
		return false
	}
	seen, extensions := len(e.seen), len(e.extensions)
	for range (len(p.flat) + p.oneofs + 63) / 64 {
		e.seen = append(e.seen, 0)
	}
	next, skipped := 0, false
	for first := true; ; first = false {
		more, ok := e.more(first, '}')
		if !ok {
			return false
		}
		if !more {
			break
		}
		f, ok := e.member(p, next, skip)
		switch {
		case !ok:
			return false
		case f != nil:
			next = f.index + 1
			ok = e.once(p, f, seen, extensions) && e.given(p, f, seen)
		default:
			_, ok = e.text()
			ok = ok && !skipped
			skipped = true
		}
		if !ok {
			return false
		}
	}
	ok := e.complete(p, seen)
	e.seen = e.seen[:seen]
	e.forget(extensions)
	return ok
}

// member takes the name of a member, most likely that of the field with the index next. The field is nil where it is skip.
func (e *encoder) member(p *plan, next int, skip string) (f *field, ok bool) {
	if e.peek() == '"' && next < len(p.flat) {
		f = &p.flat[next]
		if !f.hidden && f.name != skip && bytes.HasPrefix(e.src[e.pos:], f.key) {
			e.pos += len(f.key)
			return f, e.spend()
		}
	}
	name, ok := e.name()
	if !ok || skip != "" && string(name) == skip {
		return nil, ok
	}
	if f, ok = p.byName[string(name)]; ok {
		return f, true
	}
	f = e.codec.extension(p, name)
	return f, f != nil
}

// once remembers that f was met, and declines if it was before.
func (e *encoder) once(p *plan, f *field, seen, extensions int) bool {
	if !f.extension {
		return e.mark(seen, f.index)
	}
	met := e.extensions[extensions:]
	for _, other := range met[:min(len(met), maxSearched)] {
		if other.number == f.number {
			return false
		}
	}
	if len(met) >= maxSearched && !e.onceOfMany(metExtension{extensions, f.number}) {
		return false
	}
	e.extensions = append(e.extensions, f)
	return true
}

// maxSearched is how many extensions of one message are searched one after another.
const maxSearched = 16

// metExtension is an extension, after the first maxSearched, of the object of which the extensions begin there.
type metExtension struct {
	object int
	number protowire.Number
}

// onceOfMany is once for the extensions that are not searched.
func (e *encoder) onceOfMany(at metExtension) bool {
	if e.met[at] {
		return false
	}
	if e.met == nil {
		e.met = map[metExtension]bool{}
	}
	e.met[at] = true
	return true
}

// forget ends the set of the extensions met in an object.
func (e *encoder) forget(extensions int) {
	for i := extensions + maxSearched; i < len(e.extensions); i++ {
		delete(e.met, metExtension{extensions, e.extensions[i].number})
	}
	e.extensions = e.extensions[:extensions]
}

// mark adds i to the set that begins at base; it reports whether i is new there.
func (e *encoder) mark(base, i int) bool {
	word, bit := &e.seen[base+i>>6], uint64(1)<<(i&63)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// given writes the field f with the value that comes next.
func (e *encoder) given(p *plan, f *field, seen int) bool {
	if e.peek() == 'n' && !e.takesNull(f) {
		return (f.extension || !p.requires(f)) && e.literal("null")
	}
	if f.oneof >= 0 && !e.mark(seen, len(p.flat)+f.oneof) {
		return false
	}
	return e.field(f)
}

// requires reports whether f, of p.flat, is a field that has to be there.
func (p *plan) requires(f *field) bool {
	_, ok := slices.BinarySearch(p.required, int32(f.index))
	return ok
}

// takesNull is the function of that name, by plan.
func (e *encoder) takesNull(f *field) bool {
	switch {
	case f.list || f.mapped:
		return false
	case f.enum != nil:
		return f.enum.null
	default:
		return f.message != nil && e.codec.planOf(f).kind == shape.Value
	}
}

// complete declines where a required field was not met.
func (e *encoder) complete(p *plan, seen int) bool {
	for _, i := range p.required {
		if e.seen[seen+int(i)>>6]&(1<<(i&63)) == 0 {
			return false
		}
	}
	return true
}

// extension finds the extension of p's message that name, "[pkg.ext]", stands for; nil for none that clients may see.
func (c *Codec) extension(p *plan, name []byte) *field {
	if !p.extended || len(name) < 2 || name[0] != '[' || name[len(name)-1] != ']' {
		return nil
	}
	if f, ok := p.named.known()[string(name)]; ok {
		return c.unlessHidden(f)
	}
	xt, err := c.types.FindExtensionByName(protoreflect.FullName(name[1 : len(name)-1]))
	if err != nil || !extends(xt, p.desc) {
		return nil
	}
	f := &field{extension: true}
	c.describe(f, xt.TypeDescriptor())
	return c.unlessHidden(p.named.put(string(name), f))
}

func (c *Codec) unlessHidden(f *field) *field {
	if c.hides(f.desc) {
		return nil
	}
	return f
}
