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

// List names one of the four lists, as the member of its result.
type List string

// The lists.
const (
	// ListTools is that of tools/list.
	ListTools List = "tools"
	// ListResources is that of resources/list.
	ListResources List = "resources"
	// ListResourceTemplates is that of resources/templates/list.
	ListResourceTemplates List = "resourceTemplates"
	// ListPrompts is that of prompts/list.
	ListPrompts List = "prompts"
)

// ListResult is the result of a list request: one page.
type ListResult struct {
	// List is the member that holds the page.
	List List
	// Page is a finished JSON array.
	Page []byte
	// NextCursor asks for the next page; "" on the last.
	NextCursor string
	// Cache is sent to modern peers.
	Cache Cache
	// Meta is the _meta object; nil for none.
	Meta []byte
}

// AppendJSON appends the result as a JSON object.
func (r *ListResult) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.raw(string(r.List), r.Page)
	o.optional("nextCursor", r.NextCursor)
	r.Cache.append(&o, f)
	return closeResult(o, f, r.Meta)
}
