package server

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// discover answers server/discover (2026-07-28 server/discover).
func (s *Server) discover(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	f := r.scope.Features
	result := s.gate.Discover()
	result.Capabilities = s.offer().capabilities()
	result.Cache = s.cache
	result.Meta = s.metas[f]
	return result.AppendJSON(dst, f), nil
}
