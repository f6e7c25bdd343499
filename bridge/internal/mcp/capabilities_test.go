package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

func TestHasCapability(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		capabilities, path string
		want               bool
	}{
		{`{"sampling":{}}`, "sampling", true},
		{`{"sampling":{"tools":{}}}`, "sampling", true},
		{`{"sampling":{"tools":{}}}`, "sampling.tools", true},
		{`{"sampling":{}}`, "sampling.tools", false},
		{`{"roots":{"listChanged":true}}`, "roots.listChanged", true},
		{`{"roots":{"listChanged":false}}`, "roots.listChanged", false},
		{`{"sampling":null}`, "sampling", false},
		{`{}`, "sampling", false},
		{``, "sampling", false},
		{`{"Sampling":{}}`, "sampling", false},
		{`{"sampling":{}}`, "sampling.", false},
		{`{"sampling":{}}`, "", false},
		{`{"elicitation":{}}`, "elicitation", true},
		{`{"elicitation":{}}`, "elicitation.form", true},
		{`{"elicitation":{}}`, "elicitation.url", false},
		{`{"elicitation":{"form":{}}}`, "elicitation.form", true},
		{`{"elicitation":{"form":null}}`, "elicitation.form", false},
		{`{"elicitation":{"url":{}}}`, "elicitation.form", false},
		{`{"elicitation":{"url":{}}}`, "elicitation.url", true},
		{`{"elicitation":{"form":{},"url":{}}}`, "elicitation.url", true},
		{`{"elicitation":null}`, "elicitation.form", false},
		{`{"elicitation":true}`, "elicitation.form", false},
		{`{}`, "elicitation.form", false},
		{`{"extensions":{"io.modelcontextprotocol/ui":{}}}`, "extensions.io.modelcontextprotocol/ui", true},
		{`{"extensions":{"io":{"modelcontextprotocol/ui":{}}}}`, "extensions.io.modelcontextprotocol/ui", false},
		{`{"extensions":{}}`, "extensions.io.modelcontextprotocol/ui", false},
		{`{"experimental":{"a.b":{}}}`, "experimental.a.b", true},
	} {
		if got := mcp.HasCapability([]byte(tt.capabilities), tt.path); got != tt.want {
			t.Errorf("%s has %s: %v", tt.capabilities, tt.path, got)
		}
	}
}

// TestMissingCapability: 2026-07-28 basic/index, "Error Codes": the data are
// what the client would have to declare.
func TestMissingCapability(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"sampling":                              `{"sampling":{}}`,
		"elicitation.url":                       `{"elicitation":{"url":{}}}`,
		"extensions.io.modelcontextprotocol/ui": `{"extensions":{"io.modelcontextprotocol/ui":{}}}`,
	} {
		err := mcp.MissingCapability(path)
		if err.Code != -32021 {
			t.Errorf("%s: code %d", path, err.Code)
		}
		var data struct{ RequiredCapabilities json.RawMessage }
		if fault := json.Unmarshal(err.Data, &data); fault != nil {
			t.Fatalf("%s: %v", err.Data, fault)
		}
		if diff := cmp.Diff(want, string(data.RequiredCapabilities)); diff != "" {
			t.Error(diff)
		}
		if !mcp.HasCapability(data.RequiredCapabilities, path) {
			t.Errorf("who declares %s still lacks %s", data.RequiredCapabilities, path)
		}
	}
}

func TestOfficialCapabilitiesAreUnderstood(t *testing.T) {
	t.Parallel()
	declared := map[string][]string{
		"elicitation-form-and-url-mode-support.json":         {"elicitation", "elicitation.form", "elicitation.url"},
		"elicitation-form-only-implicit.json":                {"elicitation", "elicitation.form"},
		"extensions-ui-mime-types.json":                      {"extensions.io.modelcontextprotocol/ui"},
		"roots-minimum-baseline-support.json":                {"roots"},
		"sampling-minimum-baseline-support.json":             {"sampling"},
		"sampling-tool-use-support.json":                     {"sampling", "sampling.tools"},
		"sampling-context-inclusion-support-deprecated.json": {"sampling", "sampling.context"},
	}
	for name, data := range examples(t, "ClientCapabilities") {
		got := []string{}
		for _, path := range []string{
			"elicitation", "elicitation.form", "elicitation.url", "extensions.io.modelcontextprotocol/ui", "roots", "sampling", "sampling.context",
			"sampling.tools",
		} {
			if mcp.HasCapability(data, path) {
				got = append(got, path)
			}
		}
		if diff := cmp.Diff(declared[name], got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestServerCapabilities: what is declared, and to whom.
func TestServerCapabilities(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		capabilities mcp.ServerCapabilities
		features     mcp.Features
		want         string
	}{
		"nothing": {mcp.ServerCapabilities{}, newest, `{}`},
		"tools":   {mcp.ServerCapabilities{Tools: true}, oldest, `{"tools":{}}`},
		"all": {
			all, march,
			`{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},` +
				`"tools":{"listChanged":true}}`,
		},
		"all for 2024-11-05": {
			all, oldest,
			`{"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`,
		},
		"subscribe alone":             {mcp.ServerCapabilities{Resources: true, Subscribe: true}, newest, `{"resources":{"subscribe":true}}`},
		"subscribe without resources": {mcp.ServerCapabilities{Subscribe: true, ListChanged: true}, newest, `{}`},
	} {
		result := mcp.InitializeResult{Capabilities: tt.capabilities}
		var got struct{ Capabilities json.RawMessage }
		if err := json.Unmarshal(result.AppendJSON(nil, tt.features), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(got.Capabilities)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
