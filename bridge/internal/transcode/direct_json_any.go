package transcode

import "github.com/mcpgrpc/bridge/bridge/internal/shape"

// any writes an Any whose payload is of a known type.
func (e *emitter) any(url, payload []byte) bool {
	if len(url) == 0 && len(payload) == 0 {
		e.out = append(e.out, '{', '}')
		return true
	}
	p := e.codec.payload(url)
	if p == nil || p.odd || !e.open('{') {
		return false
	}
	e.out = append(e.out, `"`+shape.AnyType+`":`...)
	if !e.text(url) {
		return false
	}
	if p.kind == shape.Object || p.kind == shape.Empty {
		if e.levels >= maxLevels {
			return false
		}
		e.levels++
		ok := e.members(p, payload) && e.end('}')
		e.levels--
		return ok
	}
	e.out = append(e.out, `,"`+shape.AnyValue+`":`...)
	return e.message(p, payload) && e.end('}')
}
