package mcp_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// fataler is a test, of this package's or of rapid's kind.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// document is the schema of one revision.
type document struct {
	section string // of the definitions
	raw     map[string]any

	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema
	members  map[string]map[string]bool
}

// documents are those of the revisions; nil where they are not there.
var documents = sync.OnceValues(func() (map[mcp.Version]*document, error) {
	all := map[mcp.Version]*document{}
	for _, r := range revisions {
		data, err := os.ReadFile(official + string(r.version) + ".json")
		if err != nil {
			return nil, err
		}
		d := &document{section: "$defs", compiled: map[string]*jsonschema.Schema{}, members: map[string]map[string]bool{}}
		if err := json.Unmarshal(data, &d.raw); err != nil {
			return nil, err
		}
		if d.raw["$defs"] == nil {
			d.section = "definitions"
		}
		all[r.version] = d
	}
	return all, nil
})

// schemas returns the documents, and skips the test where they are not there.
func schemas(t *testing.T) map[mcp.Version]*document {
	t.Helper()
	all, err := documents()
	if err != nil {
		t.Skipf("the official schemas are not there: %v", err)
	}
	return all
}

// valid fails unless data is of the definition, and has no member that the
// revision does not know.
func (d *document) valid(t fataler, version mcp.Version, definition string, data []byte) {
	t.Helper()
	value, known := d.conforms(t, version, definition, data)
	if foreign := unknown(value, known); foreign != "" {
		t.Fatalf("%s has %q, which %s of %s does not have", data, foreign, definition, version)
	}
}

// conforms is valid for a definition that leaves members open. It returns the
// value, and the names of the members that the definition knows.
func (d *document) conforms(t fataler, version mcp.Version, definition string, data []byte) (value any, known map[string]bool) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	schema, known, err := d.definition(version, definition)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := schema.Validate(value); err != nil {
		t.Fatalf("%s is no %s of %s: %v", data, definition, version, err)
	}
	return value, known
}

// definition returns the compiled schema of a definition, and the names of all
// members that it, and what it refers to, has.
func (d *document) definition(version mcp.Version, name string) (*jsonschema.Schema, map[string]bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if schema := d.compiled[name]; schema != nil {
		return schema, d.members[name], nil
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(official + string(version) + ".json#/" + d.section + "/" + name)
	if err != nil {
		return nil, nil, err
	}
	// the first one, the older ones leave to JSONRPCNotification; extensions have any name
	members := map[string]bool{"jsonrpc": true, mcp.ExtensionTasks: true}
	d.collect(d.raw[d.section].(map[string]any)[name], members, map[string]bool{})
	d.compiled[name], d.members[name] = schema, members
	return schema, members, nil
}

// collect adds the names of the properties below a schema.
func (d *document) collect(schema any, members, seen map[string]bool) {
	switch s := schema.(type) {
	case []any:
		for _, element := range s {
			d.collect(element, members, seen)
		}
	case map[string]any:
		if properties, ok := s["properties"].(map[string]any); ok {
			for name := range maps.Keys(properties) {
				members[name] = true
			}
		}
		if ref, ok := s["$ref"].(string); ok && !seen[ref] {
			seen[ref] = true
			d.collect(d.raw[d.section].(map[string]any)[ref[strings.LastIndexByte(ref, '/')+1:]], members, seen)
		}
		for _, inner := range s {
			d.collect(inner, members, seen)
		}
	}
}

// free are the members that hold what the protocol does not define.
var free = []string{"_meta", "data", "structuredContent", "inputSchema", "outputSchema", "requiredCapabilities"}

// unknown returns the name of a member that is not among known; "" for none.
func unknown(value any, known map[string]bool) string {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			if name := unknown(element, known); name != "" {
				return name
			}
		}
	case map[string]any:
		for name, inner := range v {
			if !known[name] {
				return name
			}
			if slices.Contains(free, name) {
				continue
			}
			if name := unknown(inner, known); name != "" {
				return name
			}
		}
	}
	return ""
}

// verdict is a fataler that remembers.
type verdict struct{ failed bool }

func (v *verdict) Helper()               {}
func (v *verdict) Fatalf(string, ...any) { v.failed = true }

// TestSchemasTell: what one revision has more than another is not valid there,
// so that the other tests would notice it.
func TestSchemasTell(t *testing.T) {
	t.Parallel()
	documents := schemas(t)
	for version, tt := range map[mcp.Version]struct {
		definition string
		features   mcp.Features
	}{
		mcp.V20241105: {"GetPromptResult", march},       // sound
		mcp.V20250326: {"ListResourcesResult", june},    // title
		mcp.V20250618: {"InitializeResult", november},   // description
		mcp.V20251125: {"ListPromptsResult", newest},    // ttlMs
		mcp.V20260728: {"ReadResourceResult", november}, // no resultType
	} {
		v := &verdict{}
		documents[version].valid(v, version, tt.definition, results[tt.definition](tt.features))
		if !v.failed {
			t.Errorf("%s of another revision is valid in %s", tt.definition, version)
		}
	}
}
