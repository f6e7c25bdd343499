package catalog

import "github.com/mcpgrpc/bridge/bridge/internal/search"

// Searching says that tools/list names search_methods, describe_method and call_method in place of the tools, which are all
// the same found by [Catalog.Tool].
func (c *Catalog) Searching() bool { return c.searching }

// Index is that of the tools, by their places in [Catalog.Tools]. It is made with the first use.
func (c *Catalog) Index() *search.Index { return c.index() }
