package server

import (
	"context"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// request is an admitted request on its way through a handler.
type request struct {
	ctx    context.Context
	conn   *lifecycle.Conn
	scope  *lifecycle.Scope
	params []byte
}

// handler appends the result of a request to dst, or says why there is none.
type handler func(s *Server, r *request, dst []byte) ([]byte, *jsonrpc.Error)

// method is one row of the table.
type method struct {
	handler handler
	// legacy and modern say in which eras the method exists.
	legacy, modern bool
}

// methods is the table of all requests that are served.
var methods = map[string]method{
	mcp.MethodPing:      {(*Server).ping, true, false},
	mcp.MethodDiscover:  {(*Server).discover, false, true},
	mcp.MethodToolsList: {(*Server).listTools, true, true},
	mcp.MethodToolsCall: {(*Server).callTool, true, true},
}

// find returns the handler of a method for a peer; an unknown method, and one
// of the other era, is -32601.
func find(name string, f mcp.Features) (handler, *jsonrpc.Error) {
	m := methods[name]
	if m.legacy && !f.Modern || m.modern && f.Modern {
		return m.handler, nil
	}
	return nil, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method %q is not offered", jsonrpc.Echo(name))
}
