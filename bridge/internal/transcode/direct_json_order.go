package transcode

import "google.golang.org/protobuf/encoding/protowire"

// outcome is what came of a message's fields.
type outcome uint8

const (
	written outcome = iota
	declined
	unordered
)

// inOrder writes the fields as they come, which has to be in the order of declaration, each once.
func (e *emitter) inOrder(p *plan, b []byte) outcome {
	next, chosen := 0, uint64(0)
	for len(b) > 0 {
		f, n := e.likely(p, next, b[0]), 1
		if f == nil {
			var num protowire.Number
			var typ protowire.Type
			if num, typ, n = tagOf(b); n == 0 {
				return declined
			}
			if f = p.byNumber(num); f == nil || !f.fits(typ) || f.hidden || e.omits(p, f) {
				size, came := e.aside(p, f, num, typ, b[n:])
				if came != written {
					return came
				}
				b = b[n+size:]
				continue
			}
		}
		if f.index < next || !f.choose(&chosen) {
			return unordered
		}
		if next < f.index {
			e.defaults(p, next, f.index)
		}
		next = f.index + 1
		if !f.list && !f.mapped {
			b = b[n:]
		}
		var ok bool
		if b, ok = e.member(f, b); !ok {
			return declined
		}
	}
	e.defaults(p, next, len(p.flat))
	return written
}

// likely returns the field with the index next, if a tag that begins with lead is that of one value of it and it is to be shown.
func (e *emitter) likely(p *plan, next int, lead byte) *field {
	if next < len(p.flat) && lead == p.flat[next].lead && lead != 0 && !e.omits(p, &p.flat[next]) {
		return &p.flat[next]
	}
	return nil
}

// aside returns how many bytes a value takes that inOrder does not write.
func (e *emitter) aside(p *plan, f *field, num protowire.Number, typ protowire.Type, b []byte) (size int, came outcome) {
	if f == nil && p.extended && p.desc.ExtensionRanges().Has(num) || f != nil && f.oneof >= 0 {
		return 0, unordered
	}
	if size = e.pass(f, num, typ, b); size < 0 {
		return 0, declined
	}
	return size, written
}

// choose notes that a member of a oneof occurs, which may happen once.
func (f *field) choose(chosen *uint64) bool {
	if f.oneof < 0 {
		return true
	}
	before := *chosen
	*chosen |= 1 << f.oneof
	return *chosen != before // which a oneof beyond the 64th leaves as it is
}
