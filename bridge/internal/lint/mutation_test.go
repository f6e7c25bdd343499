package lint_test

import (
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// keywords are what random schemas are made of, among them what no profile has.
var keywords = []string{
	"type", "properties", "required", "items", "enum", "description", "format", "anyOf", "$ref", "$defs", "additionalProperties", "pattern",
	"minLength", "maximum", "const", "not", "allOf", "propertyNames", "uniqueItems", "default", "oneOf", "if", "$schema", "dependencies",
	"x-mcp-header",
}

// scraps are the values that are no schemas.
var scraps = []any{
	"object", "array", "string", "date-time", "#/$defs/a", "#", "[a-z]+", "(?i)a", "", nil, true, false, 0, -1, 1.5,
	[]any{},
	[]any{"a"},
	[]any{"a", "a"},
	[]any{"string", "null"},
	map[string]any{},
}

// anySchema draws a schema that may be none.
func anySchema(t *rapid.T, depth int) any {
	if rapid.IntRange(0, 19).Draw(t, "scrap") == 0 {
		return rapid.SampledFrom(scraps).Draw(t, "value")
	}
	node := map[string]any{
		"type": rapid.SampledFrom([]any{"object", "string", "number", "integer", []any{"string", "integer"}}).Draw(t, "type"),
	}
	if depth == 0 {
		return node
	}
	for range rapid.IntRange(0, 3).Draw(t, "keywords") {
		name := rapid.SampledFrom(keywords).Draw(t, "keyword")
		node[name] = anyValue(t, name, anySchema(t, depth-1))
	}
	return node
}

// anyValue draws the value of a keyword, which mostly is of the right form; inner is a schema to put there.
func anyValue(t *rapid.T, name string, inner any) any {
	if rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
		return inner
	}
	switch name {
	case "properties", "$defs":
		return map[string]any{"a": inner}
	case "anyOf", "allOf", "oneOf":
		return []any{inner}
	case "required":
		return []any{"a"}
	case "enum":
		return rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 3).Draw(t, "enum")
	case "$ref":
		return rapid.SampledFrom([]string{"#/$defs/a", "#", "#/$defs/b", "#/properties/a"}).Draw(t, "reference")
	case "type", "description", "format", "pattern", "x-mcp-header", "$schema":
		return rapid.SampledFrom([]string{"object", "date-time", "[a-z]+", "(?i)a", "(", "a{2,1}"}).Draw(t, "text")
	case "minLength", "maximum":
		return rapid.SampledFrom([]any{0, 7, -1, 1.5}).Draw(t, "number")
	case "uniqueItems":
		return true
	}
	return inner
}

// TestWhatPassesCompiles: where nothing is found, a validator of other people's finds nothing either, in both drafts.
func TestWhatPassesCompiles(t *testing.T) {
	t.Parallel()
	base := subject(t, shelf, schema.Portable)
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			raw := anyRoot(t)
			s, tool := base, *base.Tool
			tool.InputSchema, tool.OutputSchema = raw, nil
			s.Tool, s.Portable = &tool, false
			if len(lint.Errors(s)) > 0 {
				continue
			}
			passed++
			for _, draft := range []*jsonschema.Draft{jsonschema.Draft7, jsonschema.Draft2020} {
				if err := compileSchema(raw, draft); err != nil {
					t.Fatalf("it passes, and is no schema of %v: %v\n%s", draft, err, raw)
				}
			}
		}
	})
	if passed == 0 {
		t.Error("nothing passed")
	}
	t.Logf("%d passed", passed)
}

// anyRoot draws an input schema whose root is sound.
func anyRoot(t *rapid.T) []byte {
	raw, err := json.Marshal(map[string]any{
		"type": "object", "properties": map[string]any{"a": anySchema(t, 3)}, "$defs": map[string]any{"a": anySchema(t, 2)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
