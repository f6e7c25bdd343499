package interaction

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// actions are what users do.
var actions = map[mcp.ElicitAction]bridgev1.ElicitationAction{
	mcp.ElicitAccept:  bridgev1.ElicitationAction_ELICITATION_ACTION_ACCEPT,
	mcp.ElicitDecline: bridgev1.ElicitationAction_ELICITATION_ACTION_DECLINE,
	mcp.ElicitCancel:  bridgev1.ElicitationAction_ELICITATION_ACTION_CANCEL,
}

// Answer reads a client's result for the request, as raw JSON, and holds it
// against what was asked for. The error names the member at fault and the mend.
func (r *Request) Answer(result []byte) (*bridgev1.InputResponse, error) {
	answer := &bridgev1.InputResponse{Key: r.Key}
	switch r.Method {
	case mcp.MethodElicit:
		elicited, err := r.elicited(result)
		if err != nil {
			return nil, err
		}
		answer.Response = &bridgev1.InputResponse_Elicitation{Elicitation: elicited}
	case mcp.MethodSample:
		sampled, err := sampled(result)
		if err != nil {
			return nil, err
		}
		answer.Response = &bridgev1.InputResponse_Sampling{Sampling: sampled}
	default:
		roots, err := rooted(result)
		if err != nil {
			return nil, err
		}
		answer.Response = &bridgev1.InputResponse_Roots{Roots: roots}
	}
	return answer, nil
}

// elicited reads what the user did. The content of a page, and of what was not
// accepted, is passed over.
func (r *Request) elicited(raw []byte) (*bridgev1.ElicitationResult, error) {
	result, err := mcp.ParseElicitResult(raw)
	if err != nil {
		return nil, err
	}
	elicited := &bridgev1.ElicitationResult{Action: actions[result.Action]}
	if r.form == nil || result.Action != mcp.ElicitAccept {
		return elicited, nil
	}
	content := result.Content
	if content == nil {
		content = []byte("{}")
	}
	if elicited.Content, err = r.form.take(content); err != nil {
		return nil, err
	}
	return elicited, nil
}

// sampled reads what the model wrote.
func sampled(raw []byte) (*bridgev1.SamplingResult, error) {
	result, err := mcp.ParseSampleResult(raw)
	if err != nil {
		return nil, err
	}
	s := &bridgev1.SamplingResult{
		Role: bridgev1.Role_ROLE_USER, Model: result.Model, StopReason: result.StopReason, Json: string(raw),
	}
	if result.Role == mcp.RoleAssistant {
		s.Role = bridgev1.Role_ROLE_ASSISTANT
	}
	for _, block := range result.Content {
		content, err := blockOf(block)
		if err != nil {
			return nil, err
		}
		if content != nil {
			s.Content = append(s.Content, content)
		}
	}
	return s, nil
}

// blockOf reads a block of content; nil is one that has no place in ours.
func blockOf(raw []byte) (*bridgev1.Content, error) {
	switch kind := member(raw, "type"); kind {
	case "text":
		value, _ := jsonrpc.Find(raw, "text")
		text, ok := jsonrpc.Unquote(value)
		if !ok {
			return nil, errors.New("the text of a block of content must be a string")
		}
		return &bridgev1.Content{Block: &bridgev1.Content_Text{Text: &bridgev1.TextContent{Text: text}}}, nil
	case "image", "audio":
		value, _ := jsonrpc.Find(raw, "data")
		text, ok := jsonrpc.Unquote(value)
		data, err := base64.StdEncoding.DecodeString(text)
		if !ok || err != nil {
			return nil, errors.New("the data of a block of content must be in base64")
		}
		if kind == "image" {
			return &bridgev1.Content{
				Block: &bridgev1.Content_Image{Image: &bridgev1.ImageContent{Data: data, MimeType: member(raw, "mimeType")}},
			}, nil
		}
		return &bridgev1.Content{
			Block: &bridgev1.Content_Audio{Audio: &bridgev1.AudioContent{Data: data, MimeType: member(raw, "mimeType")}},
		}, nil
	case "":
		return nil, errors.New("a block of content must have a type")
	}
	return nil, nil
}

// member returns a member that is a string; "" for any other.
func member(raw []byte, name string) string {
	value, _ := jsonrpc.Find(raw, name)
	text, _ := jsonrpc.Unquote(value)
	return text
}

// rooted reads where the client works.
func rooted(raw []byte) (*bridgev1.RootsResult, error) {
	roots, err := mcp.ParseRootsResult(raw)
	if err != nil {
		return nil, err
	}
	result := &bridgev1.RootsResult{}
	for _, root := range roots {
		if !strings.HasPrefix(root.URI, "file://") {
			return nil, fmt.Errorf("the uri %q of a root must begin with file://", jsonrpc.Echo(root.URI))
		}
		result.Roots = append(result.Roots, &bridgev1.Root{Uri: root.URI, Name: root.Name})
	}
	return result, nil
}
