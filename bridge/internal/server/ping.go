package server

import (
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// ping answers ping (2025-11-25 basic/utilities/ping).
func (s *Server) ping(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	return mcp.AppendEmptyResult(dst, r.scope.Features, nil), nil
}
