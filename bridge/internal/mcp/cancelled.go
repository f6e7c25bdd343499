package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// ParseCancelled returns which request the params of notifications/cancelled
// withdraw, and reports false when they name none. A notification has no answer,
// so there is no error to say why.
func ParseCancelled(params []byte) (jsonrpc.ID, bool) {
	raw, _ := jsonrpc.Find(params, "requestId")
	return jsonrpc.ParseID(raw)
}
