package transcode

import (
	"bytes"
	"maps"
	"slices"
	"sync/atomic"

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
	e.seen, e.extensions = e.seen[:seen], e.extensions[:extensions]
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
	for _, other := range e.extensions[extensions:] {
		if other.number == f.number {
			return false
		}
	}
	e.extensions = append(e.extensions, f)
	return true
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
		return (f.extension || !slices.Contains(p.required, int16(f.index))) && e.literal("null")
	}
	if f.oneof >= 0 && !e.mark(seen, len(p.flat)+f.oneof) {
		return false
	}
	return e.field(f)
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
	known := p.named.Load()
	if known != nil {
		if f, ok := (*known)[string(name)]; ok {
			return c.unlessHidden(f)
		}
	}
	xt, err := c.types.FindExtensionByName(protoreflect.FullName(name[1 : len(name)-1]))
	if err != nil || !extends(xt, p.desc) {
		return nil
	}
	f := &field{extension: true}
	c.describe(f, xt.TypeDescriptor())
	remember(&p.named, string(name), f)
	return c.unlessHidden(f)
}

func (c *Codec) unlessHidden(f *field) *field {
	if c.hides(f.desc) {
		return nil
	}
	return f
}

// remember adds an entry to a map of which readers have copies; one that comes at the same time may undo it, and is then found
// anew.
func remember[V any](known *atomic.Pointer[map[string]V], key string, v V) {
	all := map[string]V{key: v}
	if old := known.Load(); old != nil {
		maps.Copy(all, *old)
	}
	known.Store(&all)
}
