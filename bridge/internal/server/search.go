package server

import (
	"fmt"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// searchTool calls one of the three tools that stand for all others. What is
// wrong with their arguments is a result for the model to read, as what is wrong
// with those of a method is.
func (s *Server) searchTool(
	r *request, offered *catalog.Catalog, params mcp.CallToolParams, scratch *[]byte,
) (*mcp.CallToolResult, *jsonrpc.Error) {
	var result *mcp.CallToolResult
	var fault *transcode.ArgumentError
	switch params.Name {
	case catalog.SearchMethods:
		result, fault = searchMethods(offered, params.Arguments)
	case catalog.DescribeMethod:
		result, fault = describeMethod(offered, params.Arguments)
	case catalog.CallMethod:
		var call methodCall
		if call, fault = readCall(offered, params.Arguments); fault == nil {
			return s.runTool(r, call.tool, call.arguments, scratch)
		}
	default:
		return nil, unlisted(offered, params.Name)
	}
	if fault != nil {
		return outcome(nil, nil, argumentFault(fault)), nil
	}
	return result, nil
}

// unlisted returns the error for a tool that is none of the three.
func unlisted(offered *catalog.Catalog, name string) *jsonrpc.Error {
	what := fmt.Sprintf("unknown tool %q", jsonrpc.Echo(name))
	if tool, ok := offered.Lookup(name); ok {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: call it by %s, with %q as its name", what, catalog.CallMethod, tool.Definition.Name)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: there are %s, %s and %s",
		what, catalog.SearchMethods, catalog.DescribeMethod, catalog.CallMethod)
}

// describeMethod answers describe_method.
func describeMethod(offered *catalog.Catalog, arguments []byte) (*mcp.CallToolResult, *transcode.ArgumentError) {
	var name string
	if fault := readMembers(arguments, []member{required(&name)}, ""); fault != nil {
		return nil, fault
	}
	tool, fault := lookup(offered, name)
	if fault != nil {
		return nil, fault
	}
	return &mcp.CallToolResult{Structured: appendDescription(nil, tool)}, nil
}

// methodCall is what call_method is asked for.
type methodCall struct {
	tool      *catalog.Tool
	arguments []byte // raw; nil for none
}

// readCall reads the arguments of call_method.
func readCall(offered *catalog.Catalog, arguments []byte) (c methodCall, fault *transcode.ArgumentError) {
	var name string
	if name, c.arguments, fault = callMembers(arguments); fault != nil {
		return c, fault
	}
	c.tool, fault = lookup(offered, name)
	return c, fault
}

// callMembers reads the members of call_method's arguments. Those of the method
// are of any kind here: what can be made of them is known where they are
// transcoded.
func callMembers(arguments []byte) (name string, inner []byte, fault *transcode.ArgumentError) {
	fault = readMembers(arguments, []member{
		required(&name),
		{name: "arguments", read: func(value []byte) string { inner = value; return "" }},
	}, "put the arguments of the method under \"arguments\"")
	return name, inner, fault
}

// namedByCall returns the name of the method that call_method is asked for; ""
// for none, and for another tool.
func namedByCall(params mcp.CallToolParams) string {
	if params.Name != catalog.CallMethod {
		return ""
	}
	name, _, _ := callMembers(params.Arguments)
	return name
}

// lookup finds the tool that an argument names.
func lookup(offered *catalog.Catalog, name string) (*catalog.Tool, *transcode.ArgumentError) {
	if tool, ok := offered.Lookup(name); ok {
		return tool, nil
	}
	what, mend := unknownText(offered, name)
	if mend == "" {
		mend = catalog.SearchMethods + " finds those there are"
	}
	return nil, &transcode.ArgumentError{Path: "name", Reason: what, Hint: mend}
}

// required is the member with the name of a method.
func required(name *string) member {
	return member{name: "name", needs: catalog.SearchMethods + " finds it", read: text(name)}
}

// appendDescription appends the definition of a tool as describe_method gives it:
// with more in its input schema than a list of all tools can afford.
func appendDescription(dst []byte, t *catalog.Tool) []byte {
	d := &t.Definition
	o := openFields(dst)
	o.text("name", d.Name)
	o.optional("title", d.Title)
	o.text("description", d.Description)
	o.text("method", string(t.Method.FullName()))
	o.text("backend", t.Backend.Name())
	o.raw("inputSchema", t.FullInput())
	o.raw("outputSchema", d.OutputSchema)
	hints := openFields(nil)
	hints.flag("readOnlyHint", d.Hints.ReadOnly)
	hints.flag("destructiveHint", d.Hints.Destructive)
	hints.flag("idempotentHint", d.Hints.Idempotent)
	hints.flag("openWorldHint", d.Hints.OpenWorld)
	o.raw("annotations", hints.close())
	return o.close()
}
