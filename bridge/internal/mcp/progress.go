package mcp

import (
	"strconv"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Progress says how far a request has come (2026-07-28 basic/utilities/progress).
// Progress grows from one to the next of a request.
type Progress struct {
	// Token is that of the request (see [Meta].ProgressToken), as raw JSON.
	Token []byte
	// Progress and Total are in a unit of the sender's own; Total is nil where it
	// is not known. Neither is NaN or infinite.
	Progress float64
	Total    *float64
	// Message says what is being done; "" for nothing. Peers before 2025-03-26 are
	// not sent it.
	Message string
}

// AppendNotification appends the notification that says it.
func (p *Progress) AppendNotification(dst []byte, f Features) []byte {
	o := newObject(nil)
	o.raw("progressToken", p.Token)
	o.number("progress", p.Progress)
	if p.Total != nil {
		o.number("total", *p.Total)
	}
	if f.ProgressMessages {
		o.optional("message", p.Message)
	}
	return jsonrpc.AppendNotification(dst, MethodProgress, o.close())
}

// number appends a number member: an integer without a fraction as such.
func (o *object) number(name string, value float64) {
	o.name(name)
	o.dst = strconv.AppendFloat(o.dst, value, 'f', -1, 64)
}

// integer appends an integer member.
func (o *object) integer(name string, value int64) {
	o.name(name)
	o.dst = strconv.AppendInt(o.dst, value, 10)
}
