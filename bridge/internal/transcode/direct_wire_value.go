package transcode

import (
	"bytes"
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The tags of the fields of google.protobuf.Value, and of those of Struct and ListValue.
const (
	tagNull    = byte(valueNull)<<3 | byte(protowire.VarintType)
	tagNumber  = byte(valueNumber)<<3 | byte(protowire.Fixed64Type)
	tagString  = byte(valueString)<<3 | byte(protowire.BytesType)
	tagBool    = byte(valueBool)<<3 | byte(protowire.VarintType)
	tagObject  = byte(valueObject)<<3 | byte(protowire.BytesType)
	tagArray   = byte(valueArray)<<3 | byte(protowire.BytesType)
	tagElement = 1<<3 | byte(protowire.BytesType) // ListValue.values, Struct.fields
	tagKey     = 1<<3 | byte(protowire.BytesType) // of an entry of Struct.fields
	tagEntry   = 2<<3 | byte(protowire.BytesType)
)

// value writes any JSON as a Value.
func (e *encoder) value() bool {
	switch e.peek() {
	case '"':
		e.out = append(e.out, tagString)
		return e.string()
	case 't':
		e.out = append(e.out, tagBool, 1)
		return e.literal("true")
	case 'f':
		e.out = append(e.out, tagBool, 0)
		return e.literal("false")
	case 'n':
		e.out = append(e.out, tagNull, 0)
		return e.literal("null")
	case '{':
		e.out = append(e.out, tagObject)
		start := e.open()
		ok := e.structure()
		e.close(start)
		return ok
	case '[':
		e.out = append(e.out, tagArray)
		start := e.open()
		ok := e.values()
		e.close(start)
		return ok
	default:
		n, ok := e.float(64)
		e.out = binary.LittleEndian.AppendUint64(append(e.out, tagNumber), math.Float64bits(n))
		return ok
	}
}

// values writes a ListValue.
func (e *encoder) values() bool {
	if !e.enter('[') {
		return false
	}
	for first := true; ; first = false {
		more, ok := e.more(first, ']')
		if !more {
			return ok
		}
		e.out = append(e.out, tagElement)
		start := e.open()
		if !e.value() {
			return false
		}
		e.close(start)
	}
}

// structure writes a Struct.
func (e *encoder) structure() bool {
	if !e.enter('{') {
		return false
	}
	keys := len(e.keys)
	for first := true; ; first = false {
		more, ok := e.more(first, '}')
		if !ok {
			return false
		}
		if !more {
			return e.distinct(keys)
		}
		e.out = append(e.out, tagElement)
		entry := e.open()
		name, ok := e.keyName()
		if !ok {
			return false
		}
		e.out = protowire.AppendBytes(append(e.out, tagKey), name)
		e.out = append(e.out, tagEntry)
		start := e.open()
		if !e.value() {
			return false
		}
		e.close(start)
		e.close(entry)
	}
}

// fieldMask writes the paths in a string, separated by commas, or in a list.
func (e *encoder) fieldMask(p *plan) bool {
	f := p.byNumber(1)
	if e.peek() == '[' {
		return e.pathList(f)
	}
	text, ok := e.text()
	if !ok {
		return false
	}
	if blank(text) {
		return true
	}
	for path := range bytes.SplitSeq(text, []byte(",")) {
		if !e.path(f, path) {
			return false
		}
	}
	return true
}

// pathList writes the paths in a list.
func (e *encoder) pathList(f *field) bool {
	if !e.enter('[') {
		return false
	}
	for first := true; ; first = false {
		more, ok := e.more(first, ']')
		if !more {
			return ok
		}
		path, ok := e.text()
		if !ok || !e.path(f, path) {
			return false
		}
	}
}

// path writes one path in snake_case.
func (e *encoder) path(f *field, path []byte) bool {
	e.out = append(e.out, f.tag...)
	start := e.open()
	for path = bytes.Trim(path, " \t\r\n\v\f"); ; {
		name, rest, more := bytes.Cut(path, []byte("."))
		if !e.snake(name) {
			return false
		}
		if !more {
			break
		}
		e.out = append(e.out, '.')
		path = rest
	}
	e.close(start)
	return true
}

// snake writes what the function of that name makes of one name of a path, "*" included.
func (e *encoder) snake(name []byte) bool {
	start := len(e.out)
	for i, c := range name {
		switch {
		case 'A' <= c && c <= 'Z':
			if i > 0 && name[i-1] == '_' {
				e.out = append(e.out[:start], name...)
				return identifier(name)
			}
			e.out = append(e.out, '_', c|0x20)
		default:
			e.out = append(e.out, c)
		}
	}
	return identifier(name) || string(name) == "*"
}

// identifier reports whether name is one as protobuf wants it.
func identifier(name []byte) bool {
	for i, c := range name {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || '9' < c) {
			return false
		}
	}
	return len(name) > 0
}
