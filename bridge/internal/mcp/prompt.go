package mcp

import (
	"cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Prompt is one entry of prompts/list.
type Prompt struct {
	// Name is what prompts/get names; unique within a server.
	Name string
	// Title is the name for people, Description what the prompt is for; "" for none.
	Title, Description string
	// Arguments are what the prompt takes.
	Arguments []PromptArgument
	// Meta is the _meta object as compact JSON; nil for none.
	Meta []byte
}

// PromptArgument is one argument of a prompt.
type PromptArgument struct {
	// Name is that of the argument; not "".
	Name string
	// Title is the name for people, Description what the argument is; "" for none.
	Title, Description string
	// Required says that the prompt cannot be rendered without it.
	Required bool
}

// AppendJSON appends the prompt as a JSON object, with the members that f has.
func (p *Prompt) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.text("name", p.Name)
	if f.Titles {
		o.optional("title", p.Title)
	}
	o.optional("description", p.Description)
	if len(p.Arguments) > 0 {
		o.name("arguments")
		for i := range p.Arguments {
			o.dst = append(o.dst, "[,"[min(i, 1)])
			o.dst = p.Arguments[i].appendJSON(o.dst, f)
		}
		o.dst = append(o.dst, ']')
	}
	if f.ToolMeta {
		o.raw("_meta", p.Meta)
	}
	return o.close()
}

// appendJSON appends the argument as a JSON object.
func (a *PromptArgument) appendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.text("name", a.Name)
	if f.Titles {
		o.optional("title", a.Title)
	}
	o.optional("description", a.Description)
	if a.Required {
		o.raw("required", []byte("true"))
	}
	return o.close()
}

// GetPromptParams are the params of prompts/get.
type GetPromptParams struct {
	// Name is the prompt's name; "" is possible and names no prompt.
	Name string
	// Arguments are by name; nil when absent. They are strings all of them.
	Arguments map[string]string
}

// ParseGetPrompt reads the params of prompts/get. A missing name and arguments
// that are not strings are -32602.
func ParseGetPrompt(params []byte) (GetPromptParams, *jsonrpc.Error) {
	var p GetPromptParams
	raw, _ := jsonrpc.Find(params, "name")
	name, ok := jsonrpc.Unquote(raw)
	if !ok {
		return p, invalidParams("name must be a string, the name of a prompt as in prompts/list")
	}
	p.Name = name
	raw, _ = jsonrpc.Find(params, "arguments")
	var err *jsonrpc.Error
	p.Arguments, err = parseStrings("arguments", raw)
	return p, err
}

// parseStrings reads an object whose values are strings; nil stands for none.
func parseStrings(member string, raw []byte) (map[string]string, *jsonrpc.Error) {
	if raw == nil {
		return nil, nil
	}
	if !isObject(raw) {
		return nil, invalidParams("%s must be an object of strings", member)
	}
	values := map[string]string{}
	for name, value := range jsonrpc.Pairs(raw) {
		text, ok := jsonrpc.Unquote(value)
		if !ok {
			return nil, invalidParams("%s.%s must be a string", member, jsonrpc.Echo(string(name)))
		}
		values[string(name)] = text
	}
	return values, nil
}

// Roles of a [PromptMessage].
const (
	// RoleUser is the user's side.
	RoleUser = "user"
	// RoleAssistant is the model's.
	RoleAssistant = "assistant"
)

// PromptMessage is one message of a rendered prompt.
type PromptMessage struct {
	// Role is RoleUser or RoleAssistant; "" stands for the former.
	Role string
	// Content is what is said.
	Content Content
}

// GetPromptResult is the result of prompts/get.
type GetPromptResult struct {
	// Description is what the prompt is for; "" for none.
	Description string
	// Messages are the prompt, rendered.
	Messages []PromptMessage
	// Meta is the _meta object; nil for none.
	Meta []byte
}

// AppendJSON appends the result as a JSON object.
func (r *GetPromptResult) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.optional("description", r.Description)
	o.name("messages")
	o.dst = append(o.dst, '[')
	for i := range r.Messages {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = r.Messages[i].appendJSON(o.dst, f)
	}
	o.dst = append(o.dst, ']')
	return closeResult(o, f, r.Meta)
}

// appendJSON appends the message as a JSON object.
func (m *PromptMessage) appendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.text("role", cmp.Or(m.Role, RoleUser))
	o.name("content")
	o.dst = m.Content.AppendJSON(o.dst, f)
	return o.close()
}
