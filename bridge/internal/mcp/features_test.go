package mcp_test

import "github.com/mcpgrpc/bridge/bridge/internal/mcp"

// What the revisions have, as this package's tests need it.
var (
	oldest = mcp.Features{}
	march  = mcp.Features{Annotations: true}
	june   = mcp.Features{Annotations: true, Titles: true, OutputSchemas: true, ToolMeta: true}
	newest = mcp.Features{
		Modern: true, Annotations: true, Titles: true, OutputSchemas: true, AnyOutput: true, ToolMeta: true, ServerDescriptions: true,
	}
)
