package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// ParseCursor reads the params of a list request and returns their cursor; ""
// stands for the first page, whether the cursor is absent or empty. A cursor
// that is no string is -32602.
func ParseCursor(params []byte) (string, *jsonrpc.Error) {
	raw, ok := jsonrpc.Find(params, "cursor")
	if !ok {
		return "", nil
	}
	cursor, ok := jsonrpc.Unquote(raw)
	if !ok {
		return "", invalidParams("cursor must be a string, the nextCursor of the page before")
	}
	return cursor, nil
}

// ListToolsResult is the result of tools/list: one page.
type ListToolsResult struct {
	// Tools is the page as a finished JSON array.
	Tools []byte
	// NextCursor asks for the next page; "" on the last.
	NextCursor string
	// Cache is sent to modern peers.
	Cache Cache
	// Meta is the _meta object; nil for none.
	Meta []byte
}

// AppendJSON appends the result as a JSON object.
func (r *ListToolsResult) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.raw("tools", r.Tools)
	o.optional("nextCursor", r.NextCursor)
	r.Cache.append(&o, f)
	return closeResult(o, f, r.Meta)
}
