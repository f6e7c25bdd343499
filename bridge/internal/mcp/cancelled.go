package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// CancelledParams are the params of notifications/cancelled.
type CancelledParams struct {
	// RequestID is the id of the request that is withdrawn.
	RequestID jsonrpc.ID
	// Reason is the peer's, for logs; "" for none.
	Reason string
}

// ParseCancelled reads the params of notifications/cancelled, and reports false
// when they name no request. A notification has no answer, so there is no error
// to say why.
func ParseCancelled(params []byte) (CancelledParams, bool) {
	raw, _ := jsonrpc.Find(params, "requestId")
	id, ok := jsonrpc.ParseID(raw)
	if !ok {
		return CancelledParams{}, false
	}
	text, _ := jsonrpc.Find(params, "reason")
	reason, _ := jsonrpc.Unquote(text)
	return CancelledParams{RequestID: id, Reason: reason}, true
}
