package schema

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// RawHeaders reads x-mcp-header from an input schema that somebody has written for requests of type md, by the rules of
// [Generator.Headers], and returns what the headers repeat. The schema is sent as it is, so a fault is more than a loss: clients drop
// the tool. The options of fields do nothing then; one that the schema does not repeat, or that cannot be read, is among
// what is lost. Both are sentences without a full stop. The schema must be sound JSON that nests no deeper than
// [jsonrpc.DefaultLimits] says.
func (g *Generator) RawHeaders(md protoreflect.MessageDescriptor, schema []byte) (params []mcp.HeaderParam, lost, faults []string) {
	r := rawHeaders{newHeaders(g.reader.Reader)}
	r.schema(schema, place{md: objectOf(md)}, nil, false)
	faults = r.said()
	r.faults, r.told = nil, map[string]bool{}
	r.walk(md)
	for _, fd := range r.fields {
		if !r.met[fd.FullName()] {
			r.fault(fd, "input_schema is sent in place of the derived one and has no "+headerKeyword+" for it")
		}
	}
	return r.params, r.said(), faults
}

// rawHeaders reads a schema with any keywords.
type rawHeaders struct{ *headers }

// schema reads one schema. mirrored says that it stands for one argument: that properties alone lead to it.
func (r rawHeaders) schema(schema []byte, at place, fd protoreflect.FieldDescriptor, mirrored bool) {
	if value, ok := jsonrpc.Find(schema, headerKeyword); ok {
		r.found(schema, value, at, fd, mirrored)
	}
	for path, inner := range Subschemas(schema) {
		if path[0] == "properties" {
			below, field := at.below(path[1])
			r.schema(inner, below, field, mirrored || len(at.path) == 0)
			continue
		}
		name := path[0]
		if holdsNamed[name] {
			name += "." + path[1]
		}
		below, _ := place{path: at.path}.below(name)
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
		r.tell(fmt.Sprintf("%s of %q in input_schema makes clients drop the tool: %s", headerKeyword, where, reason))
	}
}
