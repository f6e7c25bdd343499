package server

import (
	"bytes"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// lister returns the handler of the request for a list: it answers with a page
// that the catalog has ready (2026-07-28 server/utilities/pagination). The result
// lacks the page, which the request has: it is not copied for whoever asks.
func lister(list mcp.List) handler {
	return func(s *Server, r *request, dst []byte) ([]byte, *jsonrpc.Error) {
		cursor, err := mcp.ParseCursor(r.params.Raw())
		if err != nil {
			return nil, err
		}
		f := r.scope.Features
		page, next, err := s.catalog().FindPage(list, f, cursor)
		if err != nil {
			return nil, err
		}
		result := mcp.ListResult{List: list, Page: []byte{}, NextCursor: next, Cache: s.cache, Meta: s.metas[f]}
		begun := len(dst)
		dst = result.AppendJSON(dst, f)
		r.page, r.pageAt = page, begun+bytes.IndexByte(dst[begun:], ':')+1 // its member is the first one
		return dst, nil
	}
}
