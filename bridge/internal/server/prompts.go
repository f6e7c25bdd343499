package server

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// getPrompt answers prompts/get (2026-07-28 server/prompts, "Getting a Prompt").
func (s *Server) getPrompt(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	params, err := mcp.ParseGetPrompt(r.params.Raw())
	if err != nil {
		return nil, err
	}
	offered := s.catalog()
	prompt, ok := offered.Prompt(params.Name)
	if !ok {
		return nil, unknownPrompt(offered, params.Name)
	}
	arguments, err := prompt.Request(params.Arguments)
	if err != nil {
		return nil, err
	}
	call := r.start(promptTarget(prompt))
	if err := r.admits(&call.target, "prompt"); err != nil {
		return nil, err
	}
	messages, warnings, failure := s.render(call, arguments)
	if failure != nil {
		fault := s.sort(r.ctx, &call.target, failure)
		call.failed(fault)
		if fault.kind == faultQuestion {
			return s.appendQuestion(r, dst, &call.target, fault.question)
		}
		if fault.notFound() {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s", fault.message())
		}
		return nil, r.failedBy(fault)
	}
	call.succeeded(warnings)
	f := r.scope.Features
	result := mcp.GetPromptResult{Description: prompt.Definition.Description, Messages: messages, Meta: s.metas[f]}
	return result.AppendJSON(dst, f), nil
}

// render renders a prompt and returns its messages and how many values of them
// were replaced.
func (s *Server) render(c *call, arguments []byte) ([]mcp.PromptMessage, int, error) {
	reply, err := s.invoke(c, arguments)
	if err != nil {
		return nil, 0, err
	}
	wire := reply.ReadOnlyData()
	messages, warnings, err := messagesOf(&c.target, wire)
	if err != nil {
		return nil, 0, err
	}
	m := c.measure()
	m.messages(messages)
	return messages, warnings, m.err(wire)
}

// messagesOf returns what a reply has for a prompt, and how many values were
// replaced. Data without messages is one of the user's; where there can be no
// data, that is an empty text.
func messagesOf(t *target, reply []byte) ([]mcp.PromptMessage, int, error) {
	messages, err := t.output.Messages(reply)
	if err != nil || len(messages) > 0 {
		return messages, 0, err
	}
	if t.output.Spoken() {
		return userSays(""), 0, nil
	}
	data, warnings, err := t.codec.AppendJSON(nil, reply)
	if err != nil {
		return nil, 0, err
	}
	if isText(t.method.Output()) {
		return userSays(only(data)), len(warnings), nil
	}
	return userSays(string(data)), len(warnings), nil
}

// userSays returns one message of the user.
func userSays(text string) []mcp.PromptMessage {
	return []mcp.PromptMessage{{Content: mcp.Content{Kind: mcp.ContentText, Text: text}}}
}

// isText reports whether a message is one string and nothing else.
func isText(md protoreflect.MessageDescriptor) bool {
	fields := md.Fields()
	return fields.Len() == 1 && fields.Get(0).Kind() == protoreflect.StringKind && !fields.Get(0).IsList()
}

// only returns the string that is the only member of a JSON object; "" where the
// object leaves it out.
func only(object []byte) string {
	for _, value := range jsonrpc.Pairs(object) {
		text, _ := jsonrpc.Unquote(value)
		return text
	}
	return ""
}

// unknownPrompt returns the error for a prompt that is not in the catalog.
func unknownPrompt(offered *catalog.Catalog, name string) *jsonrpc.Error {
	if nearest := offered.NearestPrompt(name); nearest != "" {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown prompt %s: did you mean %q?", quote(name), nearest)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown prompt %s: prompts/list names those there are", quote(name))
}
