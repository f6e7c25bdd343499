package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"github.com/mcpgrpc/bridge/bridge"
)

// remoteResult is the result of tools/call.
type remoteResult struct {
	Type       string            `json:"resultType"`
	Content    []json.RawMessage `json:"content"`
	Structured json.RawMessage   `json:"structuredContent"`
	IsError    bool              `json:"isError"`
	Meta       struct {
		Trace json.RawMessage `json:"io.github.mcpgrpc/traceId"`
	} `json:"_meta"`

	texts []string // of the blocks of content that are texts
}

// readResult reads a result; one that asks for something is an error.
func readResult(raw []byte) (*remoteResult, error) {
	var r remoteResult
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("the result is not one of a tool: %w", err)
	}
	switch r.Type {
	case "", "complete":
	case "input_required":
		return nil, errors.New("the tool asks its user for something before it goes on: " + askMend)
	default:
		return nil, fmt.Errorf("the result is of the unknown type %q", r.Type)
	}
	for _, raw := range r.Content {
		var block struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(raw, &block); err != nil {
			return nil, fmt.Errorf("the result has content that is none: %w", err)
		}
		if block.Type == "text" {
			r.texts = append(r.texts, block.Text)
		}
	}
	return &r, nil
}

// traceID returns the trace that a bridge names in a result that failed; the zero one where r is nil, did not fail or names none.
func (r *remoteResult) traceID() trace.TraceID {
	var text string
	if r == nil || !r.IsError || json.Unmarshal(r.Meta.Trace, &text) != nil {
		return trace.TraceID{}
	}
	id, err := trace.TraceIDFromHex(text)
	if err != nil {
		return trace.TraceID{}
	}
	return id
}

// text returns what a model would read, without what could act on a terminal.
func (r *remoteResult) text() string {
	lines := strings.Split(strings.Join(r.texts, "\n"), "\n")
	for i, l := range lines {
		lines[i] = printable(l)
	}
	return strings.Join(lines, "\n")
}

// printed returns what is printed of the result: its message, from the structured content or the only text when that is JSON, or
// all of its content when that is more than texts. Texts beside structured content are warnings: the first says the same as that.
func (r *remoteResult) printed() *bridge.Result {
	if len(r.texts) == len(r.Content) {
		if r.Structured != nil {
			return &bridge.Result{JSON: r.Structured, Warnings: r.texts[min(1, len(r.texts)):]}
		}
		if len(r.texts) == 1 && json.Valid([]byte(r.texts[0])) {
			return &bridge.Result{JSON: []byte(r.texts[0])}
		}
	}
	blocks := make([]string, len(r.Content))
	for i, b := range r.Content {
		blocks[i] = string(b)
	}
	return &bridge.Result{Content: []byte("[" + strings.Join(blocks, ",") + "]")}
}
