package server

import (
	"net/http"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// initialize opens a legacy session. It is no row of the method table because
// it must be over when the next message is admitted.
func (c *Call) initialize() {
	params, err := mcp.ParseInitialize(c.request.params.Raw())
	if err != nil {
		c.fail(c.id, err, lifecycle.Status(c.request.scope, err))
		return
	}
	offered := c.server.offer()
	result, refusal := c.server.gate.Initialize(c.request.ctx, c.request.conn, params, tell(offered).String())
	if refusal != nil {
		c.refuse(c.id, refusal)
		return
	}
	c.request.operation.Opened(string(result.ProtocolVersion), c.request.conn.SessionID())
	result.Capabilities = offered.capabilities()
	dst := result.AppendJSON(c.server.begin(c.id), lifecycle.Features(result.ProtocolVersion))
	c.reply = Reply{Body: end(dst), Status: http.StatusOK, SessionID: c.request.conn.SessionID()}
}
