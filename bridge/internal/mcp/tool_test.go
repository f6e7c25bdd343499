package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

func TestToolAppendJSON(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	full := mcp.Tool{
		Name:         "library_get_book",
		Title:        `Get a "book"`,
		Description:  "Gets a book.\nBy name.",
		InputSchema:  []byte(`{"type":"object","properties":{}}`),
		OutputSchema: []byte(`{"type":"object","properties":{"a":{}}}`),
		Hints:        mcp.Hints{ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no},
		Meta:         []byte(`{"method":"x.Y"}`),
	}
	list := mcp.Tool{Name: "n", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"array"}`)}
	hinted := mcp.Tool{Name: "n", InputSchema: []byte(`{"type":"object"}`), Hints: mcp.Hints{ReadOnly: &yes}}

	const input = `"inputSchema":{"type":"object","properties":{}}`
	const output = `,"outputSchema":{"type":"object","properties":{"a":{}}}`
	const hints = `"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false`
	const words = `"description":"Gets a book.\nBy name.",`
	for name, tt := range map[string]struct {
		tool     mcp.Tool
		features mcp.Features
		want     string
	}{
		"2024-11-05 has three members": {
			full, oldest,
			`{"name":"library_get_book",` + words + input + `}`,
		},
		"2025-03-26 has the title among the annotations": {
			full, march,
			`{"name":"library_get_book",` + words + input + `,"annotations":{"title":"Get a \"book\"",` + hints + `}}`,
		},
		"2025-06-18 has all": {
			full, june,
			`{"name":"library_get_book","title":"Get a \"book\"",` + words + input + output + `,"annotations":{` + hints +
				`},"_meta":{"method":"x.Y"}}`,
		},
		"2026-07-28 has the same": {
			full, newest,
			`{"name":"library_get_book","title":"Get a \"book\"",` + words + input + output + `,"annotations":{` + hints +
				`},"_meta":{"method":"x.Y"}}`,
		},
		"an output that is no object is not for legacy": {
			list, june,
			`{"name":"n","inputSchema":{"type":"object"}}`,
		},
		"an output that is no object is for modern": {
			list, newest,
			`{"name":"n","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`,
		},
		"hints that are not given are not said": {
			hinted, newest,
			`{"name":"n","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := string(tt.tool.AppendJSON([]byte("before "), tt.features))
			if diff := cmp.Diff("before "+tt.want, got); diff != "" {
				t.Error(diff)
			}
			if !json.Valid([]byte(tt.want)) {
				t.Error("the wanted text is not JSON")
			}
		})
	}
}
