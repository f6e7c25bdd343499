package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// object appends the members of one JSON object.
type object struct {
	dst   []byte
	begun bool
}

// newObject opens an object at the end of dst.
func newObject(dst []byte) object { return object{dst: append(dst, '{')} }

// name appends a member's name, which must need no escaping.
func (o *object) name(name string) {
	if o.begun {
		o.dst = append(o.dst, ',')
	}
	o.begun = true
	o.dst = append(append(append(o.dst, '"'), name...), `":`...)
}

// text appends a string member.
func (o *object) text(name, value string) {
	o.name(name)
	o.dst = jsonrpc.AppendString(o.dst, value)
}

// optional appends a string member, unless it is empty.
func (o *object) optional(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

// raw appends a member of finished JSON, unless it is nil.
func (o *object) raw(name string, value []byte) {
	if value != nil {
		o.name(name)
		o.dst = append(o.dst, value...)
	}
}

// flag appends a boolean member, unless it is nil.
func (o *object) flag(name string, value *bool) {
	switch {
	case value == nil:
	case *value:
		o.raw(name, []byte("true"))
	default:
		o.raw(name, []byte("false"))
	}
}

// close ends the object and returns the buffer.
func (o *object) close() []byte { return append(o.dst, '}') }

// appendStrings appends a JSON array of strings.
func appendStrings[S ~string](dst []byte, values []S) []byte {
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(dst, string(v))
	}
	return append(dst, ']')
}

// isObject reports whether raw JSON without surrounding space is an object.
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
