package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// The hard caps of derived schemas, in bytes. Larger ones cost more than the rest of a list together.
const (
	maxInput  = 16 << 10
	maxOutput = 8 << 10
)

// maxKey is the length of the longest property name that providers take.
const maxKey = 64

const (
	mendSchema = "give the tool an input_schema of its own, and report this with the descriptors"
	mendRaw    = "correct the input_schema that the tool is given"
)

// schema looks at one schema of a tool; side is its name there.
func (f *findings) schema(side string, whole []byte, d dialect) {
	w := walk{findings: f, whole: whole, dialect: d, path: []byte(side), mend: mendSchema}
	if d == raw {
		w.mend = mendRaw
	}
	if err := jsonrpc.Check(whole, jsonrpc.DefaultLimits); err != nil {
		broken := schemaNotJSON
		if err.Code == jsonrpc.CodeInvalidRequest {
			broken = schemaTooDeep
		}
		w.found(broken, "%s", err.Message)
		return
	}
	if limit := sizeLimit(side); d != raw && len(whole) > limit {
		f.add(schemaTooLarge, side, "split the message, or hide the method and offer one with a smaller message",
			"it has %d bytes, and more than %d crowd out the other tools", len(whole), limit)
	}
	if kind, _ := jsonrpc.Find(whole, "type"); string(kind) != `"object"` {
		w.found(rootNotObject, `its type is not "object": clients refuse it, with all other tools of the list`)
		return
	}
	w.root()
	w.schema(whole)
}

func sizeLimit(side string) int {
	if side == "outputSchema" {
		return maxOutput
	}
	return maxInput
}

// walk looks at one schema and what is in it.
type walk struct {
	*findings
	whole   []byte
	dialect dialect
	path    []byte
	mend    string
	refs    []string // known to lead somewhere
}

func (w *walk) found(r rule, reason string, args ...any) {
	w.add(r, string(w.path), w.mend, reason, args...)
}

