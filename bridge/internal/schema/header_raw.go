package schema

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// RawHeaders reads x-mcp-header from an input schema that somebody has written for requests of type md, by the rules of
// [Headers], and returns what the headers repeat. The schema is sent as it is, so a fault is more than a loss: clients drop
// the tool. The options of fields do nothing then; one that the schema does not repeat is a fault too. The schema must be
// sound JSON that nests no deeper than [jsonrpc.DefaultLimits] says.
func RawHeaders(md protoreflect.MessageDescriptor, schema []byte) (params []mcp.HeaderParam, faults []string) {
	r := rawHeaders{newHeaders()}
	r.schema(schema, place{md: objectOf(md)}, nil, false)
	r.walk(md)
	for _, fd := range r.fields {
		if !r.met[fd.FullName()] {
			r.fault(fd, "input_schema is sent in place of the derived one and has no "+headerKeyword+" for it")
		}
	}
	return r.params, r.faults
}

// rawHeaders reads a schema with any keywords.
type rawHeaders struct{ *headers }

// Keywords that hold schemas (JSON Schema 2020-12 and those of older drafts); what others hold is data.
var (
	holdsSchema = map[string]bool{
		"items": true, "additionalItems": true, "additionalProperties": true, "unevaluatedItems": true, "unevaluatedProperties": true,
		"contains": true, "propertyNames": true, "contentSchema": true, "not": true, "if": true, "then": true, "else": true,
		"allOf": true, "anyOf": true, "oneOf": true, "prefixItems": true,
	}
	holdsNamed = map[string]bool{
		"patternProperties": true, "dependentSchemas": true, "$defs": true, "definitions": true, "dependencies": true,
	}
)

// schema reads one schema. mirrored says that it stands for one argument: that properties alone lead to it.
func (r rawHeaders) schema(schema []byte, at place, fd protoreflect.FieldDescriptor, mirrored bool) {
	for name, value := range jsonrpc.Pairs(schema) {
		switch keyword := string(name); {
		case keyword == headerKeyword:
			r.found(schema, value, at, fd, mirrored)
		case keyword == "properties":
			for property, inner := range jsonrpc.Pairs(value) {
				below, field := at.below(string(property))
				r.schema(inner, below, field, mirrored || len(at.path) == 0)
			}
		case holdsNamed[keyword]:
			for property, inner := range jsonrpc.Pairs(value) {
				r.elsewhere(inner, at, keyword+"."+string(property))
			}
		case holdsSchema[keyword]:
			r.elsewhere(value, at, keyword)
		}
	}
}

// elsewhere reads a schema, or a list of them, that does not stand for one argument.
func (r rawHeaders) elsewhere(schema []byte, at place, name string) {
	below, _ := place{path: at.path}.below(name)
	r.schema(schema, below, nil, false)
	for inner := range jsonrpc.Elements(schema) {
		r.schema(inner, below, nil, false)
	}
}

// found notes an annotation.
func (r rawHeaders) found(schema, value []byte, at place, fd protoreflect.FieldDescriptor, mirrored bool) {
	header, isText := jsonrpc.Unquote(value)
	var reason string
	switch {
	case !isText:
		reason = "it is no string"
	case !mirrored:
		reason = "it stands where properties alone do not lead to it"
	default:
		reason = r.add(header, schema, at)
	}
	if fd != nil {
		r.met[fd.FullName()] = true
	}
	if reason != "" {
		where := strings.Join(at.path, ".")
		r.faults = append(r.faults, fmt.Sprintf("%s of %q in input_schema makes clients drop the tool: %s", headerKeyword, where, reason))
	}
}
