package server

import (
	"net/http"
	"net/netip"

	"google.golang.org/grpc/codes"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/limit"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// The quotas by which refusals are counted, and the transport under HTTP.
const quotaOfCaller, quotaOfBackend, transportTCP = "caller", "backend", "tcp"

// handleWithinQuota runs the handler, if the caller's quota has room for the
// request. It counts until the handler returns or panics, whatever comes of it.
func (c *Call) handleWithinQuota(dst []byte) ([]byte, *jsonrpc.Error) {
	c.request.release = func() {}
	if c.server.callers == nil || !c.counts() {
		return c.handler(c.server, &c.request, dst)
	}
	release, refused := c.server.callers.Take(callerOf(&c.request))
	if refused != nil {
		return c.overQuota(dst, refused)
	}
	c.request.release = release
	defer func() { c.request.release() }() // unless a task has taken it over
	return c.handler(c.server, &c.request, dst)
}

// counts reports whether the request is one that quotas count: those by which a
// backend is called. Which methods there are is looked up without one.
func (c *Call) counts() bool {
	switch c.name {
	case mcp.MethodResourcesRead, mcp.MethodPromptsGet:
		return true
	case mcp.MethodToolsCall:
		return !c.server.catalog().Searching() || !looksUp(c.request.params)
	}
	return false
}

// looksUp reports whether a tools/call in search mode is answered from the
// catalog.
func looksUp(params jsonrpc.Object) bool {
	call, err := mcp.ParseCallTool(params)
	return err == nil && (call.Name == catalog.SearchMethods || call.Name == catalog.DescribeMethod)
}

// callerOf names who a request is from, for its quota.
func callerOf(r *request) string {
	if r.scope.Principal != "" {
		return "principal " + r.scope.Principal
	}
	address := r.conn.Peer().Address
	if address == "" {
		return ""
	}
	return "address " + network(address)
}

// network returns the part of an address that says which host it is: an IPv6
// address without its lower half, all of which a host may have.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}

// overQuota answers a request that its caller's quota has no room for. Over HTTP
// that is an error with the status 429, which clients and what stands before
// them know how to wait for; elsewhere a tool says it to the model.
func (c *Call) overQuota(dst []byte, refused *limit.Refused) ([]byte, *jsonrpc.Error) {
	r, s := &c.request, c.server
	s.telemetry.Refused(quotaOfCaller, "")
	s.log.DebugContext(r.ctx, "a caller is over its quota", "method", c.name, "reason", refused.Reason)
	failure := &backend.Failure{
		Code:       codes.ResourceExhausted,
		Message:    "the quota of this client is used up: " + refused.Reason,
		Execution:  backend.NotExecuted,
		Retryable:  true,
		RetryAfter: refused.RetryAfter,
		OverQuota:  true,
	}
	fault := &fault{kind: faultBackend, code: failure.CodeName(), failure: failure}
	switch {
	case r.conn.Peer().Transport == transportTCP:
		return nil, r.refuse(&lifecycle.Refusal{Status: http.StatusTooManyRequests, Error: fault.refusal(), RetryAfter: refused.RetryAfter})
	case c.name != mcp.MethodToolsCall:
		return nil, fault.refusal()
	}
	return s.appendTool(r, dst, outcome(nil, nil, fault)), nil
}

// countRefusal counts a call that its backend's quota had no room for.
func (s *Server) countRefusal(b *backend.Backend, failure *backend.Failure) {
	if failure.OverQuota {
		s.telemetry.Refused(quotaOfBackend, b.Name())
	}
}