// combinators are the keywords of the root for which Anthropic, OpenAI and Bedrock answer 400 to the whole request.
var combinators = []string{"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "enum"}

// root looks at what only the root must, or must not, have.
func (w *walk) root() {
	if w.dialect == raw {
		return
	}
	properties, refused := false, []string(nil)
	for name := range jsonrpc.Pairs(w.whole) {
		properties = properties || string(name) == "properties"
		if slices.Contains(combinators, string(name)) {
			refused = append(refused, string(name))
		}
	}
	if refused != nil {
		w.found(rootCombinator, "its root has %s: providers refuse the request, with all other tools of the list", strings.Join(refused, ", "))
	}
	if !properties {
		w.found(propertiesMissing, "it has no properties, be they none: providers refuse it")
	}
}

// node is what the keywords of one schema say to each other.
type node struct {
	kind, properties, required, enum        []byte
	typed, items, anyOf, listed, referenced bool
}

// schema looks at one schema and all below it.
func (w *walk) schema(schema []byte) {
	if schema[0] != '{' {
		w.boolean(schema)
		return
	}
	var n node
	for name, value := range jsonrpc.Pairs(schema) {
		w.keyword(&n, name, value)
	}
	w.typed(&n)
	w.required(&n)
	w.enum(&n)
}

// boolean looks at a schema that is no object: true and false are schemas too, which portable ones do without.
func (w *walk) boolean(schema []byte) {
	word := schema[0] == 't' || schema[0] == 'f'
	if !word || w.dialect != raw && !bytes.HasSuffix(w.path, []byte(".additionalProperties")) {
		w.found(keywordMalformed, "%s is no schema that every client takes: an object is", jsonrpc.Echo(string(schema)))
	}
}

// keyword looks at one keyword and below it.
func (w *walk) keyword(n *node, name, value []byte) {
	k, known := keywords[string(name)]
	if w.dialect != raw && k.dialects&w.dialect == 0 {
		w.refuse(name)
		return
	}
	if !known {
		return
	}
	if value[0] == 'n' && k.form != anything {
		w.found(nullValue, "its %s is null: Claude Code drops all tools of the list for it", name)
		return
	}
	if !k.form.fits(value) {
		if !w.tuple(name, value) {
			w.found(keywordMalformed, "its %s is not %s", name, wants[k.form])
		}
		return
	}
	n.note(name, value)
	w.below(k.form, name, value)
}

// tuple lets the form of items pass that draft-07 has beside the other, in schemas that are not ours.
func (w *walk) tuple(name, value []byte) bool {
	return w.dialect == raw && string(name) == "items" && value[0] == '['
}

func (w *walk) refuse(name []byte) {
	if identities[string(name)] {
		w.found(schemaDialect, "it has %s: some clients refuse each dialect that it could name", name)
		return
	}
	if bytes.IndexByte(w.path, '.') < 0 && slices.Contains(combinators, string(name)) {
		return // told of the root already
	}
	w.found(keywordRefused, "it has %s, which some client or provider refuses in this profile", jsonrpc.Echo(string(name)))
}

// note keeps what concerns other keywords.
func (n *node) note(name, value []byte) {
	switch string(name) {
	case "type":
		n.kind, n.typed = value, true
	case "properties":
		n.properties = value
	case "required":
		n.required = value
	case "enum":
		n.enum, n.listed = value, true
	case "items", "prefixItems":
		n.items = true
	case "anyOf":
		n.anyOf = true
	case "$ref":
		n.referenced = true
	}
}

// below goes on with what is in the value of a keyword.
func (w *walk) below(k form, name, value []byte) {
	mark := len(w.path)
	w.path = append(append(w.path, '.'), name...)
	switch k {
	case aSchema:
		w.schema(value)
	case aSchemaMap, aPatternMap:
		w.members(k, name, value)
	case aSchemaList:
		for element := range jsonrpc.Elements(value) {
			w.schema(element)
		}
	case aPattern:
		w.pattern(value)
	case aReference:
		w.reference(value)
	case aString:
		w.text(name, value)
	}
	w.path = w.path[:mark]
}

// members looks at the schemas of an object of them, and at their names.
func (w *walk) members(k form, name, value []byte) {
	top := bytes.IndexByte(w.path, '.') == bytes.LastIndexByte(w.path, '.')
	for key, schema := range jsonrpc.Pairs(value) {
		if k == aPatternMap {
			w.compiles(string(key))
		} else if string(name) == "properties" && !w.takes(key, top) {
			w.found(propertyNameRefused, "%s is no property name that every provider takes: the request fails, with all other tools",
				jsonrpc.Echo(string(key)))
		}
		mark := len(w.path)
		w.path = append(append(w.path, '.'), key...)
		w.schema(schema)
		w.path = w.path[:mark]
	}
}

// takes says whether providers take a property name: Anthropic looks at those of the top level alone, Vertex at all. Those of
// output schemas are sent to none.
func (w *walk) takes(key []byte, top bool) bool {
	switch {
	case w.dialect == portableInput:
		return isKey(key) && len(key) <= maxKey && !isDigit(key[0]) && bytes.IndexByte(key, '-') < 0 && bytes.IndexByte(key, '.') < 0
	case w.dialect == rich && top && w.path[0] == 'i':
		return isKey(key) && len(key) <= maxKey
	}
	return true
}

// text looks at keywords whose values are words of their own.
func (w *walk) text(name, value []byte) {
	if string(name) == "format" && w.dialect == portableInput && string(value) != `"date-time"` {
		w.found(formatRefused, "its format %s is refused by Gemini, which takes date-time alone for strings", value)
	}
}

// typed holds the type against what else there is.
func (w *walk) typed(n *node) {
	if !n.typed {
		if w.dialect == portableInput && !n.anyOf {
			w.found(typeMissing, "it has no type: Gemini refuses that")
		}
		return
	}
	if w.dialect == portableInput && n.kind[0] == '[' {
		w.found(typeList, "its type is a list: Gemini refuses that")
	}
	if !n.items && bytes.Contains(n.kind, []byte(`"array"`)) && w.dialect != raw {
		w.found(arrayWithoutItems, "it is an array without items: OpenAI and VS Code refuse the request, with all other tools")
	}
}

// required demands that what is required is there.
func (w *walk) required(n *node) {
	if w.dialect == raw {
		return
	}
	for element := range jsonrpc.Elements(n.required) {
		name, _ := jsonrpc.Unquote(element)
		if _, ok := jsonrpc.Find(n.properties, name); !ok {
			w.found(requiredUnknown, "it requires %s, which is none of its properties: providers refuse it", element)
		}
	}
}

// enum looks at the values of an enum.
func (w *walk) enum(n *node) {
	if !n.listed || w.dialect == raw {
		return
	}
	if !hasElement(n.enum) {
		w.found(enumEmpty, "its enum is empty: nothing would be allowed, and draft-07 forbids it")
	}
	if twice := repeated(n.enum); twice != nil {
		w.found(enumRepeats, "its enum has %s twice: ajv and the meta-schemas refuse it", twice)
	}
	if w.dialect != portableInput {
		return
	}
	for element := range jsonrpc.Elements(n.enum) {
		if element[0] != '"' || len(element) == 2 || string(n.kind) != `"string"` {
			w.found(enumNotStrings, "its enum has %s: Gemini takes texts of type string alone, and no empty one", element)
			return
		}
	}
}

// raw says what clients and providers would refuse of an input schema that is an override: its author may know why.
func (f *findings) raw(whole []byte) {
	var g findings
	w := walk{findings: &g, whole: whole, dialect: rich, path: []byte("inputSchema")}
	if jsonrpc.Check(whole, jsonrpc.DefaultLimits) != nil {
		return
	}
	w.root()
	w.schema(whole)
	var reasons []string
	for _, finding := range g {
		reasons = append(reasons, finding.Where+": "+finding.Reason)
	}
	if len(reasons) > 0 {
		f.add(rawSchemaRefused, "inputSchema", mendRaw, "the schema that it is given is sent as it is, and not every client takes it: %s",
			strings.Join(leading(reasons, 3), "; "))
	}
}

// leading returns the first n of some words, and then how many more there are.
func leading(words []string, n int) []string {
	if len(words) <= n {
		return words
	}
	return append(slices.Clone(words[:n]), fmt.Sprintf("and %d more", len(words)-n))
}
