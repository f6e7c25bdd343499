package main

import (
	"strings"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// parseToolNames reads the values of --tool-name, method=name; nil for none. Two names for one method are refused, because one
// of them would silently be lost.
func parseToolNames(values []string) (map[string]*bridgev1.Tool, error) {
	var tools map[string]*bridgev1.Tool
	for _, v := range values {
		method, name, ok := strings.Cut(v, "=")
		if !ok || method == "" || name == "" {
			return nil, usagef("--tool-name %q: write method=name, such as library.v1.LibraryService.GetBook=get_book", v)
		}
		if other := tools[method]; other != nil {
			return nil, usagef("--tool-name gives %s two names, %s and %s: drop one of them", method, other.GetName(), name)
		}
		if tools == nil {
			tools = map[string]*bridgev1.Tool{}
		}
		tools[method] = &bridgev1.Tool{Name: name}
	}
	return tools, nil
}
