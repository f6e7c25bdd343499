package catalog_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// TestOfficialSchemasOfLists holds the entries of all four lists against the specification's own schemas.
func TestOfficialSchemasOfLists(t *testing.T) {
	t.Parallel()
	c := everyKind(t, catalog.Options{})
	for revision, f := range revisions {
		for list, definition := range map[mcp.List]string{
			mcp.ListTools: "Tool", mcp.ListResources: "Resource", mcp.ListResourceTemplates: "ResourceTemplate", mcp.ListPrompts: "Prompt",
		} {
			t.Run(revision+"/"+definition, func(t *testing.T) {
				t.Parallel()
				page, _, err := c.Page(list, f, "")
				if err != nil || string(page) == "[]" {
					t.Fatalf("page %s, error %v", page, err)
				}
				validate(t, official(t, revision, definition), page)
			})
		}
	}
}

// TestOfficialSchemas holds every tool, as peers of each revision see it, against the specification's own schema.
func TestOfficialSchemas(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{Features: allFeatures()}, library(t, "infrastructure.proto"))
	for revision, f := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			_, pages := walk(t, c, f, "")
			for _, page := range pages {
				validate(t, official(t, revision, "Tool"), page)
			}
		})
	}
}

// validate holds everything on a page against a schema.
func validate(t testing.TB, official *jsonschema.Schema, page []byte) {
	t.Helper()
	entries, err := jsonschema.UnmarshalJSON(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries.([]any) {
		if err := official.Validate(entry); err != nil {
			t.Errorf("%v: %v", entry, err)
		}
	}
}

// official compiles a definition of a revision's schema; it skips the test where that is absent.
func official(t testing.TB, revision, definition string) *jsonschema.Schema {
	t.Helper()
	path := "../../../../shared/mcp-schema/" + revision + ".json"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("no official schema: %v", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("test:mcp", doc); err != nil {
		t.Fatal(err)
	}
	definitions := "$defs"
	if _, ok := doc.(map[string]any)["definitions"]; ok {
		definitions = "definitions"
	}
	schema, err := compiler.Compile("test:mcp#/" + definitions + "/" + definition)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
