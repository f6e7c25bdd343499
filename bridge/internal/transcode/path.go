package transcode

import "strconv"

// path is a place in arguments or a result, kept as the text an error shows. A step down appends to it and a step up
// cuts it back to the length it had.
type path []byte

func (p path) field(name string) path {
	if len(p) > 0 {
		p = append(p, '.')
	}
	return append(p, name...)
}

func (p path) index(i int) path {
	return append(strconv.AppendInt(append(p, '['), int64(i), 10), ']')
}

func (p path) key(k string) path {
	return append(append(append(p, '['), quoted(k)...), ']')
}
