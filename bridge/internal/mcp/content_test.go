package mcp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// TestContent: what a revision does not have comes in what it has.
func TestContent(t *testing.T) {
	t.Parallel()
	half := 0.25
	link := mcp.Content{Kind: mcp.ContentResourceLink, Link: mcp.Resource{URI: "x:y", Name: "n", Title: "N", MimeType: "text/plain"}}
	audio := mcp.Content{Kind: mcp.ContentAudio, Data: []byte{1, 2}, MimeType: "audio/wav"}
	dated := mcp.Content{Text: "t", Annotations: mcp.Annotations{LastModified: "2026-01-02"}}
	for name, tt := range map[string]struct {
		content  mcp.Content
		features mcp.Features
		want     string
	}{
		"text": {mcp.Content{Text: "a\n\"b\""}, oldest, `{"type":"text","text":"a\n\"b\""}`},
		"text with annotations": {
			mcp.Content{Text: "", Annotations: mcp.Annotations{Audience: []string{"user", "assistant"}, Priority: &half}},
			oldest, `{"type":"text","text":"","annotations":{"audience":["user","assistant"],"priority":0.25}}`,
		},
		"the date for 2025-06-18": {dated, june, `{"type":"text","text":"t","annotations":{"lastModified":"2026-01-02"}}`},
		"no date for 2025-03-26":  {dated, march, `{"type":"text","text":"t"}`},
		"a picture": {
			mcp.Content{Kind: mcp.ContentImage, Data: []byte{0xff}, MimeType: "image/png"},
			oldest,
			`{"type":"image","data":"/w==","mimeType":"image/png"}`,
		},
		"an empty picture":     {mcp.Content{Kind: mcp.ContentImage}, oldest, `{"type":"image","data":"","mimeType":""}`},
		"sound for 2025-03-26": {audio, march, `{"type":"audio","data":"AQI=","mimeType":"audio/wav"}`},
		"sound for 2024-11-05": {
			audio, oldest, `{"type":"resource","resource":{"uri":"attachment:audio","mimeType":"audio/wav","blob":"AQI="}}`,
		},
		"a resource of text": {
			mcp.Content{Kind: mcp.ContentResource, Resource: mcp.ResourceContents{URI: "x:y", Text: "t"}},
			oldest,
			`{"type":"resource","resource":{"uri":"x:y","text":"t"}}`,
		},
		"a resource of bytes": {
			mcp.Content{
				Kind: mcp.ContentResource, Resource: mcp.ResourceContents{URI: "x:y", MimeType: "a/b", Blob: []byte("b"), Text: "t", Binary: true},
			},
			newest, `{"type":"resource","resource":{"uri":"x:y","mimeType":"a/b","blob":"Yg=="}}`,
		},
		"a link for 2025-06-18":  {link, june, `{"type":"resource_link","uri":"x:y","name":"n","title":"N","mimeType":"text/plain"}`},
		"a link for 2025-03-26":  {link, march, `{"type":"text","text":"resource n: x:y"}`},
		"bytes that are no text": {mcp.Content{Text: "a\xff"}, newest, "{\"type\":\"text\",\"text\":\"a\uFFFD\"}"},
		"a priority that is nothing": {
			mcp.Content{Annotations: mcp.Annotations{Priority: new(0.0)}}, newest, `{"type":"text","text":"","annotations":{"priority":0}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff("before "+tt.want, string(tt.content.AppendJSON([]byte("before "), tt.features))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestBlocksInAResult: the data come first, if there are any, then the blocks,
// then the warnings.
func TestBlocksInAResult(t *testing.T) {
	t.Parallel()
	const text, block = `{"type":"text","text":`, `{"type":"image","data":"AQ==","mimeType":"a/b"}`
	picture := []mcp.Content{{Kind: mcp.ContentImage, Data: []byte{1}, MimeType: "a/b"}}
	for name, tt := range map[string]struct {
		result mcp.CallToolResult
		want   string
	}{
		"blocks alone":         {mcp.CallToolResult{Blocks: picture}, `{"content":[` + block + `]}`},
		"two blocks":           {mcp.CallToolResult{Blocks: append(picture, picture...)}, `{"content":[` + block + `,` + block + `]}`},
		"blocks and a warning": {mcp.CallToolResult{Blocks: picture, Warnings: []string{"w"}}, `{"content":[` + block + `,` + text + `"w"}]}`},
		"data and blocks": {
			mcp.CallToolResult{Structured: []byte(`{}`), Blocks: picture}, `{"content":[` + text + `"{}"},` + block + `],"structuredContent":{}}`,
		},
		"text and blocks": {mcp.CallToolResult{Text: []byte{}, Blocks: picture}, `{"content":[` + text + `""},` + block + `]}`},
		"nothing":         {mcp.CallToolResult{}, `{"content":[` + text + `""}]}`},
		"a failure": {
			mcp.CallToolResult{Structured: []byte(`{}`), Blocks: picture, IsError: true}, `{"content":[` + block + `],"isError":true}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, string(tt.result.AppendJSON(nil, june))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestContentIsValidInEveryRevision: whatever a block holds.
func TestContentIsValidInEveryRevision(t *testing.T) {
	t.Parallel()
	documents := schemas(t)
	for _, r := range revisions {
		t.Run(string(r.version), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				content := rapid.SliceOfN(rapid.Custom(anyContent), 1, 4).Draw(rt, "content")
				call := mcp.CallToolResult{Blocks: content}
				documents[r.version].valid(rt, r.version, "CallToolResult", call.AppendJSON(nil, r.features))
				get := mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Content: content[0]}}}
				documents[r.version].valid(rt, r.version, "GetPromptResult", get.AppendJSON(nil, r.features))
			})
		})
	}
}

// anyContent draws a block.
func anyContent(rt *rapid.T) mcp.Content {
	text, data := rapid.String(), rapid.SliceOf(rapid.Byte())
	uri := rapid.SampledFrom([]string{"x:y", "file:///a%20b", "library://shelves/1?q=2#f"})
	return mcp.Content{
		Kind: mcp.ContentKind(rapid.IntRange(0, int(mcp.ContentResourceLink)).Draw(rt, "kind")),
		Text: text.Draw(rt, "text"), Data: data.Draw(rt, "data"), MimeType: text.Draw(rt, "mime"),
		Resource: mcp.ResourceContents{
			URI: uri.Draw(rt, "uri"), MimeType: text.Draw(rt, "mime"), Text: text.Draw(rt, "text"), Blob: data.Draw(rt, "blob"),
			Binary: rapid.Bool().Draw(rt, "binary"),
		},
		Link: mcp.Resource{
			URI: uri.Draw(rt, "uri"), Name: text.Draw(rt, "name"), Title: text.Draw(rt, "title"), Description: text.Draw(rt, "description"),
		},
		Annotations: mcp.Annotations{
			Audience:     rapid.SampledFrom([][]string{nil, {"user"}, {"assistant", "user"}}).Draw(rt, "audience"),
			Priority:     rapid.Ptr(rapid.Float64Range(0, 1), true).Draw(rt, "priority"),
			LastModified: rapid.SampledFrom([]string{"", "2026-01-02T03:04:05Z"}).Draw(rt, "modified"),
		},
	}
}
