package bridge_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// dialect is what a schema may say and how large it may be.
type dialect struct {
	keywords []string
	types    []string       // the single types and the lists of types, as fmt prints them
	untyped  bool           // a node need not say its type
	keys     *regexp.Regexp // of properties
	texts    int            // characters of a description
	bytes    int
	nodes    int // 0 for any number, and for what only the portable profile has to keep to
}

var (
	anyKey      = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`) // what Anthropic takes
	portableKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	derivedName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	markup      = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)

	singleTypes = []string{"object", "array", "string", "integer", "number", "boolean"}
	richWords   = []string{
		"type", "properties", "required", "items", "enum", "description", "format", "anyOf", "allOf", "not", "const", "default",
		"$ref", "$defs", "additionalProperties", "propertyNames", "patternProperties", "pattern", "minLength", "maxLength", "minimum",
		"maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
		"contentEncoding", "deprecated",
	}

	portableInput = dialect{
		keywords: []string{"type", "properties", "required", "items", "enum", "description", "format", "anyOf"},
		types:    singleTypes, keys: portableKey, texts: 256, bytes: 16 << 10, nodes: 300,
	}
	portableOutput = dialect{
		keywords: []string{"type", "properties", "items", "description"},
		types:    append([]string{"[number string]", "[string integer]"}, singleTypes...),
		untyped:  true, keys: portableKey, texts: 256, bytes: 8 << 10, nodes: 300,
	}
	richInput = dialect{
		keywords: richWords, types: append([]string{"[integer string]", "[string integer]", "null"}, singleTypes...),
		untyped: true, keys: anyKey, texts: 1024, bytes: 16 << 10,
	}
	richOutput = dialect{
		keywords: slices.DeleteFunc(slices.Clone(richWords), func(k string) bool {
			return slices.Contains([]string{"required", "minLength", "minimum", "maximum", "minItems", "format", "default", "not"}, k)
		}),
		types:   append([]string{"[number string]", "[string integer]", "null"}, singleTypes...),
		untyped: true, keys: anyKey, texts: 1024, bytes: 8 << 10,
	}
)

// inspector looks at the definition of a tool with nothing but what is known of clients and model providers, and knows nothing
// of the linter's code.
type inspector struct {
	faults []string
}

func (i *inspector) faultf(where, format string, args ...any) {
	i.faults = append(i.faults, where+": "+fmt.Sprintf(format, args...))
}

// inspectDefinition returns what is wrong with a tool as tools/list shows it, which is given in JSON.
func inspectDefinition(raw []byte, input, output dialect) []string {
	var tool map[string]any
	i := &inspector{}
	if err := json.Unmarshal(raw, &tool); err != nil {
		return []string{err.Error()}
	}
	i.nulls("", tool)
	i.naming(tool)
	var parts struct{ InputSchema, OutputSchema json.RawMessage }
	if err := json.Unmarshal(raw, &parts); err != nil {
		return []string{err.Error()}
	}
	i.schema("inputSchema", parts.InputSchema, input)
	if parts.OutputSchema != nil {
		i.schema("outputSchema", parts.OutputSchema, output)
	}
	slices.Sort(i.faults)
	return i.faults
}

// nulls finds null, and text that is hidden or could be taken for markup, anywhere.
func (i *inspector) nulls(where string, v any) {
	switch v := v.(type) {
	case nil:
		i.faultf(where, "null")
	case map[string]any:
		for key, member := range v {
			i.nulls(where+"/"+key, member)
		}
	case []any:
		for n, item := range v {
			i.nulls(fmt.Sprintf("%s/%d", where, n), item)
		}
	case string:
		i.text(where, v)
	}
}

func (i *inspector) text(where, text string) {
	for _, r := range text {
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) || r == utf8.RuneError || r >= 0xe0000 && r <= 0xe007f {
			i.faultf(where, "the character %U", r)
		}
	}
	if tag := markup.FindString(text); tag != "" {
		i.faultf(where, "the tag %s", tag)
	}
}

// naming looks at what is beside the schemas.
func (i *inspector) naming(tool map[string]any) {
	for member := range tool {
		if !slices.Contains([]string{"name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"}, member) {
			i.faultf("tool", "the member %s", member)
		}
	}
	if name, _ := tool["name"].(string); len(name) > 44 || !derivedName.MatchString(name) {
		i.faultf("name", "%q", name)
	}
	description, _ := tool["description"].(string)
	if n := utf8.RuneCountInString(description); n < 1 || n > 1024 || strings.TrimSpace(description) != description {
		i.faultf("description", "%d characters", n)
	}
	if title, _ := tool["title"].(string); strings.TrimSpace(title) == "" {
		i.faultf("title", "none")
	}
}

func (i *inspector) schema(where string, raw []byte, d dialect) {
	var root map[string]any
	if err := json.Unmarshal(raw, &root); err != nil {
		i.faultf(where, "no object: %v", err)
		return
	}
	if root["type"] != "object" {
		i.faultf(where, "the type of the root is %v", root["type"])
	}
	if _, ok := root["properties"].(map[string]any); !ok {
		i.faultf(where, "the root has no properties")
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "enum", "const"} {
		if _, ok := root[keyword]; ok {
			i.faultf(where, "%s at the root", keyword)
		}
	}
	w := walker{inspector: i, dialect: d, root: root, used: map[string]bool{}}
	w.node(where, root, 1)
	w.definitions(where)
	if len(raw) > d.bytes {
		i.faultf(where, "%d bytes", len(raw))
	}
	if d.nodes > 0 && w.seen > d.nodes {
		i.faultf(where, "%d nodes", w.seen)
	}
}
