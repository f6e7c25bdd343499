package mcp

import (
	"errors"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// Root is a place in which a client works.
type Root struct {
	// URI is where, and Name what people call it, "" for nothing.
	URI, Name string
}

// ParseRootsResult reads the answer to roots/list. The error names the member at
// fault.
func ParseRootsResult(raw []byte) ([]Root, error) {
	list, _ := jsonrpc.Find(raw, "roots")
	if !isObject(raw) || len(list) == 0 || list[0] != '[' {
		return nil, errors.New("roots must be an array")
	}
	roots := []Root{}
	for element := range jsonrpc.Elements(list) {
		value, _ := jsonrpc.Find(element, "uri")
		uri, ok := jsonrpc.Unquote(value)
		if !isObject(element) || !ok || uri == "" {
			return nil, errors.New("each of roots must be an object with a uri")
		}
		value, named := jsonrpc.Find(element, "name")
		name, ok := jsonrpc.Unquote(value)
		if named && !ok {
			return nil, errors.New("the name of a root must be a string")
		}
		roots = append(roots, Root{URI: uri, Name: name})
	}
	return roots, nil
}
