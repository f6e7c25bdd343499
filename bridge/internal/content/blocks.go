package content

import (
	"google.golang.org/genproto/googleapis/api/httpbody"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Blocks returns the content of a response as blocks, in the order of the fields' declaration and of their lists; none for
// a plain one. The error is [ErrReply] or [ErrTooLarge]. Bytes in the blocks may be those of wire, which must not change.
//
// A google.api.HttpBody is a text, a picture or sound where its media type says so, and else a resource with its bytes in
// it. A resource without a valid URI, which MCP has none of, is called attachment:FIELD, or attachment:FIELD/N for item N,
// from 0, of a list; FIELD is "result" where the response is content as a whole. A link without one is a text that says so.
// A Content that holds nothing is an empty text, and one of a kind that the bridge does not know a text that says so.
func (o *Output) Blocks(wire []byte) ([]mcp.Content, error) {
	values, err := o.values(wire)
	if err != nil {
		return nil, err
	}
	var blocks []mcp.Content
	for i := range values {
		if values[i].part.kind.isContent() {
			blocks = append(blocks, values[i].block())
		}
	}
	return blocks, nil
}

// Messages returns the messages of a prompt, in the order of the fields' declaration and of their lists: those of
// bridge.v1.PromptMessage fields, and the user's with what [Output.Blocks] returns; none where there is neither. The error
// is [ErrReply] or [ErrTooLarge].
func (o *Output) Messages(wire []byte) ([]mcp.PromptMessage, error) {
	values, err := o.values(wire)
	if err != nil {
		return nil, err
	}
	var messages []mcp.PromptMessage
	for i := range values {
		said := mcp.PromptMessage{Role: mcp.RoleUser, Content: values[i].block()}
		if m, ok := values[i].message.(*bridgev1.PromptMessage); ok {
			said.Role = roleOf(m.GetRole())
		}
		messages = append(messages, said)
	}
	return messages, nil
}

// block returns the value as a block; of a PromptMessage what is said.
func (v *value) block() mcp.Content {
	uri := "attachment:" + v.place()
	switch m := v.message.(type) {
	case *bridgev1.PromptMessage:
		return blockOf(m.GetContent(), uri)
	case *bridgev1.ResourceContents:
		return mcp.Content{Kind: mcp.ContentResource, Resource: contentsOf(m, uri, "")}
	case *httpbody.HttpBody:
		return blockOfBody(m, uri)
	}
	m, _ := v.message.(*bridgev1.Content)
	return blockOf(m, uri)
}
