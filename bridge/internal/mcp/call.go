package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// CallToolParams are the params of tools/call. Their _meta is read apart, by
// [ParseMeta], once for every request.
type CallToolParams struct {
	// Name is the tool's name; "" is possible and names no tool.
	Name string
	// Arguments is raw JSON of any kind; nil when absent. It aliases the params.
	Arguments []byte
}

// ParseCallTool reads the params of tools/call. A missing name or one that is
// no string is -32602. Arguments of a kind other than object pass: whether they
// can be mended, and how to tell the model, is known where they are transcoded.
func ParseCallTool(params jsonrpc.Object) (CallToolParams, *jsonrpc.Error) {
	var p CallToolParams
	raw, _ := params.Find("name")
	name, ok := jsonrpc.Unquote(raw)
	if !ok {
		return p, invalidParams("name must be a string, the name of a tool as in tools/list")
	}
	p.Name = name
	p.Arguments, _ = params.Find("arguments")
	return p, nil
}

// CallToolResult is the result of tools/call.
type CallToolResult struct {
	// Structured is the result as compact JSON: sent as the first text block and,
	// where the peer knows it, as structuredContent. Ignored when IsError is set.
	Structured []byte
	// Text is the first text block when there is no structured content to send;
	// nil leaves the block out where there are Blocks.
	Text []byte
	// Blocks are content beside the data: after the first text block.
	Blocks []Content
	// Warnings are further text blocks, after the result.
	Warnings []string
	// IsError says that the tool failed and that the text says why, for the
	// model to read.
	IsError bool
	// Meta is the _meta object; nil for none.
	Meta []byte
}

// AppendJSON appends the result as a JSON object. A failure has no structured
// content, because a client that checks structuredContent against the tool's
// outputSchema would refuse it. Structured content that is not an object goes to
// peers with AnyOutput alone; the others have it as text.
func (r *CallToolResult) AppendJSON(dst []byte, f Features) []byte {
	structured := r.Structured
	if r.IsError {
		structured = nil
	}
	o := newObject(dst)
	o.name("content")
	o.dst = r.appendContent(append(o.dst, '['), structured, f)
	o.dst = append(o.dst, ']')
	if f.OutputSchemas && (f.AnyOutput || isObject(structured)) {
		o.raw("structuredContent", structured)
	}
	if r.IsError {
		o.raw("isError", []byte("true"))
	}
	return closeResult(o, f, r.Meta)
}

// appendContent appends the blocks, with commas between them.
func (r *CallToolResult) appendContent(dst, structured []byte, f Features) []byte {
	begun := structured != nil || r.Text != nil || len(r.Blocks) == 0
	if begun {
		dst = appendTextBlock(dst, structured, r.Text)
	}
	for i := range r.Blocks {
		if begun {
			dst = append(dst, ',')
		}
		begun = true
		dst = r.Blocks[i].AppendJSON(dst, f)
	}
	for _, w := range r.Warnings {
		dst = append(dst, `,{"type":"text","text":`...)
		dst = append(jsonrpc.AppendString(dst, w), '}')
	}
	return dst
}

// appendTextBlock appends a text block with the structured result or, where
// that is nil, the text, which may hold any bytes.
func appendTextBlock(dst, structured, text []byte) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	if structured != nil {
		dst = jsonrpc.AppendQuoted(dst, structured)
	} else {
		dst = jsonrpc.AppendString(dst, string(text))
	}
	return append(dst, '}')
}
