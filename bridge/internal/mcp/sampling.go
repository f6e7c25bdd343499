package mcp

import (
	"errors"
	"fmt"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// SampleParams are the params of sampling/createMessage, by which a server has
// the client's model write something. Tools and ToolChoice need a client with the
// capability sampling.tools (2025-11-25).
type SampleParams struct {
	// Messages are the conversation so far.
	Messages []PromptMessage
	// SystemPrompt stands above it; "" for none.
	SystemPrompt string
	// MaxTokens bounds what is written.
	MaxTokens int64
	// Temperature says how freely to sample; nil leaves it to the client.
	Temperature *float64
	// StopSequences end the writing.
	StopSequences []string
	// ModelHints are names of models, or parts of such, the preferred first.
	ModelHints []string
	// Tools and ToolChoice are raw JSON; nil for none.
	Tools, ToolChoice []byte
}

// AppendJSON appends the params as a JSON object.
func (p *SampleParams) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.name("messages")
	o.dst = append(o.dst, '[')
	for i := range p.Messages {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = p.Messages[i].appendJSON(o.dst, f)
	}
	o.dst = append(o.dst, ']')
	p.appendHints(&o)
	o.optional("systemPrompt", p.SystemPrompt)
	if p.Temperature != nil {
		o.number("temperature", *p.Temperature)
	}
	o.integer("maxTokens", p.MaxTokens)
	if len(p.StopSequences) > 0 {
		o.name("stopSequences")
		o.dst = appendStrings(o.dst, p.StopSequences)
	}
	o.raw("tools", p.Tools)
	o.raw("toolChoice", p.ToolChoice)
	return o.close()
}

// appendHints appends which models are preferred.
func (p *SampleParams) appendHints(o *object) {
	if len(p.ModelHints) == 0 {
		return
	}
	o.name("modelPreferences")
	o.dst = append(o.dst, `{"hints":[`...)
	for i, hint := range p.ModelHints {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		one := newObject(o.dst)
		one.text("name", hint)
		o.dst = one.close()
	}
	o.dst = append(o.dst, "]}"...)
}

// SampleResult is the answer to sampling/createMessage, CreateMessageResult in the
// schemas. Byte slices are raw JSON and alias the answer.
type SampleResult struct {
	// Role is who says it: user or assistant.
	Role string
	// Content are the blocks: one; or, as arrays have no least length, none to several.
	Content [][]byte
	// Model is the model's name, and StopReason why it ended, "" where not said.
	Model, StopReason string
}

// ParseSampleResult reads an answer. An array of content, which revisions before
// 2025-11-25 do not have, is read in all of them. No revision has null in place of
// a member that is left out. The error names the member at fault.
func ParseSampleResult(raw []byte) (SampleResult, error) {
	var r SampleResult
	if !isObject(raw) {
		return r, errors.New("the result must be an object")
	}
	for _, m := range []struct {
		name     string
		value    *string
		required bool
	}{{"role", &r.Role, true}, {"model", &r.Model, true}, {"stopReason", &r.StopReason, false}} {
		value, given := jsonrpc.Find(raw, m.name)
		text, ok := jsonrpc.Unquote(value)
		if !ok && (given || m.required) {
			return r, fmt.Errorf("%s must be a string", m.name)
		}
		*m.value = text
	}
	if r.Role != "user" && r.Role != "assistant" {
		return r, errors.New("role must be user or assistant")
	}
	content, _ := jsonrpc.Find(raw, "content")
	switch {
	case isObject(content):
		r.Content = [][]byte{content}
	case len(content) > 0 && content[0] == '[':
		for block := range jsonrpc.Elements(content) {
			if !isObject(block) {
				return r, errors.New("content must be a block or an array of blocks")
			}
			r.Content = append(r.Content, block)
		}
	default:
		return r, errors.New("content must be a block or an array of blocks")
	}
	return r, nil
}
