package catalog_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// requiring offers one method for each path of a capability.
func requiring(t *testing.T, paths ...string) *catalog.Catalog {
	t.Helper()
	methods := ""
	for i, path := range paths {
		methods += fmt.Sprintf("rpc M%d(M) returns (M) { option (bridge.v1.method).required_capabilities = %q; }\n", i, path)
	}
	return compile(t, catalog.Options{}, annotated(t, "b", "message M {} service S {"+methods+"}"))
}

// TestUnknownCapabilities: a method that needs what no client has could never be called.
func TestUnknownCapabilities(t *testing.T) {
	t.Parallel()
	paths := map[string]string{
		"samping":           "did you mean sampling?",
		"Sampling":          "did you mean sampling?",
		"elicitation/url":   "did you mean elicitation.url?",
		"elicitation.forms": "did you mean elicitation.form?",
		"sampling.":         "did you mean sampling?",
		"extension.acme.x":  "did you mean extensions.acme.x?",
		"extensions.":       "behind extensions. comes a name of letters",
		"experimental.a b":  "behind experimental. comes a name of letters",
		"tools":             "name one such as sampling or elicitation.url",
		"":                  "name one such as sampling",
	}
	c := requiring(t, slices.Collect(maps.Keys(paths))...)
	for path, want := range paths {
		told(t, c, catalog.Deficient, fmt.Sprintf("required_capabilities has %q, which no client can have", path), want)
	}
	if len(c.Tools()) > 0 {
		t.Errorf("%v are offered", names(c))
	}
}

func TestOwnCapabilities(t *testing.T) {
	t.Parallel()
	c := requiring(t, "extensions.io.modelcontextprotocol/tasks", "extensions.x", "experimental.acme.y", "roots", "elicitation.form")
	if silent(t, c); len(c.Tools()) != 5 {
		t.Errorf("offered are %v", names(c))
	}
}

// TestOfficialCapabilities: what the schema of any revision has is known.
func TestOfficialCapabilities(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../shared/mcp-schema/20*.json")
	if err != nil || len(files) == 0 {
		t.Skip("no official schemas")
	}
	var paths []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct{ Defs, Definitions map[string]node }
		if err := json.Unmarshal([]byte(`{"Defs":`+defs(t, raw, "$defs")+`,"Definitions":`+defs(t, raw, "definitions")+`}`), &doc); err != nil {
			t.Fatal(err)
		}
		for _, all := range []map[string]node{doc.Defs, doc.Definitions} {
			paths = all["ClientCapabilities"].below("", paths)
		}
	}
	if len(paths) < 30 {
		t.Errorf("found are %v", paths)
	}
	c := requiring(t, paths...)
	if silent(t, c); len(c.Tools()) != len(paths) {
		t.Errorf("%d are offered of %d", len(c.Tools()), len(paths))
	}
}

// node is a schema with properties.
type node struct{ Properties map[string]node }

// below adds the paths of the properties.
func (n node) below(path string, paths []string) []string {
	for name, inner := range n.Properties {
		paths = inner.below(path+name+".", append(paths, path+name))
	}
	return paths
}

// defs returns a member of a document, or an empty object.
func defs(t *testing.T, raw []byte, name string) string {
	t.Helper()
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if found, ok := doc[name]; ok {
		return string(found)
	}
	return "{}"
}
