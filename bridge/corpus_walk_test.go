package bridge_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// walker goes through the nodes of one schema.
type walker struct {
	*inspector
	dialect

	root map[string]any
	used map[string]bool // definitions that something refers to
	seen int
}

func (w *walker) node(where string, node map[string]any, depth int) {
	w.seen++
	for keyword := range node {
		if !slices.Contains(w.keywords, keyword) {
			w.faultf(where, "the keyword %s", keyword)
		}
	}
	if depth > 100 {
		w.faultf(where, "nested too deeply")
		return
	}
	w.typed(where, node)
	w.reference(where, node)
	w.values(where, node)
	w.required(where, node)
	if text, said := node["description"].(string); said && (text == "" || utf8.RuneCountInString(text) > w.texts) {
		w.faultf(where, "a description of %d characters", utf8.RuneCountInString(text))
	}
	if pattern, ok := node["pattern"].(string); ok && strange.MatchString(pattern) {
		w.faultf(where, "the pattern %s, which is none in JavaScript", pattern)
	}
	w.below(where, node, depth)
}

// strange are constructs of RE2 that a JavaScript engine refuses under the flag u, or understands otherwise.
var strange = regexp.MustCompile(`\(\?[a-zA-Z<]|\\[AzZQEC]|\[\[:|\\[^\x00-\x7f]|\\[#"'@!%&,:;<=>` + "`" + `~ ]`)

func (w *walker) typed(where string, node map[string]any) {
	kind, typed := node["type"]
	switch {
	case typed && !slices.Contains(w.types, fmt.Sprint(kind)):
		w.faultf(where, "the type %v", kind)
	case !typed && !w.untyped && node["anyOf"] == nil:
		w.faultf(where, "no type")
	}
	if _, ok := node["items"].(map[string]any); kind == "array" && !ok {
		w.faultf(where, "an array without items")
	}
	if f, ok := node["format"].(string); ok && w.nodes > 0 && f != "date-time" {
		w.faultf(where, "the format %v", f)
	}
}

// reference looks at a $ref: it stands alone and leads to a definition of the root.
func (w *walker) reference(where string, node map[string]any) {
	ref, ok := node["$ref"].(string)
	if !ok {
		return
	}
	name, local := strings.CutPrefix(ref, "#/$defs/")
	defs, _ := w.root["$defs"].(map[string]any)
	if _, ok := defs[name].(map[string]any); !local || !ok {
		w.faultf(where, "%s leads nowhere", ref)
	}
	if len(node) > 1 {
		w.faultf(where, "%s has siblings", ref)
	}
	w.used[name] = true
}

// definitions looks at $defs.
func (w *walker) definitions(where string) {
	defs, _ := w.root["$defs"].(map[string]any)
	if defs != nil && len(defs) == 0 {
		w.faultf(where, "$defs is empty")
	}
	for name := range defs {
		if !anyKey.MatchString(name) || !w.used[name] {
			w.faultf(where, "the definition %q is not used, or no name", name)
		}
	}
}

func (w *walker) values(where string, node map[string]any) {
	enum, ok := node["enum"].([]any)
	if !ok {
		return
	}
	seen := map[any]bool{}
	for _, value := range enum {
		name, text := value.(string)
		if seen[value] || w.nodes > 0 && (!text || name == "") {
			w.faultf(where, "the enum value %v", value)
		}
		seen[value] = true
	}
	if len(enum) == 0 || len(enum) > 100 {
		w.faultf(where, "an enum of %d values", len(enum))
	}
	if w.nodes > 0 && node["type"] != "string" {
		w.faultf(where, "an enum of the type %v", node["type"])
	}
}

func (w *walker) required(where string, node map[string]any) {
	value, ok := node["required"]
	if !ok {
		return
	}
	required, _ := value.([]any)
	properties, _ := node["properties"].(map[string]any)
	seen := map[any]bool{}
	for _, key := range required {
		if _, ok := properties[fmt.Sprint(key)]; !ok || seen[key] {
			w.faultf(where, "%v is required and no property, or twice", key)
		}
		seen[key] = true
	}
	if len(required) == 0 {
		w.faultf(where, "required is empty")
	}
}

// below goes on to the nodes within.
func (w *walker) below(where string, node map[string]any, depth int) {
	for _, keyword := range []string{"properties", "$defs", "patternProperties"} {
		children, _ := node[keyword].(map[string]any)
		for name, child := range children {
			if keyword == "properties" && !w.keys.MatchString(name) {
				w.faultf(where, "the property %q", name)
			}
			w.child(where+"."+name, child, depth)
		}
	}
	for _, keyword := range []string{"anyOf", "allOf"} {
		children, _ := node[keyword].([]any)
		for n, child := range children {
			w.child(fmt.Sprintf("%s.%s[%d]", where, keyword, n), child, depth)
		}
	}
	for _, keyword := range []string{"items", "additionalProperties", "propertyNames", "not"} {
		child, ok := node[keyword]
		if _, boolean := child.(bool); ok && (keyword != "additionalProperties" || !boolean) {
			w.child(where+"."+keyword, child, depth)
		}
	}
}

func (w *walker) child(where string, child any, depth int) {
	node, ok := child.(map[string]any)
	if !ok {
		w.faultf(where, "%v, which is no schema", child)
		return
	}
	w.node(where, node, depth+1)
}
