package server

import (
	"slices"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// lister returns the handler of the request for a list: it answers with a page
// that the catalog has ready (2026-07-28 server/utilities/pagination).
func lister(list mcp.List) handler {
	return func(s *Server, r *request, dst []byte) ([]byte, *jsonrpc.Error) {
		cursor, err := mcp.ParseCursor(r.params)
		if err != nil {
			return nil, err
		}
		f := r.scope.Features
		page, next, err := s.catalog().Page(list, f, cursor)
		if err != nil {
			return nil, err
		}
		result := mcp.ListResult{List: list, Page: page, NextCursor: next, Cache: s.cache, Meta: s.metas[f]}
		return result.AppendJSON(slices.Grow(dst, len(page)+512), f), nil
	}
}
