package catalog_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// raw offers a method whose option gives an input schema.
func raw(t *testing.T, schema string) *catalog.Catalog {
	t.Helper()
	return compile(t, catalog.Options{}, annotated(t, "b", `
		message M { string id = 1 [(google.api.field_behavior) = REQUIRED]; string zone = 2 [(bridge.v1.field).header = "Zone"]; }
		service S { rpc Do(M) returns (M) { option (bridge.v1.method).tool.input_schema = `+strconv.QuoteToASCII(schema)+`; } }`))
}

// TestRawSchema: it is sent as it is, but for spaces, and arguments are read as ever.
func TestRawSchema(t *testing.T) {
	t.Parallel()
	c := raw(t, `{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "type" : "object",
		"$defs": {"x": {"type": "string", "const": "größe \u00e4"}}, "z": 1.0, "a": null,
		"properties": {"id": {"$ref": "#/$defs/x"}}, "required": ["id"], "allOf": [{"if": true}]
	}`)
	d := tool(t, c, "s_do")
	const want = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
		`"$defs":{"x":{"type":"string","const":"größe \u00e4"}},"z":1.0,"a":null,` +
		`"properties":{"id":{"$ref":"#/$defs/x"}},"required":["id"],"allOf":[{"if":true}]}`
	if diff := cmp.Diff(want, string(d.Definition.InputSchema)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d.Definition.HeaderSchema != nil || d.HeaderParams != nil {
		t.Errorf("headers %s, %v", d.Definition.HeaderSchema, d.HeaderParams)
	}
	told(t, c, catalog.Ignored, "S.Do: field test.M.zone gets no header", "input_schema is sent")
	if wire, err := d.Codec.AppendWire(nil, []byte(`{"id":"x"}`)); err != nil || string(wire) != "\x0a\x01x" {
		t.Errorf("wire %q, error %v", wire, err)
	}
}

// TestRawSchemaHeaders: headers are then read from it, and it is what all clients see.
func TestRawSchemaHeaders(t *testing.T) {
	t.Parallel()
	c := raw(t, `{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Z"}}}`)
	silent(t, c)
	want := []mcp.HeaderParam{{Name: "Z", Path: []string{"zone"}}}
	if diff := cmp.Diff(want, c.HeaderParams("s_do")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBadRawSchemas: what clients would refuse, with the whole list, is replaced by the derived schema.
func TestBadRawSchemas(t *testing.T) {
	t.Parallel()
	derived := string(tool(t, raw(t, ""), "s_do").Definition.InputSchema)
	for schema, want := range map[string]string{
		`{`:                                   "no sound JSON",
		`{"type":"object"} x`:                 "no sound JSON",
		`{"type":"object","a":1,"a":2}`:       "no sound JSON",
		`true`:                                `"type": "object"`,
		`[]`:                                  `"type": "object"`,
		`{}`:                                  `"type": "object"`,
		`{"type":"array"}`:                    `"type": "object"`,
		`{"type":["object","null"]}`:          `"type": "object"`,
		`{"type":"object","properties":[]}`:   "properties",
		`{"type":"object","properties":null}`: "properties",
		`{"type":"object","properties":{"a":true}}`: "properties",
		`{"type":"object","required":"a"}`:          "required",
		`{"type":"object","required":[1]}`:          "required",
		`{"type":"object","$schema":1}`:             "$schema",
		`{"type":"object","properties":{"zone":{"type":"number","x-mcp-header":"Z"}}}`: `x-mcp-header of "zone" in input_schema makes ` +
			`clients drop the tool`,
		`{"type":"object","properties":{"zone":{"$ref":"#/$defs/Zone"}}}`:                   "leads to no schema within it",
		`{"type":"object","properties":{"id":{"type":"string","pattern":"("}}}`:             "inputSchema.properties.id.pattern",
		`{"type":"object","properties":{"id":{"type":"string","minLength":-1}}}`:            "inputSchema.properties.id",
		`{"type":"object","properties":{"id":{"type":"string","pattern":null}}}`:            "inputSchema.properties.id",
		`{"type":"object","x":"` + strings.Repeat("x", 70_000) + `"}`:                       "at most 65536",
		`{"type":"object","x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`: "no sound JSON",
	} {
		c := raw(t, schema)
		told(t, c, catalog.Ignored, "S.Do: the input_schema of its option is not sent, the derived one is", want)
		d := tool(t, c, "s_do")
		if string(d.Definition.InputSchema) != derived || len(d.HeaderParams) != 1 {
			t.Errorf("%.60s: the schema is %s", schema, d.Definition.InputSchema)
		}
	}
}

// TestHeaderOption: the headers of fields stand in a schema of their own, for peers that know them.
func TestHeaderOption(t *testing.T) {
	t.Parallel()
	c := raw(t, "")
	d := tool(t, c, "s_do")
	want := []mcp.HeaderParam{{Name: "Zone", Path: []string{"zone"}}}
	if diff := cmp.Diff(want, d.HeaderParams); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for revision, f := range revisions {
		f.ParamHeaders = revision == "2026-07-28"
		if has := strings.Contains(string(d.Definition.AppendJSON(nil, f)), `"x-mcp-header":"Zone"`); has != f.ParamHeaders {
			t.Errorf("%s has headers: %t", revision, has)
		}
	}
	if c.HeaderParams("other") != nil {
		t.Error("a tool that is not there has headers")
	}
	c = compile(t, catalog.Options{}, annotated(t, "b", `
		message M {
			string a = 1 [(bridge.v1.field).header = "a b"]; repeated N n = 2;
			message N { string c = 1 [(bridge.v1.field).header = "C"]; }
		}
		service S { rpc Do(M) returns (M); }`))
	told(t, c, catalog.Ignored, "S.Do: field test.M.a gets no header", "no token")
	told(t, c, catalog.Ignored, "S.Do: field test.M.N.c gets no header", "singular messages")
	if d := tool(t, c, "s_do"); d.Definition.HeaderSchema != nil || d.HeaderParams != nil {
		t.Errorf("headers %v", d.HeaderParams)
	}
}
