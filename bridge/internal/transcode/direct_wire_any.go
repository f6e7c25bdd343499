package transcode

import (
	"bytes"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// any writes an Any.
func (e *encoder) any(p *plan) bool {
	if e.peek() != '{' || !e.spend() { // the reference path counts the whole first, and then each token in it
		return false
	}
	start := e.pos
	key, url, ahead, ok := e.typeOf()
	if e.looked += ahead; !ok || e.looked > mostLooked(e.src) {
		return false
	}
	ok = e.typed(p, key, url)
	e.looked += e.pos - start - ahead
	return ok && e.looked <= mostLooked(e.src)
}

// typed writes an Any whose type URL is known, nil for none.
func (e *encoder) typed(p *plan, key string, url []byte) bool {
	if url == nil {
		return e.empty()
	}
	payload := e.codec.payload(url)
	if payload == nil {
		return false
	}
	f := p.byNumber(anyTypeURL)
	e.out = append(e.out, f.tag...)
	start := e.open()
	if bytes.IndexByte(url, '/') < 0 {
		e.out = append(e.out, anyPrefix...)
	}
	e.out = append(e.out, url...)
	e.close(start)
	return e.anyPayload(p.byNumber(anyPayload), payload, key)
}

// empty takes an object without members.
func (e *encoder) empty() bool {
	if !e.enter('{') {
		return false
	}
	more, ok := e.more(true, '}')
	return ok && !more
}

// anyPayload writes the field f of an Any, which holds a message of the type of p; its type stands in the member called key.
func (e *encoder) anyPayload(f *field, p *plan, key string) bool {
	before := len(e.out)
	e.out = append(e.out, f.tag...)
	start := e.open()
	var ok bool
	if p.kind == shape.Object {
		ok = e.object(p, key)
	} else {
		ok = e.boxed(p, key)
	}
	e.close(start)
	if f.implicit && len(e.out) == start {
		e.out = e.out[:before]
	}
	return ok
}

// boxed writes a message that is not an ordinary object, from the member "value".
func (e *encoder) boxed(p *plan, key string) bool {
	if !e.enter('{') {
		return false
	}
	typed, given := false, false
	for first := true; ; first = false {
		more, ok := e.more(first, '}')
		if !more {
			return ok && (given || p.kind == shape.Empty)
		}
		name, ok := e.name()
		switch {
		case !ok:
			return false
		case string(name) == key && !typed:
			_, ok = e.text()
			typed = true
		case string(name) == shape.AnyValue && !given:
			ok = e.message(p)
			given = true
		default:
			return false
		}
		if !ok {
			return false
		}
	}
}

// typeOf looks ahead for the type URL of the Any that begins here, as the reader's method does; url is nil for an empty object.
// It looked at so many bytes. That the whole is valid shows when the payload is read.
func (e *encoder) typeOf() (key string, url []byte, ahead int, ok bool) {
	pos, left, depth := e.pos, e.left, e.depth
	key, url, ok = e.findType()
	ahead = e.pos - pos
	e.pos, e.left, e.depth = pos, left, depth
	return key, url, ahead, ok
}

func (e *encoder) findType() (key string, url []byte, ok bool) {
	if !e.enter('{') {
		return "", nil, false
	}
	for first := true; ; first = false {
		more, ok := e.more(first, '}')
		if !more {
			return key, url, ok && (first || url != nil)
		}
		name, ok := e.name()
		if !ok {
			return "", nil, false
		}
		typed, alias := string(name) == shape.AnyType, string(name) == shape.AnyTypeAlias
		if !typed && !alias || e.peek() != '"' {
			if !e.skip() {
				return "", nil, false
			}
			continue
		}
		text, ok := e.text()
		switch {
		case !ok:
			return "", nil, false
		case len(text) == 0:
		case typed:
			return shape.AnyType, text, true
		case alias:
			key, url = shape.AnyTypeAlias, text
		}
	}
}

// skip passes over a value, of which it only looks at strings and brackets.
func (e *encoder) skip() bool {
	for depth := 0; ; {
		switch c := e.peek(); c {
		case 0:
			return false
		case '"':
			if !e.skipText() {
				return false
			}
		case '{', '[':
			depth++
			e.pos++
		case '}', ']':
			if depth == 0 {
				return true
			}
			depth--
			e.pos++
		case ',':
			if depth == 0 {
				return true
			}
			e.pos++
		default:
			e.pos++
		}
		if depth == 0 && e.atEnd() {
			return true
		}
	}
}

// skipText passes over the string that comes next, whatever is in it.
func (e *encoder) skipText() bool {
	start := e.pos + 1
	for at := start; ; at++ {
		n := bytes.IndexByte(e.src[at:], '"')
		if n < 0 {
			return false
		}
		at += n
		if before := e.src[start:at]; (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 0 {
			e.pos = at + 1
			return true
		}
	}
}

// atEnd reports whether a value that was skipped so far ends here.
func (e *encoder) atEnd() bool {
	c := e.peek()
	return c == ',' || c == '}' || c == ']'
}

// payload returns the plan of the message that a type URL names, nil for none. What it remembers is by the name of the type: of
// URLs there is no end.
func (c *Codec) payload(url []byte) *plan {
	name := url[bytes.LastIndexByte(url, '/')+1:]
	if p, ok := c.payloads.known()[string(name)]; ok {
		return p
	}
	mt, err := c.types.FindMessageByURL(string(url))
	if err != nil {
		return nil
	}
	p := c.plan(mt.Descriptor())
	if string(p.desc.FullName()) != string(name) {
		return p
	}
	return c.payloads.put(string(name), p)
}
