package mcp_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// What the revisions have. That these are what package lifecycle says of them is
// tested there.
var (
	oldest = mcp.Features{}
	march  = mcp.Features{Annotations: true, Audio: true, Completions: true, Batches: true, ProgressMessages: true}
	june   = mcp.Features{
		Annotations: true, Titles: true, OutputSchemas: true, ToolMeta: true,
		Audio: true, Completions: true, ResourceLinks: true, LastModified: true,
		ProgressMessages: true, Elicitation: true,
	}
	november = mcp.Features{
		Annotations: true, Titles: true, OutputSchemas: true, ToolMeta: true, ServerDescriptions: true,
		Audio: true, Completions: true, ResourceLinks: true, LastModified: true, Polling: true,
		ProgressMessages: true, Elicitation: true, URLElicitation: true, SamplingTools: true,
	}
	newest = mcp.Features{
		Modern: true, Annotations: true, Titles: true, OutputSchemas: true, AnyOutput: true, ToolMeta: true, ServerDescriptions: true,
		Audio: true, Completions: true, ResourceLinks: true, LastModified: true, ParamHeaders: true,
		ProgressMessages: true, Elicitation: true, URLElicitation: true, SamplingTools: true, Tasks: true,
	}
)

// revisions are all of them, the oldest first.
var revisions = []struct {
	version  mcp.Version
	features mcp.Features
}{
	{mcp.V20241105, oldest},
	{mcp.V20250326, march},
	{mcp.V20250618, june},
	{mcp.V20251125, november},
	{mcp.V20260728, newest},
}

// TestFeatures: for each member of Features the revision that brought it, which
// writes what no older one writes. Batches and Polling are of the envelope and
// of the transport, Elicitation and SamplingTools say what may be asked at all: they
// change nothing that is written here.
func TestFeatures(t *testing.T) {
	t.Parallel()
	hints := mcp.Tool{Name: "n", Hints: mcp.Hints{ReadOnly: new(true)}, InputSchema: []byte(`{"type":"object"}`)}
	tool := mcp.Tool{
		Name: "n", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`),
		HeaderSchema: []byte(`{"type":"object","x-mcp-header":"H"}`), Meta: []byte(`{}`),
	}
	list := mcp.CallToolResult{Structured: []byte(`[]`)}
	sound := mcp.Content{Kind: mcp.ContentAudio}
	link := mcp.Content{Kind: mcp.ContentResourceLink}
	dated := mcp.Content{Annotations: marked}
	server := mcp.InitializeResult{Capabilities: all, ServerInfo: whole}
	rows := map[string]struct {
		since  mcp.Version
		write  func([]byte, mcp.Features) []byte
		wanted string
	}{
		"Modern":             {mcp.V20260728, (&mcp.ReadResourceResult{}).AppendJSON, `"ttlMs"`},
		"Annotations":        {mcp.V20250326, hints.AppendJSON, `"readOnlyHint"`},
		"Titles":             {mcp.V20250618, prompt.AppendJSON, `"title"`},
		"OutputSchemas":      {mcp.V20250618, tool.AppendJSON, `"outputSchema"`},
		"AnyOutput":          {mcp.V20260728, list.AppendJSON, `"structuredContent"`},
		"ToolMeta":           {mcp.V20250618, tool.AppendJSON, `"_meta"`},
		"ServerDescriptions": {mcp.V20251125, server.AppendJSON, `"websiteUrl"`},
		"Audio":              {mcp.V20250326, sound.AppendJSON, `"audio"`},
		"Completions":        {mcp.V20250326, server.AppendJSON, `"completions"`},
		"ResourceLinks":      {mcp.V20250618, link.AppendJSON, `"resource_link"`},
		"LastModified":       {mcp.V20250618, dated.AppendJSON, `"lastModified"`},
		"ParamHeaders":       {mcp.V20260728, tool.AppendJSON, `"x-mcp-header"`},
		"ProgressMessages":   {mcp.V20250326, (&mcp.Progress{Token: []byte("1"), Message: "m"}).AppendNotification, `"message"`},
		"URLElicitation":     {mcp.V20251125, form.AppendJSON, `"mode":"form"`},
		"Tasks":              {mcp.V20260728, server.AppendJSON, `"io.modelcontextprotocol/tasks"`},
	}
	if got, want := len(rows)+4, reflect.TypeFor[mcp.Features]().NumField(); got != want {
		t.Errorf("%d members have a row, of %d", got, want)
	}
	for member, tt := range rows {
		for _, r := range revisions {
			text := string(tt.write(nil, r.features))
			want := r.version >= tt.since
			if strings.Contains(text, tt.wanted) != want || reflect.ValueOf(r.features).FieldByName(member).Bool() != want {
				t.Errorf("%s: %s, which is of %s, writes %s", member, r.version, tt.since, text)
			}
		}
	}
}
