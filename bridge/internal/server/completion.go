package server

import (
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// complete answers completion/complete (2026-07-28 server/utilities/completion)
// from what the catalog knows; no backend is asked.
func (s *Server) complete(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	params, err := mcp.ParseComplete(r.params.Raw())
	if err != nil {
		return nil, err
	}
	values, err := s.catalog().Complete(params)
	if err != nil {
		return nil, err
	}
	f := r.scope.Features
	result := mcp.CompleteResult{Values: values, Meta: s.metas[f]}
	return result.AppendJSON(dst, f), nil
}
