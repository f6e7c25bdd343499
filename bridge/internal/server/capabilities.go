package server

import (
	"slices"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// offer is a catalog and whether another one may follow it.
type offer struct {
	*catalog.Catalog
	// open says that what is not offered now may be later on.
	open bool
}

// offer returns what is offered now.
func (s *Server) offer() offer {
	now := s.catalog()
	return offer{now, s.reloads || reloads(now)}
}

// reloads reports whether there is a method after which the catalog is made
// again.
func reloads(c *catalog.Catalog) bool {
	return slices.ContainsFunc(c.Tools(), func(t *catalog.Tool) bool { return t.ReloadAfter }) ||
		slices.ContainsFunc(c.Prompts(), func(p *catalog.Prompt) bool { return p.ReloadAfter }) ||
		slices.ContainsFunc(c.Resources(), func(r *catalog.Resource) bool { return r.Reading.ReloadAfter }) ||
		slices.ContainsFunc(c.ResourceTemplates(), func(t *catalog.ResourceTemplate) bool { return t.Reading.ReloadAfter })
}

// capabilities are what the method table and the catalog have together: of
// prompts, resources and subscriptions a server without any says nothing. Where
// prompts and resources may yet come, a client that asks only once has to know
// it: they and what belongs to prompts are declared from the start. Subscriptions
// are not, because most resources cannot be watched.
func (o offer) capabilities() mcp.ServerCapabilities {
	return mcp.ServerCapabilities{
		Tools:       true,
		Prompts:     o.prompts(),
		Resources:   o.resources(),
		ListChanged: true,
		Subscribe:   o.Watched(),
		Completions: o.prompts() || o.Offers(mcp.ListResourceTemplates),
		Logging:     true,
		Tasks:       o.open || slices.ContainsFunc(o.Tools(), func(t *catalog.Tool) bool { return t.Task != catalog.Never }),
	}
}

// prompts reports whether there is a prompt or may be one.
func (o offer) prompts() bool { return o.open || o.Offers(mcp.ListPrompts) }

// resources reports whether there is a resource or a template of some, or may be
// one.
func (o offer) resources() bool {
	return o.open || o.Offers(mcp.ListResources) || o.Offers(mcp.ListResourceTemplates)
}
