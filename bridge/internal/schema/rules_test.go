package schema_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// check holds the schemas of a method against the rules of the portable profile and both meta-schemas.
func check(t testing.TB, m subject) {
	t.Helper()
	input, output := m.input(), m.output(nil)
	scan(t, m, input, output)
	for _, s := range [][]byte{input, output} {
		for _, draft := range []*jsonschema.Draft{jsonschema.Draft7, jsonschema.Draft2020} {
			if _, err := compileSchema(s, draft); err != nil {
				t.Errorf("%s: not a schema of %v: %v\n%s", m.FullName(), draft, err, s)
			}
		}
	}
}

// scan is the part of check that is independent of any validator.
func scan(t testing.TB, m protoreflect.MethodDescriptor, input, output []byte) {
	t.Helper()
	for _, s := range []struct {
		side  string
		raw   []byte
		rules rules
	}{{"input", input, inputRules}, {"output", output, outputRules}} {
		v := verdict{rules: s.rules}
		v.root(s.raw)
		for _, fault := range v.faults {
			t.Errorf("%s of %s: %s\n%.2000s", s.side, m.FullName(), fault, s.raw)
		}
	}
}

// compileSchema lets a validator of other people's check the document against its meta-schema.
func compileSchema(raw []byte, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.AssertFormat()
	if err := c.AddResource("test:schema", doc); err != nil {
		return nil, err
	}
	return c.Compile("test:schema")
}

// rules are what a profile allows, said again from its documentation and not from the generator.
type rules struct {
	keywords []string
	types    []string // the allowed type keywords, arrays written out
	untyped  bool     // a node may have neither type nor anyOf
	maxBytes int
}

var inputRules = rules{
	keywords: []string{"type", "properties", "required", "items", "enum", "description", "format", "anyOf"},
	types:    []string{"object", "array", "string", "integer", "number", "boolean"},
	maxBytes: 16384,
}

var outputRules = rules{
	keywords: []string{"type", "properties", "items", "description"},
	types: []string{
		"object", "array", "string", "integer", "boolean", "[number string]", "[string integer]",
	},
	untyped:  true,
	maxBytes: 8192,
}

// verdict walks one schema and collects what breaks the rules.
type verdict struct {
	rules
	nodes  int
	faults []string
}

func (v *verdict) fault(path, format string, args ...any) {
	v.faults = append(v.faults, path+": "+fmt.Sprintf(format, args...))
}

func (v *verdict) root(raw []byte) {
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		v.fault("", "no JSON object: %v", err)
		return
	}
	if doc["type"] != "object" {
		v.fault("", "the root is no object")
	}
	if _, ok := doc["properties"].(map[string]any); !ok {
		v.fault("", "the root has no properties")
	}
	v.node("", doc)
	if len(raw) > v.maxBytes || v.nodes > 300 {
		v.fault("", "%d bytes and %d nodes, over %d and 300", len(raw), v.nodes, v.maxBytes)
	}
}

func (v *verdict) node(path string, node map[string]any) {
	v.nodes++
	for keyword, value := range node {
		if !slices.Contains(v.keywords, keyword) {
			v.fault(path, "keyword %q", keyword)
		}
		if value == nil {
			v.fault(path, "%s is null", keyword)
		}
	}
	v.typed(path, node)
	v.listed(path, node)
	v.children(path, node)
	if d, ok := node["description"].(string); ok && (d == "" || utf8.RuneCountInString(d) > 256) {
		v.fault(path, "a description of %d characters", utf8.RuneCountInString(d))
	}
}

func (v *verdict) typed(path string, node map[string]any) {
	kind, typed := node["type"]
	switch {
	case typed && !slices.Contains(v.types, fmt.Sprint(kind)):
		v.fault(path, "type %v", kind)
	case !typed && node["anyOf"] == nil && !v.untyped:
		v.fault(path, "no type")
	}
	if _, ok := node["items"].(map[string]any); kind == "array" && !ok {
		v.fault(path, "an array without items")
	}
	if f, ok := node["format"]; ok && f != "date-time" {
		v.fault(path, "format %v", f)
	}
}

func (v *verdict) listed(path string, node map[string]any) {
	if required, ok := node["required"].([]any); ok {
		properties, _ := node["properties"].(map[string]any)
		for _, key := range required {
			if _, ok := properties[fmt.Sprint(key)]; !ok {
				v.fault(path, "requires %v, which is no property", key)
			}
		}
		if len(required) == 0 {
			v.fault(path, "an empty required")
		}
	}
	enum, ok := node["enum"].([]any)
	if !ok {
		return
	}
	seen := map[any]bool{}
	for _, value := range enum {
		if name, ok := value.(string); !ok || name == "" || seen[name] {
			v.fault(path, "enum value %v", value)
		}
		seen[value] = true
	}
	if len(enum) == 0 || len(enum) > 100 || node["type"] != "string" {
		v.fault(path, "an enum of %d values and type %v", len(enum), node["type"])
	}
}

var key = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

func (v *verdict) children(path string, node map[string]any) {
	properties, _ := node["properties"].(map[string]any)
	for name, child := range properties {
		if !key.MatchString(name) {
			v.fault(path, "property %q", name)
		}
		v.child(path+"."+name, child)
	}
	if items, ok := node["items"]; ok {
		v.child(path+"[]", items)
	}
	anyOf, _ := node["anyOf"].([]any)
	if len(anyOf) > 0 && path == "" {
		v.fault(path, "anyOf at the root")
	}
	for i, child := range anyOf {
		v.child(fmt.Sprintf("%s|%d", path, i), child)
	}
}

func (v *verdict) child(path string, child any) {
	node, ok := child.(map[string]any)
	if !ok {
		v.fault(path, "a schema that is no object: %v", child)
		return
	}
	v.node(path, node)
}
