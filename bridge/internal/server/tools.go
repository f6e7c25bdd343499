package server

import (
	"fmt"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// callTool answers tools/call.
func (s *Server) callTool(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	params, err := mcp.ParseCallTool(r.params)
	if err != nil {
		return nil, err
	}
	scratch := new([]byte) // which is none until there is something to write: most of its time a call waits
	defer s.giveBack(scratch)
	result, err := s.resultOf(r, s.catalog(), params, scratch)
	switch {
	case err != nil:
		return nil, err
	case r.created != nil:
		return r.created.AppendCreated(dst, s.metas[r.scope.Features]), nil
	case r.pending != nil:
		return s.appendQuestion(r, dst, &r.pending.target, r.pending.question)
	}
	return s.appendTool(r, dst, result), nil
}

// appendTool appends the result of a tool as the client knows it.
func (s *Server) appendTool(r *request, dst []byte, result *mcp.CallToolResult) []byte {
	f := r.scope.Features
	if result.IsError {
		r.failed(result.Text)
		result.Meta = merged(s.tracedMeta(r), result.Meta)
	} else {
		result.Meta = s.metas[f]
	}
	return result.AppendJSON(s.room(dst, sizeOf(result)), f)
}

// resultOf calls the tool that the params name. The result may use scratch.
func (s *Server) resultOf(
	r *request, offered *catalog.Catalog, params mcp.CallToolParams, scratch *[]byte,
) (*mcp.CallToolResult, *jsonrpc.Error) {
	if offered.Searching() {
		return s.searchTool(r, offered, params, scratch)
	}
	tool, ok := offered.Tool(params.Name)
	if !ok {
		return nil, unknownTool(offered, params.Name)
	}
	return s.runTool(r, tool, params.Arguments, scratch)
}

// runTool makes the call and sorts what comes of it. The result may use scratch;
// it is nil where there is a question or a task, which is left with the request.
func (s *Server) runTool(r *request, tool *catalog.Tool, arguments []byte, scratch *[]byte) (*mcp.CallToolResult, *jsonrpc.Error) {
	later, err := r.inTask(tool)
	if err != nil {
		return nil, err
	}
	if later {
		if end, over := s.runLater(r, tool, arguments); over {
			return end.result, end.err
		}
	}
	end := s.perform(r, tool, arguments, scratch)
	if end.question != nil {
		r.pending = &pending{toolTarget(tool), end.question}
	}
	return end.result, end.err
}

// execute makes the call: JSON to wire, the backend, wire to JSON and to content.
// The result may use scratch. A stream that failed has both a result and an error.
func (s *Server) execute(c *call, tool *catalog.Tool, arguments []byte, scratch *[]byte) (*mcp.CallToolResult, error) {
	if c.target.stream != nil {
		return s.executeStream(c, tool, arguments, scratch)
	}
	reply, err := s.invoke(c, arguments)
	if err != nil {
		return nil, err
	}
	if cap(*scratch) == 0 {
		*scratch = *s.borrow()
	}
	if tool.Operation { // which is kept for as long as it goes on
		return s.settle(c, tool, arguments, reply.ReadOnlyData(), scratch)
	}
	if c.target.output.Plain() { // else blocks may be parts of it
		defer reply.Free()
	}
	return c.present(reply.ReadOnlyData(), scratch)
}

// present makes a reply the result of a tool, which may use scratch. Its bound is
// on data and content together; the copy of the data as a text does not count, as
// it does not where there is no other content.
func (c *call) present(reply []byte, scratch *[]byte) (*mcp.CallToolResult, error) {
	c.request.noteResult(&c.target, reply)
	result, output, m := &mcp.CallToolResult{}, c.target.output, c.measure()
	var err error
	if !output.Plain() {
		if result.Blocks, err = output.Blocks(reply); err != nil {
			return nil, err
		}
		m.blocks(result.Blocks)
	}
	if !output.Only() && !m.over() {
		result.Structured, result.Warnings, err = c.target.codec.AppendJSON((*scratch)[:0], reply)
		if err != nil {
			return nil, err
		}
		*scratch = result.Structured
		m.add(len(result.Structured))
	}
	if err := m.err(reply); err != nil {
		return nil, err
	}
	return result, nil
}

// calledTool returns the tool that a tools/call with these params calls, be it by
// call_method; nil for none.
func calledTool(offered *catalog.Catalog, params mcp.CallToolParams) *catalog.Tool {
	name, find := params.Name, offered.Tool
	if offered.Searching() {
		name, find = namedByCall(params), offered.Lookup
	}
	if tool, ok := find(name); ok {
		return tool
	}
	return nil
}

// unknownTool returns the error for a tool that is not in the catalog.
func unknownTool(offered *catalog.Catalog, name string) *jsonrpc.Error {
	what, mend := unknownText(offered, name)
	if mend == "" {
		mend = "tools/list names those there are"
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: %s", what, mend)
}

// unknownText says that there is no tool of a name, and what was meant or is the
// matter, "" where that is not known.
func unknownText(offered *catalog.Catalog, name string) (what, mend string) {
	what = fmt.Sprintf("unknown tool %q", jsonrpc.Echo(name))
	if o, ok := offered.Withheld(name); ok {
		return what, fmt.Sprintf("%s is not offered: %s", o.Method, o.Reason)
	}
	if nearest := offered.Nearest(name); nearest != "" {
		return what, fmt.Sprintf("did you mean %q?", nearest)
	}
	return what, ""
}

// sizeOf guesses the bytes of a result in JSON: twice the structured part, once
// of it escaped, content in base64, and some for the rest.
func sizeOf(r *mcp.CallToolResult) int {
	size := 2*len(r.Structured) + len(r.Structured)/4 + len(r.Text) + 512
	for i := range r.Blocks {
		b := &r.Blocks[i]
		size += len(b.Text) + len(b.Resource.Text) + 4*(len(b.Data)+len(b.Resource.Blob))/3 + 128
	}
	return size
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

// giveBack keeps a buffer for later, unless it is none or has become large.
func (s *Server) giveBack(b *[]byte) {
	if cap(*b) > 0 && cap(*b) <= maxScratch {
		s.scratch.Put(b)
	}
}
