package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// official is where the protocol's own schemas and examples lie.
const official = "../../../../shared/mcp-schema/"

// examples yields the official examples of one type of 2026-07-28, by file name.
func examples(t *testing.T, kind string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(official + "examples-2026-07-28/" + kind + "/*.json")
	if err != nil || len(files) == 0 {
		t.Skipf("the official examples of %s are not there: %v", kind, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var small bytes.Buffer
		if err := json.Compact(&small, data); err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = small.Bytes()
	}
	return all
}

// understand reads the params of each method, and says what it has not understood.
var understand = map[string]func(params []byte) (what any, fault *jsonrpc.Error){
	mcp.MethodDiscover: func([]byte) (any, *jsonrpc.Error) { return "", nil },
	mcp.MethodToolsCall: func(params []byte) (any, *jsonrpc.Error) {
		call, fault := mcp.ParseCallTool(jsonrpc.ObjectOf(params))
		if call.Name == "" || call.Arguments == nil {
			return call, fault
		}
		return "", fault
	},
	mcp.MethodToolsList:             cursor,
	mcp.MethodPromptsList:           cursor,
	mcp.MethodResourcesList:         cursor,
	mcp.MethodResourceTemplatesList: cursor,
	mcp.MethodPromptsGet: func(params []byte) (any, *jsonrpc.Error) {
		get, fault := mcp.ParseGetPrompt(params)
		if get.Name == "" || len(get.Arguments) == 0 {
			return get, fault
		}
		return "", fault
	},
	mcp.MethodResourcesRead: func(params []byte) (any, *jsonrpc.Error) { _, fault := mcp.ParseURI(params); return "", fault },
	mcp.MethodComplete: func(params []byte) (any, *jsonrpc.Error) {
		complete, fault := mcp.ParseComplete(params)
		if complete.Prompt == "" || complete.Argument == "" || complete.Value == "" {
			return complete, fault
		}
		return "", fault
	},
	mcp.MethodSubscriptionsListen: func(params []byte) (any, *jsonrpc.Error) {
		listen, fault := mcp.ParseListen(params)
		if !listen.Tools || len(listen.URIs) == 0 {
			return listen, fault
		}
		return "", fault
	},
	mcp.MethodCancelled: func(params []byte) (any, *jsonrpc.Error) {
		if _, ok := mcp.ParseCancelled(params); !ok {
			return "no request", nil
		}
		return "", nil
	},
}

// cursor reads the params of a list request.
func cursor(params []byte) (any, *jsonrpc.Error) {
	_, fault := mcp.ParseCursor(params)
	return "", fault
}

func TestOfficialRequestsAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		"CallToolRequest", "DiscoverRequest", "ListToolsRequest", "CancelledNotification", "ListPromptsRequest", "GetPromptRequest",
		"ListResourcesRequest",
		"ListResourceTemplatesRequest", "ReadResourceRequest", "CompleteRequest", "SubscriptionsListenRequest",
	} {
		for name, data := range examples(t, kind) {
			msg, fault := jsonrpc.Decode(data, jsonrpc.Limits{})
			if fault != nil {
				t.Fatalf("%s: %v", name, fault)
			}
			meta, fault := mcp.ParseMeta(msg.Object())
			if fault != nil || msg.Kind == jsonrpc.KindRequest && (meta.ProtocolVersion != mcp.V20260728 || meta.ClientCapabilities == nil) {
				t.Errorf("%s: got %+v, %v", name, meta, fault)
			}
			if what, fault := understand[msg.Method](msg.Params); what != "" || fault != nil {
				t.Errorf("%s: got %+v, %v", name, what, fault)
			}
		}
	}
}

func TestOfficialParamsAreUnderstood(t *testing.T) {
	t.Parallel()
	for name, data := range examples(t, "CallToolRequestParams") {
		call, fault := mcp.ParseCallTool(jsonrpc.ObjectOf(data))
		if fault != nil || call.Name == "" {
			t.Errorf("%s: got %+v, %v", name, call, fault)
		}
		if _, fault := mcp.ParseMeta(jsonrpc.ObjectOf(data)); fault != nil {
			t.Errorf("%s: %v", name, fault)
		}
	}
	for name, data := range examples(t, "GetPromptRequestParams") {
		if what, fault := understand[mcp.MethodPromptsGet](data); what != "" || fault != nil {
			t.Errorf("%s: got %+v, %v", name, what, fault)
		}
	}
	for name, data := range examples(t, "CompleteRequestParams") {
		complete, fault := mcp.ParseComplete(data)
		if fault != nil || (len(complete.Context) > 0) != strings.Contains(name, "context") {
			t.Errorf("%s: got %+v, %v", name, complete, fault)
		}
	}
	for name, data := range examples(t, "PaginatedRequestParams") {
		if cursor, fault := mcp.ParseCursor(data); fault != nil || cursor == "" {
			t.Errorf("%s: got %q, %v", name, cursor, fault)
		}
	}
}

// TestOfficialToolsAreWritten: a Tool made of an official example writes the
// example, as far as its members are those of a Tool.
func TestOfficialToolsAreWritten(t *testing.T) {
	t.Parallel()
	for name, data := range examples(t, "Tool") {
		var parts struct {
			Name, Title, Description string
			InputSchema              json.RawMessage
			OutputSchema             json.RawMessage
		}
		if err := json.Unmarshal(data, &parts); err != nil {
			t.Fatal(err)
		}
		tool := mcp.Tool{
			Name: parts.Name, Title: parts.Title, Description: parts.Description,
			InputSchema: parts.InputSchema, OutputSchema: parts.OutputSchema,
		}
		if got := tool.AppendJSON(nil, newest); !equalJSON(t, data, got) {
			t.Errorf("%s: got %s, want %s", name, got, data)
		}
	}
}

func equalJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var left, right any
	if err := json.Unmarshal(a, &left); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &right); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(left, right)
}

// TestToolsAreValidInEveryRevision: whatever a tool holds, its JSON is a Tool of
// the revision it is written for, and its name comes back unchanged.
func TestToolsAreValidInEveryRevision(t *testing.T) {
	t.Parallel()
	documents := schemas(t)
	for _, r := range revisions {
		t.Run(string(r.version), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				tool := anyTool(rt)
				data := tool.AppendJSON(nil, r.features)
				documents[r.version].valid(rt, r.version, "Tool", data)
				raw, _ := jsonrpc.Find(data, "name")
				if name, _ := jsonrpc.Unquote(raw); name != tool.Name {
					rt.Errorf("the name became %q", name)
				}
			})
		})
	}
}

// anyTool draws a tool.
func anyTool(rt *rapid.T) mcp.Tool {
	flag := rapid.Ptr(rapid.Bool(), true)
	raw := func(texts ...string) []byte {
		if text := rapid.SampledFrom(texts).Draw(rt, "raw"); text != "" {
			return []byte(text)
		}
		return nil
	}
	return mcp.Tool{
		Name:         rapid.String().Draw(rt, "name"),
		Title:        rapid.String().Draw(rt, "title"),
		Description:  rapid.String().Draw(rt, "description"),
		InputSchema:  raw(`{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`),
		OutputSchema: raw("", `{"type":"object","properties":{}}`, `{"type":"array"}`),
		Hints: mcp.Hints{
			ReadOnly: flag.Draw(rt, "ro"), Destructive: flag.Draw(rt, "d"), Idempotent: flag.Draw(rt, "i"), OpenWorld: flag.Draw(rt, "ow"),
		},
		Meta: raw("", `{}`, `{"com.example/x":1}`),
	}
}
