package server

import (
	"context"
	"slices"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// listTools answers tools/list with a page that the catalog has ready.
func (s *Server) listTools(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	cursor, err := mcp.ParseCursor(r.params)
	if err != nil {
		return nil, err
	}
	f := r.scope.Features
	page, next, err := s.catalog().Page(f, cursor)
	if err != nil {
		return nil, err
	}
	result := mcp.ListToolsResult{Tools: page, NextCursor: next, Cache: s.cache, Meta: s.metas[f]}
	return result.AppendJSON(slices.Grow(dst, len(page)+512), f), nil
}

// callTool answers tools/call.
func (s *Server) callTool(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	params, err := mcp.ParseCallTool(r.params)
	if err != nil {
		return nil, err
	}
	offered := s.catalog()
	tool, ok := offered.Tool(params.Name)
	if !ok {
		return nil, unknownTool(offered, params.Name)
	}
	scratch := s.borrow()
	defer s.giveBack(scratch)
	result := s.execute(r.ctx, tool, params.Arguments, scratch)
	if result == nil {
		return nil, errInternal()
	}
	f := r.scope.Features
	result.Meta = s.metas[f]
	return result.AppendJSON(slices.Grow(dst, sizeOf(result)), f), nil
}

// execute makes the call: JSON to wire, the backend, wire to JSON. The result
// may use scratch. It is nil for a fault of ours, which is then logged.
func (s *Server) execute(ctx context.Context, tool *catalog.Tool, arguments []byte, scratch *[]byte) *mcp.CallToolResult {
	wire, err := tool.Codec.AppendWire(nil, arguments)
	if err != nil {
		return s.outcome(ctx, tool, arguments, err)
	}
	reply, failure := tool.Backend.Unary(ctx, tool.Method, wire)
	if failure != nil {
		return s.outcome(ctx, tool, arguments, failure)
	}
	structured, warnings, err := tool.Codec.AppendJSON((*scratch)[:0], reply)
	if err != nil {
		return s.outcome(ctx, tool, arguments, err)
	}
	*scratch = structured
	return &mcp.CallToolResult{Structured: structured, Warnings: warnings}
}

// unknownTool returns the error for a tool that is not in the catalog.
func unknownTool(offered *catalog.Catalog, name string) *jsonrpc.Error {
	echo := jsonrpc.Echo(name)
	if o, ok := offered.Withheld(name); ok {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool %q: %s is not offered: %s", echo, o.Method, o.Reason)
	}
	if nearest := offered.Nearest(name); nearest != "" {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool %q: did you mean %q?", echo, nearest)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool %q: tools/list names those there are", echo)
}

// sizeOf guesses the bytes of a result in JSON: twice the structured part, once
// of it escaped, and some for the rest.
func sizeOf(r *mcp.CallToolResult) int {
	return 2*len(r.Structured) + len(r.Structured)/4 + len(r.Text) + 512
}

// maxScratch is the largest buffer, in bytes, that is kept for later calls.
const maxScratch = 256 << 10

// borrow returns a buffer for a result on its way into the reply.
func (s *Server) borrow() *[]byte {
	if b, ok := s.scratch.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// giveBack keeps a buffer for later, unless it has become large.
func (s *Server) giveBack(b *[]byte) {
	if cap(*b) <= maxScratch {
		s.scratch.Put(b)
	}
}
