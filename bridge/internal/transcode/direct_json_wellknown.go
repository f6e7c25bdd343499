package transcode

import (
	"math"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// wellKnown writes a message that has a JSON form of its own.
func (e *emitter) wellKnown(p *plan, b []byte) bool {
	switch p.kind {
	case shape.FieldMask:
		return e.fieldMask(p, b)
	case shape.Struct, shape.ListValue:
		return e.collection(p, b)
	case shape.Value:
		return e.anything(p, b)
	}
	one, two, ok := e.pair(p, b)
	if !ok {
		return false
	}
	switch p.kind {
	case shape.Timestamp:
		return e.timestamp(int64(one.bits), int64(int32(two.bits)))
	case shape.Duration:
		return e.duration(int64(one.bits), int64(int32(two.bits)))
	case shape.Wrapper:
		return e.scalar(p.byNumber(1), one)
	default:
		return e.any(one.text, two.text)
	}
}

// pair reads the fields number 1 and 2 of a message that has no others, scalars both; the zero value for what is not there.
func (e *emitter) pair(p *plan, b []byte) (one, two value, ok bool) {
	for len(b) > 0 {
		num, typ, n := tagOf(b)
		if n == 0 {
			return one, two, false
		}
		f := p.byNumber(num)
		if f == nil || !f.fits(typ) {
			size := sizeOf(num, typ, b[n:])
			if size < 0 {
				return one, two, false
			}
			b = b[n+size:]
			continue
		}
		var v value
		if v, b, ok = f.take(b[n:]); !ok || !f.utf8(v) {
			return one, two, false
		}
		if num == 1 {
			one = v
		} else {
			two = v
		}
	}
	return one, two, true
}

// fieldMask writes paths in lowerCamelCase, if every one of them reads back.
func (e *emitter) fieldMask(p *plan, b []byte) bool {
	f := &p.flat[0]
	e.out = append(e.out, '"')
	first := true
	for len(b) > 0 {
		num, typ, n := tagOf(b)
		if n == 0 {
			return false
		}
		if num != f.number || !f.fits(typ) {
			size := sizeOf(num, typ, b[n:])
			if size < 0 {
				return false
			}
			b = b[n+size:]
			continue
		}
		v, rest, ok := f.take(b[n:])
		if !ok || len(e.out) > e.most {
			return false
		}
		if !first {
			e.out = append(e.out, ',')
		}
		if !e.path(v.text) {
			return false
		}
		first, b = false, rest
	}
	e.out = append(e.out, '"')
	return true
}

// path writes names joined by dots in lowerCamelCase. It refuses names of which snake_case would not come back.
func (e *emitter) path(s []byte) bool {
	out, begins := e.out, true
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z':
		case c == '_':
			if i++; i == len(s) || s[i] < 'a' || 'z' < s[i] {
				return false
			}
			c = s[i] - 'a' + 'A'
		case '0' <= c && c <= '9' && !begins:
		case c == '.' && !begins:
			out, begins = append(out, c), true
			continue
		default:
			return false
		}
		out, begins = append(out, c), false
	}
	e.out = out
	return !begins
}

// collection writes a Struct or a ListValue: all of its only field.
func (e *emitter) collection(p *plan, b []byte) bool {
	f, found := &p.flat[0], false
	for len(b) > 0 {
		num, typ, n := tagOf(b)
		if n == 0 {
			return false
		}
		var ok bool
		if num == f.number && f.fits(typ) {
			if found {
				return false
			}
			found = true
			if b, ok = e.repeated(f, b); !ok {
				return false
			}
			continue
		}
		size := sizeOf(num, typ, b[n:])
		if size < 0 {
			return false
		}
		b = b[n+size:]
	}
	switch {
	case found:
		return true
	case f.mapped:
		return e.open('{') && e.end('}')
	default:
		return e.open('[') && e.end(']')
	}
}

// anything writes a Value that holds something, once.
func (e *emitter) anything(p *plan, b []byte) bool {
	var held *field
	var v value
	for len(b) > 0 {
		num, typ, n := tagOf(b)
		if n == 0 {
			return false
		}
		f := p.byNumber(num)
		if f == nil || !f.fits(typ) {
			size := sizeOf(num, typ, b[n:])
			if size < 0 {
				return false
			}
			b = b[n+size:]
			continue
		}
		var ok bool
		if v, b, ok = f.take(b[n:]); !ok || held != nil {
			return false
		}
		held = f
	}
	switch {
	case held == nil:
		return false
	case held.number == valueNull:
		e.out = append(e.out, "null"...)
		return true
	case held.number == valueNumber:
		if n := math.Float64frombits(v.bits); math.IsNaN(n) || math.IsInf(n, 0) {
			return false
		}
	}
	return e.single(held, v)
}
