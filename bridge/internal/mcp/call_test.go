package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

func TestParseCallTool(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ params, name, arguments, fault string }{
		"whole":               {`{"name":"a","arguments":{"b":1},"_meta":{}}`, "a", `{"b":1}`, ""},
		"no arguments":        {`{"name":"a"}`, "a", "", ""},
		"null arguments pass": {`{"name":"a","arguments":null}`, "a", "null", ""},
		"a string passes":     {`{"name":"a","arguments":"{}"}`, "a", `"{}"`, ""},
		"an escaped name":     {`{"name":"\u0061"}`, "a", "", ""},
		"no name":             {`{"arguments":{}}`, "", "", "name must be a string"},
		"a name of a number":  {`{"name":7}`, "", "", "name must be a string"},
		"no params":           {``, "", "", "name must be a string"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := mcp.ParseCallTool(jsonrpc.ObjectOf([]byte(tt.params)))
			checkError(t, err, tt.fault)
			if got.Name != tt.name || string(got.Arguments) != tt.arguments {
				t.Errorf("got %q and %q", got.Name, got.Arguments)
			}
		})
	}
}

// checkError fails unless err is -32602 and mentions fault, or both are nothing.
func checkError(t *testing.T, err *jsonrpc.Error, fault string) {
	t.Helper()
	switch {
	case fault == "" && err != nil:
		t.Errorf("error %v", err)
	case fault != "" && err == nil:
		t.Errorf("no error, want one with %q", fault)
	case fault != "" && (err.Code != jsonrpc.CodeInvalidParams || !strings.Contains(err.Message, fault)):
		t.Errorf("error %v, want -32602 with %q", err, fault)
	}
}

func TestCallToolResultAppendJSON(t *testing.T) {
	t.Parallel()
	const text = `{"type":"text","text":`
	for name, tt := range map[string]struct {
		result   mcp.CallToolResult
		features mcp.Features
		want     string
	}{
		"text alone for 2025-03-26": {
			mcp.CallToolResult{Structured: []byte(`{"a":"b"}`)},
			march,
			`{"content":[` + text + `"{\"a\":\"b\"}"}]}`,
		},
		"both for 2025-06-18": {
			mcp.CallToolResult{Structured: []byte(`{"a":1}`)},
			june,
			`{"content":[` + text + `"{\"a\":1}"}],"structuredContent":{"a":1}}`,
		},
		"complete for modern": {
			mcp.CallToolResult{Structured: []byte(`{}`), Meta: []byte(`{"x":1}`)},
			newest,
			`{"content":[` + text + `"{}"}],"structuredContent":{},"resultType":"complete","_meta":{"x":1}}`,
		},
		"a list is text for legacy": {
			mcp.CallToolResult{Structured: []byte(`[1]`)},
			june,
			`{"content":[` + text + `"[1]"}]}`,
		},
		"a list is structured for modern": {
			mcp.CallToolResult{Structured: []byte(`[1]`)},
			newest,
			`{"content":[` + text + `"[1]"}],"structuredContent":[1],"resultType":"complete"}`,
		},
		"warnings follow": {
			mcp.CallToolResult{Structured: []byte(`{}`), Warnings: []string{"a\n", "b"}},
			june,
			`{"content":[` + text + `"{}"},` + text + `"a\n"},` + text + `"b"}],"structuredContent":{}}`,
		},
		"a failure has no structure": {
			mcp.CallToolResult{Structured: []byte(`{}`), Text: []byte("no\xff"), IsError: true},
			june,
			`{"content":[` + text + `"no` + "\uFFFD" + `"}],"isError":true}`,
		},
		"a failure for modern": {
			mcp.CallToolResult{Text: []byte("no"), IsError: true},
			newest,
			`{"content":[` + text + `"no"}],"isError":true,"resultType":"complete"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := tt.result.AppendJSON(nil, tt.features)
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if !json.Valid(got) {
				t.Error("not JSON")
			}
		})
	}
}
