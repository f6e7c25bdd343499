package schema

import (
	"slices"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// headerWriter writes the headers that were found into a schema, and collects them in the order in which they stand there.
type headerWriter struct {
	found, params []mcp.HeaderParam
}

// object copies the schema of an object and annotates its properties.
func (w *headerWriter) object(dst, schema []byte, at place) []byte {
	dst = append(dst, '{')
	for name, value := range jsonrpc.Pairs(schema) {
		dst = append(appendString(dst, string(name)), ':')
		if string(name) == "properties" && at.md != nil {
			dst = w.properties(dst, value, at)
		} else {
			dst = append(dst, value...)
		}
		dst = append(dst, ',')
	}
	return closeObject(dst)
}

// closeObject ends an object whose members have commas behind them.
func closeObject(dst []byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, '}')
}

// properties copies properties and annotates them.
func (w *headerWriter) properties(dst, properties []byte, at place) []byte {
	dst = append(dst, '{')
	for name, value := range jsonrpc.Pairs(properties) {
		below, _ := at.below(string(name))
		dst = append(appendString(dst, string(name)), ':')
		i := slices.IndexFunc(w.found, func(p mcp.HeaderParam) bool { return slices.Equal(p.Path, below.path) })
		if i >= 0 {
			w.params = append(w.params, w.found[i])
		}
		dst = w.object(dst, value, below)
		if i >= 0 {
			dst = append(appendString(append(dst[:len(dst)-1], `,"`+headerKeyword+`":`...), w.found[i].Name), '}')
		}
		dst = append(dst, ',')
	}
	return closeObject(dst)
}
