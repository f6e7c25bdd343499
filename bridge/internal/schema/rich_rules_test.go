package schema_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// checkRich holds the schemas of a method against the rules of the rich profile, and against both meta-schemas if meta.
func checkRich(t testing.TB, g *schema.Generator, m protoreflect.MethodDescriptor, meta bool) {
	t.Helper()
	input, output := g.Input(m.Input()).JSON, g.Output(m.Output(), nil).JSON
	for _, s := range []struct {
		raw   []byte
		rules richRules
	}{{input, richInputRules}, {output, richOutputRules}} {
		v := richVerdict{richRules: s.rules, used: map[string]bool{}}
		v.root(s.raw)
		for _, fault := range v.faults {
			t.Errorf("%s: %s\n%.2000s", m.FullName(), fault, s.raw)
		}
		if !meta {
			continue
		}
		for _, draft := range []*jsonschema.Draft{jsonschema.Draft7, jsonschema.Draft2020} {
			if _, err := compileSchema(s.raw, draft); err != nil {
				t.Errorf("%s: not a schema of %v: %v\n%s", m.FullName(), draft, err, s.raw)
			}
		}
	}
}

// richRules are what the rich profile allows, said again from its documentation and not from the generator.
type richRules struct {
	root, keywords []string
	maxBytes       int
}

var (
	richInputRules = richRules{
		root: []string{"type", "description", "properties", "required", "additionalProperties", "$defs"},
		keywords: []string{
			"type", "description", "properties", "required", "additionalProperties", "items", "enum", "const", "not", "default", "format",
			"pattern", "propertyNames", "contentEncoding", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
			"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "anyOf", "allOf", "$ref",
		},
		maxBytes: 16384,
	}
	richOutputRules = richRules{
		root: []string{"type", "properties", "$defs"},
		keywords: []string{
			"type", "description", "properties", "additionalProperties", "items", "enum", "contentEncoding", "anyOf", "$ref",
		},
		maxBytes: 8192,
	}
)

// richVerdict walks one schema and collects what breaks the rules.
type richVerdict struct {
	richRules
	defs   map[string]any
	used   map[string]bool
	faults []string
}

func (v *richVerdict) fault(path, format string, args ...any) {
	v.faults = append(v.faults, path+": "+fmt.Sprintf(format, args...))
}

var defKey = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

func (v *richVerdict) root(raw []byte) {
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		v.fault("", "no JSON object: %v", err)
		return
	}
	for name := range doc {
		if !slices.Contains(v.richRules.root, name) {
			v.fault("", "%q at the root", name)
		}
	}
	if _, ok := doc["properties"].(map[string]any); doc["type"] != "object" || !ok {
		v.fault("", "the root is no object with properties")
	}
	if len(raw) > v.maxBytes {
		v.fault("", "%d bytes, over %d", len(raw), v.maxBytes)
	}
	v.defs, _ = doc["$defs"].(map[string]any)
	if defs, ok := doc["$defs"]; ok && len(v.defs) == 0 {
		v.fault("", "$defs is %v", defs)
	}
	delete(doc, "$defs")
	v.node("", doc)
	for name, def := range v.defs {
		if !defKey.MatchString(name) {
			v.fault("", "a definition called %q", name)
		}
		v.child("$defs."+name, def)
	}
	for _, name := range slices.Sorted(maps.Keys(v.defs)) {
		if !v.used[name] {
			v.fault("", "the definition %s is not used", name)
		}
	}
}

func (v *richVerdict) node(path string, node map[string]any) {
	for keyword, value := range node {
		if !slices.Contains(v.keywords, keyword) {
			v.fault(path, "keyword %q", keyword)
		}
		if value == nil {
			v.fault(path, "%s is null", keyword)
		}
	}
	if ref, ok := node["$ref"].(string); ok {
		name, local := strings.CutPrefix(ref, "#/$defs/")
		if v.used[name] = true; !local || v.defs[name] == nil || len(node) > 1 {
			v.fault(path, "the reference %s with %d keywords", ref, len(node))
		}
	}
	if _, ok := node["items"].(map[string]any); node["type"] == "array" && !ok {
		v.fault(path, "an array without items")
	}
	if d, ok := node["description"].(string); ok && (d == "" || utf8.RuneCountInString(d) > 800) {
		v.fault(path, "a description of %d characters", utf8.RuneCountInString(d))
	}
	v.lists(path, node)
	v.children(path, node)
}

func (v *richVerdict) lists(path string, node map[string]any) {
	properties, _ := node["properties"].(map[string]any)
	if required, ok := node["required"].([]any); ok {
		for _, key := range required {
			if properties[fmt.Sprint(key)] == nil {
				v.fault(path, "requires %v, which is no property", key)
			}
		}
		if len(required) == 0 {
			v.fault(path, "an empty required")
		}
	}
	if enum, ok := node["enum"].([]any); ok && (len(enum) == 0 || len(enum) > 100) {
		v.fault(path, "an enum of %d values", len(enum))
	}
}

func (v *richVerdict) children(path string, node map[string]any) {
	properties, _ := node["properties"].(map[string]any)
	for name, child := range properties {
		if !key.MatchString(name) {
			v.fault(path, "property %q", name)
		}
		v.child(path+"."+name, child)
	}
	for _, keyword := range []string{"items", "propertyNames", "not"} {
		if child, ok := node[keyword]; ok {
			v.child(path+" "+keyword, child)
		}
	}
	if child, ok := node["additionalProperties"]; ok && child != false {
		v.child(path+"{}", child)
	}
	for _, keyword := range []string{"anyOf", "allOf"} {
		options, _ := node[keyword].([]any)
		for i, child := range options {
			v.child(fmt.Sprintf("%s %s %d", path, keyword, i), child)
		}
	}
}

func (v *richVerdict) child(path string, child any) {
	node, ok := child.(map[string]any)
	if !ok {
		v.fault(path, "a schema that is no object: %v", child)
		return
	}
	v.node(path, node)
}
