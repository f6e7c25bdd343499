package mcp_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// everything is a resource, a template and a prompt with all members.
var (
	priority = 0.5
	marked   = mcp.Annotations{Audience: []string{"user", "assistant"}, Priority: &priority, LastModified: "2026-01-02T03:04:05Z"}
	resource = mcp.Resource{
		URI: "library://shelves/1", Name: "shelf", Title: "Shelf", Description: "A shelf.", MimeType: "application/json",
		Meta: []byte(`{"com.example/x":1}`),
	}
	template = mcp.ResourceTemplate{
		URITemplate: "library://shelves/{shelf}", Name: "shelf", Title: "Shelf", Description: "A shelf.", MimeType: "text/plain",
		Meta: []byte(`{"com.example/x":1}`),
	}
	prompt = mcp.Prompt{
		Name: "review", Title: "Review", Description: "Reviews.", Meta: []byte(`{"com.example/x":1}`),
		Arguments: []mcp.PromptArgument{{Name: "code", Title: "Code", Description: "The code.", Required: true}, {Name: "style"}},
	}
	contents = []mcp.ResourceContents{
		{URI: "x:text", MimeType: "text/plain", Text: "a\"b"},
		{URI: "x:empty"},
		{URI: "x:blob", MimeType: "image/png", Blob: []byte{0, 1, 0xff}, Binary: true},
		{URI: "x:nothing", Binary: true},
	}
	blocks = []mcp.Content{
		{Text: "t", Annotations: marked},
		{Kind: mcp.ContentImage, Data: []byte{1}, MimeType: "image/png"},
		{Kind: mcp.ContentAudio, Data: []byte{2}, MimeType: "audio/wav", Annotations: marked},
		{Kind: mcp.ContentResource, Resource: contents[0]},
		{Kind: mcp.ContentResource, Resource: contents[2], Annotations: mcp.Annotations{LastModified: "2026-01-02T03:04:05Z"}},
		{Kind: mcp.ContentResourceLink, Link: resource, Annotations: marked},
	}
)

// page returns a page of one list.
func page(list mcp.List, entry func(dst []byte, f mcp.Features) []byte) func(mcp.Features) []byte {
	return func(f mcp.Features) []byte {
		result := mcp.ListResult{List: list, Page: append(entry([]byte("["), f), ']'), NextCursor: "n", Cache: mcp.Cache{TTL: 1e9}, Meta: meta(f)}
		return result.AppendJSON(nil, f)
	}
}

// meta is what a bridge puts into its results.
func meta(f mcp.Features) []byte { return mcp.Implementation{Name: "b", Version: "1"}.ResultMeta(f) }

