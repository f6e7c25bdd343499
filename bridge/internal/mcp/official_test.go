package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
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

func TestOfficialRequestsAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"CallToolRequest", "DiscoverRequest", "ListToolsRequest", "CancelledNotification"} {
		for name, data := range examples(t, kind) {
			msg, fault := jsonrpc.Decode(data, jsonrpc.Limits{})
			if fault != nil {
				t.Fatalf("%s: %v", name, fault)
			}
			meta, fault := mcp.ParseMeta(msg.Params)
			if fault != nil || msg.Kind == jsonrpc.KindRequest && (meta.ProtocolVersion != mcp.V20260728 || meta.ClientCapabilities == nil) {
				t.Errorf("%s: got %+v, %v", name, meta, fault)
			}
			switch msg.Method {
			case mcp.MethodToolsCall:
				call, fault := mcp.ParseCallTool(msg.Params)
				if fault != nil || call.Name == "" || call.Arguments == nil {
					t.Errorf("%s: got %+v, %v", name, call, fault)
				}
			case mcp.MethodToolsList:
				if _, fault := mcp.ParseCursor(msg.Params); fault != nil {
					t.Errorf("%s: %v", name, fault)
				}
			case mcp.MethodCancelled:
				if _, ok := mcp.ParseCancelled(msg.Params); !ok {
					t.Errorf("%s names no request", name)
				}
			case mcp.MethodDiscover:
			default:
				t.Errorf("%s: method %q", name, msg.Method)
			}
		}
	}
}

func TestOfficialParamsAreUnderstood(t *testing.T) {
	t.Parallel()
	for name, data := range examples(t, "CallToolRequestParams") {
		call, fault := mcp.ParseCallTool(data)
		if fault != nil || call.Name == "" {
			t.Errorf("%s: got %+v, %v", name, call, fault)
		}
		if _, fault := mcp.ParseMeta(data); fault != nil {
			t.Errorf("%s: %v", name, fault)
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
	for place, features := range map[string]mcp.Features{
		"2024-11-05.json#/definitions/Tool": oldest,
		"2025-03-26.json#/definitions/Tool": march,
		"2025-06-18.json#/definitions/Tool": june,
		"2025-11-25.json#/$defs/Tool":       june,
		"2026-07-28.json#/$defs/Tool":       newest,
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			schema, err := jsonschema.NewCompiler().Compile(official + place)
			if err != nil {
				t.Skipf("the official schema is not there: %v", err)
			}
			rapid.Check(t, func(rt *rapid.T) {
				tool := anyTool(rt)
				value, err := jsonschema.UnmarshalJSON(bytes.NewReader(tool.AppendJSON(nil, features)))
				if err != nil {
					rt.Fatal(err)
				}
				if err := schema.Validate(value); err != nil {
					rt.Error(err)
				}
				if value.(map[string]any)["name"] != tool.Name {
					rt.Errorf("the name became %q", value.(map[string]any)["name"])
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
