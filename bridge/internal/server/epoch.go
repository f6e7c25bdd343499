package server

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// always is an Enter that knows of no end.
func always() (leave func(), open bool) { return func() {}, true }

// handleWhileOpen runs the handler as one of those who may use what the catalog
// offers. A listen stream is none: the calls that it needs are the watches', each
// of which enters by itself, and it may last for days.
func (c *Call) handleWhileOpen(dst []byte) ([]byte, *jsonrpc.Error) {
	if c.Streams() {
		return c.handleWithinQuota(dst)
	}
	leave, open := c.server.enter()
	if !open {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInternal, "the bridge is closed: connect to another one, or once it is there again")
	}
	defer leave()
	return c.handleWithinQuota(dst)
}

// visit is the time during which a watch may use what the catalog offers, or did
// when it looked last.
type visit struct {
	enter func() (leave func(), open bool)
	leave func()
}

// begin begins the visit and reports whether it may.
func (v *visit) begin() (open bool) {
	v.leave, open = v.enter()
	return open
}

// renew makes it one of what the catalog offers now, if that is where the watch
// is already: stays says so. It leaves the place that it has at no time before it
// has the other one.
func (v *visit) renew(stays func() bool) bool {
	leave, open := v.enter()
	if !open || !stays() {
		leave()
		return false
	}
	v.leave()
	v.leave = leave
	return true
}

// end ends it.
func (v *visit) end() { v.leave() }