// results writes each kind of result with all that it can hold.
var results = map[string]func(mcp.Features) []byte{
	"ListToolsResult": page(mcp.ListTools, func(dst []byte, f mcp.Features) []byte {
		return (&mcp.Tool{
			Name: "n", Title: "N", Description: "d", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`),
		}).AppendJSON(dst, f)
	}),
	"ListResourcesResult":         page(mcp.ListResources, resource.AppendJSON),
	"ListResourceTemplatesResult": page(mcp.ListResourceTemplates, template.AppendJSON),
	"ListPromptsResult":           page(mcp.ListPrompts, prompt.AppendJSON),
	"ReadResourceResult": func(f mcp.Features) []byte {
		return (&mcp.ReadResourceResult{Contents: contents, Meta: meta(f)}).AppendJSON(nil, f)
	},
	"GetPromptResult": func(f mcp.Features) []byte {
		result := mcp.GetPromptResult{Description: "d", Meta: meta(f)}
		for i := range blocks {
			result.Messages = append(result.Messages,
				mcp.PromptMessage{Role: []string{"", mcp.RoleUser, mcp.RoleAssistant}[i%3], Content: blocks[i]})
		}
		return result.AppendJSON(nil, f)
	},
	"CompleteResult": func(f mcp.Features) []byte {
		return (&mcp.CompleteResult{Values: make([]string, 101), Meta: meta(f)}).AppendJSON(nil, f)
	},
	"CallToolResult": func(f mcp.Features) []byte {
		return (&mcp.CallToolResult{Structured: []byte(`{"a":1}`), Blocks: blocks, Warnings: []string{"w"}, Meta: meta(f)}).AppendJSON(nil, f)
	},
	"EmptyResult": func(f mcp.Features) []byte { return mcp.AppendEmptyResult(nil, f, meta(f)) },
	"InitializeResult": func(f mcp.Features) []byte {
		return (&mcp.InitializeResult{ProtocolVersion: "v", Capabilities: all, ServerInfo: whole, Instructions: "i"}).AppendJSON(nil, f)
	},
	"DiscoverResult": func(f mcp.Features) []byte {
		return (&mcp.DiscoverResult{
			SupportedVersions: []mcp.Version{"v"}, Capabilities: all, Instructions: "i", Meta: whole.ResultMeta(f),
		}).AppendJSON(nil, f)
	},
}

var (
	all = mcp.ServerCapabilities{
		Tools: true, Prompts: true, Resources: true, ListChanged: true, Subscribe: true, Completions: true, Logging: true, Tasks: true,
	}
	whole = mcp.Implementation{Name: "b", Version: "1", Title: "B", Description: "d", WebsiteURL: "https://x.example"}
)

// eras tells of the results that one era alone has.
var eras = map[string]bool{"InitializeResult": false, "DiscoverResult": true} // modern

// TestResultsAreValidInEveryRevision holds each result against the official
// schema of each revision that has it, and against the names it knows.
func TestResultsAreValidInEveryRevision(t *testing.T) {
	t.Parallel()
	documents := schemas(t)
	for _, r := range revisions {
		for definition, write := range results {
			if modern, one := eras[definition]; one && modern != r.features.Modern {
				continue
			}
			t.Run(fmt.Sprintf("%s %s", r.version, definition), func(t *testing.T) {
				t.Parallel()
				documents[r.version].valid(t, r.version, definition, write(r.features))
			})
		}
	}
}

// TestResultsHoldTheLeast: results with nothing in them are valid too.
func TestResultsHoldTheLeast(t *testing.T) {
	t.Parallel()
	documents := schemas(t)
	for _, r := range revisions {
		for definition, data := range map[string][]byte{
			"ReadResourceResult":  (&mcp.ReadResourceResult{}).AppendJSON(nil, r.features),
			"GetPromptResult":     (&mcp.GetPromptResult{}).AppendJSON(nil, r.features),
			"CompleteResult":      (&mcp.CompleteResult{}).AppendJSON(nil, r.features),
			"CallToolResult":      (&mcp.CallToolResult{}).AppendJSON(nil, r.features),
			"Prompt":              (&mcp.Prompt{Name: "n"}).AppendJSON(nil, r.features),
			"Resource":            (&mcp.Resource{URI: "x:y", Name: "n"}).AppendJSON(nil, r.features),
			"ResourceTemplate":    (&mcp.ResourceTemplate{URITemplate: "x:{y}", Name: "n"}).AppendJSON(nil, r.features),
			"ListPromptsResult":   (&mcp.ListResult{List: mcp.ListPrompts, Page: []byte(`[]`)}).AppendJSON(nil, r.features),
			"ListResourcesResult": (&mcp.ListResult{List: mcp.ListResources, Page: []byte(`[]`)}).AppendJSON(nil, r.features),
			"EmptyResult":         mcp.AppendEmptyResult(nil, r.features, nil),
		} {
			documents[r.version].valid(t, r.version, definition, data)
		}
	}
}

// TestCompleteResult: 2025-11-25 server/utilities/completion, "Completion
// Results": at most 100 values, and the number of all.
func TestCompleteResult(t *testing.T) {
	t.Parallel()
	some := mcp.CompleteResult{Values: []string{"a\"", "b"}}
	want := `{"completion":{"values":["a\"","b"],"total":2,"hasMore":false}}`
	if diff := cmp.Diff(want, string(some.AppendJSON(nil, june))); diff != "" {
		t.Error(diff)
	}
	for n, more := range map[int]bool{100: false, 101: true} {
		got := string((&mcp.CompleteResult{Values: make([]string, n)}).AppendJSON(nil, june))
		tail := fmt.Sprintf(`""],"total":%d,"hasMore":%v}}`, n, more)
		if want := `{"completion":{"values":[`; len(got) != len(want)+99*len(`"",`)+len(tail) || got[len(got)-len(tail):] != tail {
			t.Errorf("%d values: got %s", n, got)
		}
	}
}

func TestResourceNotFound(t *testing.T) {
	t.Parallel()
	for _, r := range revisions { // 2026-07-28 server/resources, "Error Handling"
		err := mcp.ResourceNotFound(`x:"`, "no such resource", r.features)
		want := -32002
		if r.features.Modern {
			want = -32602
		}
		if err.Code != want || err.Message != "no such resource" || string(err.Data) != `{"uri":"x:\""}` {
			t.Errorf("%s: got %d %s %s", r.version, err.Code, err.Message, err.Data)
		}
	}
}

// TestErrorsAreValidInEveryRevision holds the errors that are made here against
// the official schemas of the revisions that have them.
func TestErrorsAreValidInEveryRevision(t *testing.T) {
	t.Parallel()
	documents := schemas(t)
	for _, r := range revisions {
		definition := "JSONRPCError"
		if r.version >= mcp.V20251125 {
			definition = "JSONRPCErrorResponse"
		}
		missing := jsonrpc.AppendError(nil, jsonrpc.IntID(1), mcp.ResourceNotFound("x:y", "no", r.features))
		documents[r.version].conforms(t, r.version, definition, missing)
	}
	for definition, err := range map[string]*jsonrpc.Error{
		"MissingRequiredClientCapabilityError": mcp.MissingCapability("elicitation.url"),
		"UnsupportedProtocolVersionError":      mcp.UnsupportedVersion("v", []mcp.Version{mcp.V20260728}),
	} {
		documents[mcp.V20260728].conforms(t, mcp.V20260728, definition, jsonrpc.AppendError(nil, jsonrpc.StringID("a"), err))
	}
}
