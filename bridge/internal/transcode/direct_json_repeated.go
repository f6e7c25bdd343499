package transcode

// repeated writes a list or a map, all occurrences of which follow each other in b, from the tag of the first.
func (e *emitter) repeated(f *field, b []byte) (rest []byte, ok bool) {
	if f.mapped {
		return e.mapping(f, b)
	}
	if !e.open('[') {
		return b, false
	}
	for {
		typ, n := f.again(b)
		if n == 0 {
			return b, e.end(']')
		}
		if typ != f.wire {
			b, ok = e.packed(f, b[n:])
		} else {
			b, ok = e.element(f, b[n:])
		}
		if !ok {
			return b, false
		}
	}
}

// element writes one element of a list and returns what follows it.
func (e *emitter) element(f *field, b []byte) (rest []byte, ok bool) {
	v, rest, ok := e.take(f, b)
	return rest, ok && e.comma() && e.single(f, v)
}

// packed writes the elements that are packed into one value.
func (e *emitter) packed(f *field, b []byte) (rest []byte, ok bool) {
	all, rest, ok := takeBytes(b)
	for left := all.text; ok && len(left) > 0; {
		left, ok = e.element(f, left)
	}
	return rest, ok
}
