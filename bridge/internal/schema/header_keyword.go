package schema

import (
	"iter"
	"strconv"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Keywords that hold a schema or a list of them, or schemas by name (JSON Schema 2020-12 and those of older drafts); what
// others hold is data.
var (
	holdsSchema = map[string]bool{
		"items": true, "additionalItems": true, "additionalProperties": true, "unevaluatedItems": true, "unevaluatedProperties": true,
		"contains": true, "propertyNames": true, "contentSchema": true, "not": true, "if": true, "then": true, "else": true,
		"allOf": true, "anyOf": true, "oneOf": true, "prefixItems": true,
	}
	holdsNamed = map[string]bool{
		"properties": true, "patternProperties": true, "dependentSchemas": true, "$defs": true, "definitions": true, "dependencies": true,
	}
)

// Subschemas yields the schemas that stand directly in a schema, which is any JSON, in order, with the names that lead to
// each: a keyword, and the name or the index behind it, where there is one. What is no schema, as the names of required, is not
// among them; an element of `dependencies` may be a list of names.
func Subschemas(schema []byte) iter.Seq2[[]string, []byte] {
	return func(yield func([]string, []byte) bool) {
		for name, value := range jsonrpc.Pairs(schema) {
			var going bool
			switch keyword := string(name); {
			case holdsNamed[keyword]:
				going = yieldNamed(keyword, value, yield)
			case holdsSchema[keyword] && value[0] == '[':
				going = yieldListed(keyword, value, yield)
			default:
				going = !holdsSchema[keyword] || yield([]string{keyword}, value)
			}
			if !going {
				return
			}
		}
	}
}

func yieldNamed(keyword string, schemas []byte, yield func([]string, []byte) bool) bool {
	for name, inner := range jsonrpc.Pairs(schemas) {
		if !yield([]string{keyword, string(name)}, inner) {
			return false
		}
	}
	return true
}

func yieldListed(keyword string, schemas []byte, yield func([]string, []byte) bool) bool {
	i := 0
	for inner := range jsonrpc.Elements(schemas) {
		if !yield([]string{keyword, strconv.Itoa(i)}, inner) {
			return false
		}
		i++
	}
	return true
}
