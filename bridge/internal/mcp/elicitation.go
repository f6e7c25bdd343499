package mcp

import (
	"fmt"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// ElicitParams are the params of elicitation/create, by which a server asks the
// user. Forms came with 2025-06-18, pages and the member mode with 2025-11-25.
// The defaults of other fields than booleans, and enumerations with titles or of
// several values, came with 2025-11-25 too; they are keywords of a schema, which
// an older client passes over, and are sent to all.
type ElicitParams struct {
	// Message is what the user is asked.
	Message string
	// RequestedSchema is the form, a JSON Schema as raw JSON; nil for a page.
	RequestedSchema []byte
	// URL is the page; "" for a form.
	URL string
	// ElicitationID names the visit of the page. 2025-11-25 alone has it.
	ElicitationID string
}

// AppendJSON appends the params as a JSON object.
func (p *ElicitParams) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	if p.URL != "" {
		o.text("mode", "url")
		o.text("message", p.Message)
		o.text("url", p.URL)
		if !f.Modern {
			o.text("elicitationId", p.ElicitationID)
		}
		return o.close()
	}
	if f.URLElicitation {
		o.text("mode", "form")
	}
	o.text("message", p.Message)
	o.raw("requestedSchema", p.RequestedSchema)
	return o.close()
}

// ElicitAction is what a user did about a question.
type ElicitAction string

// The actions of users.
const (
	// ElicitAccept says that the user agreed and answered.
	ElicitAccept ElicitAction = "accept"
	// ElicitDecline says that the user said no.
	ElicitDecline ElicitAction = "decline"
	// ElicitCancel says that the user did not decide.
	ElicitCancel ElicitAction = "cancel"
)

// ElicitResult is the answer to elicitation/create.
type ElicitResult struct {
	// Action is what the user did.
	Action ElicitAction
	// Content is the form as filled in, an object as raw JSON; nil for none.
	Content []byte
}

// ParseElicitResult reads an answer. The error names the member at fault.
func ParseElicitResult(raw []byte) (ElicitResult, error) {
	var r ElicitResult
	if !isObject(raw) {
		return r, fmt.Errorf("the result must be an object")
	}
	value, _ := jsonrpc.Find(raw, "action")
	text, _ := jsonrpc.Unquote(value)
	r.Action = ElicitAction(text)
	switch r.Action {
	case ElicitAccept, ElicitDecline, ElicitCancel:
	default:
		return r, fmt.Errorf("action must be accept, decline or cancel")
	}
	content, ok := jsonrpc.Find(raw, "content")
	switch {
	case !ok || string(content) == "null":
	case isObject(content):
		r.Content = content
	default:
		return r, fmt.Errorf("content must be an object")
	}
	return r, nil
}
