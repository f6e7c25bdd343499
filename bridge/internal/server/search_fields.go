package server

import (
	"strconv"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// fields appends the members of one JSON object.
type fields struct {
	dst   []byte
	begun bool
}

// openFields opens an object at the end of dst.
func openFields(dst []byte) fields { return fields{dst: append(dst, '{')} }

// name appends a member's name, which must need no escaping.
func (o *fields) name(name string) {
	if o.begun {
		o.dst = append(o.dst, ',')
	}
	o.begun = true
	o.dst = append(append(append(o.dst, '"'), name...), `":`...)
}

// raw appends a member of finished JSON, unless it is nil.
func (o *fields) raw(name string, value []byte) {
	if value != nil {
		o.name(name)
		o.dst = append(o.dst, value...)
	}
}

// text appends a string member.
func (o *fields) text(name, value string) {
	o.name(name)
	o.dst = jsonrpc.AppendString(o.dst, value)
}

// optional appends a string member, unless it is empty.
func (o *fields) optional(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

// number appends a member that is an integer.
func (o *fields) number(name string, value int) {
	o.name(name)
	o.dst = strconv.AppendInt(o.dst, int64(value), 10)
}

// flag appends a boolean member, unless it is nil.
func (o *fields) flag(name string, value *bool) {
	if value != nil {
		o.name(name)
		o.dst = strconv.AppendBool(o.dst, *value)
	}
}

// close ends the object and returns the buffer.
func (o *fields) close() []byte { return append(o.dst, '}') }
