package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// written are the official examples of 2026-07-28 that can be written with the
// members there are here, by the name of their type.
var written = map[string]func() []byte{
	"TextContent": func() []byte { return (&mcp.Content{Text: "Tool result text"}).AppendJSON(nil, newest) },
	"AudioContent": func() []byte {
		return (&mcp.Content{Kind: mcp.ContentAudio, Data: wave, MimeType: "audio/wav"}).AppendJSON(nil, newest)
	},
	"EmbeddedResource": func() []byte {
		marks := mcp.Annotations{Audience: []string{"user", "assistant"}, Priority: new(0.7), LastModified: "2025-05-03T14:30:00Z"}
		return (&mcp.Content{Kind: mcp.ContentResource, Resource: source, Annotations: marks}).AppendJSON(nil, newest)
	},
	"ResourceLink": func() []byte {
		link := mcp.Resource{URI: source.URI, Name: "main.rs", Description: "Primary application entry point", MimeType: source.MimeType}
		return (&mcp.Content{Kind: mcp.ContentResourceLink, Link: link}).AppendJSON(nil, newest)
	},
	"ReadResourceResult": func() []byte {
		return (&mcp.ReadResourceResult{Contents: []mcp.ResourceContents{source}, Cache: mcp.Cache{TTL: 60e9, Private: true}}).AppendJSON(nil,
			newest)
	},
	"GetPromptResult": func() []byte {
		text := mcp.Content{Text: "Please review this Python code:\ndef hello():\n    print('world')"}
		return (&mcp.GetPromptResult{Description: "Code review prompt", Messages: []mcp.PromptMessage{{Content: text}}}).AppendJSON(nil, newest)
	},
	"SubscriptionsListenResult":       func() []byte { return mcp.AppendEmptyResult(nil, newest, listener) },
	"ToolListChangedNotification":     func() []byte { return mcp.AppendListChanged(nil, mcp.MethodToolsChanged, listener) },
	"PromptListChangedNotification":   func() []byte { return mcp.AppendListChanged(nil, mcp.MethodPromptsChanged, listener) },
	"ResourceListChangedNotification": func() []byte { return mcp.AppendListChanged(nil, mcp.MethodResourcesChanged, listener) },
	"ResourceUpdatedNotification":     func() []byte { return mcp.AppendResourceUpdated(nil, source.URI, listener) },
	"SubscriptionsAcknowledgedNotification": func() []byte {
		return mcp.AppendAcknowledged(nil, &mcp.Subscription{Tools: true, URIs: []string{"file:///project/config.json"}}, listener)
	},
	"LoggingMessageNotification": func() []byte {
		data := []byte(`{"error":"Connection failed","details":{"host":"localhost","port":5432}}`)
		return (&mcp.LogMessage{Level: mcp.LevelError, Logger: "database", Data: data}).AppendNotification(nil)
	},
	"CancelledNotification": func() []byte { return mcp.AppendCancelled(nil, jsonrpc.StringID("123"), "User requested cancellation") },
}

var (
	listener = mcp.SubscriptionMeta(jsonrpc.StringID("listen-1"))
	source   = mcp.ResourceContents{
		URI: "file:///project/src/main.rs", MimeType: "text/x-rust", Text: "fn main() {\n    println!(\"Hello world!\");\n}",
	}
	wave = []byte("RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00D\xac\x00\x00\x88X\x01\x00\x02\x00\x10\x00data\x00\x00\x00\x00")
)

// TestOfficialExamplesAreWritten: what the specification shows is what is written.
func TestOfficialExamplesAreWritten(t *testing.T) {
	t.Parallel()
	for kind, write := range written {
		got := write()
		found := false
		for _, want := range examples(t, kind) {
			found = found || equalJSON(t, want, got)
		}
		if !found {
			t.Errorf("%s: %s is no example", kind, got)
		}
		if !json.Valid(got) {
			t.Errorf("%s is not JSON", got)
		}
	}
}
