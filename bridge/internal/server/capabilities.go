package server

import (
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// capabilities are what the method table and the catalog have together: of
// prompts, resources and subscriptions a server without any says nothing.
func capabilities(offered *catalog.Catalog) mcp.ServerCapabilities {
	return mcp.ServerCapabilities{
		Tools:       true,
		Prompts:     offersPrompts(offered),
		Resources:   offersResources(offered),
		ListChanged: true,
		Subscribe:   offered.Watched(),
		Completions: offersPrompts(offered) || offered.Offers(mcp.ListResourceTemplates),
		Logging:     true,
	}
}

// offersPrompts reports whether there is a prompt.
func offersPrompts(offered *catalog.Catalog) bool { return offered.Offers(mcp.ListPrompts) }

// offersResources reports whether there is a resource or a template of some.
func offersResources(offered *catalog.Catalog) bool {
	return offered.Offers(mcp.ListResources) || offered.Offers(mcp.ListResourceTemplates)
}
