package server

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// searchMethods answers search_methods.
func searchMethods(offered *catalog.Catalog, arguments []byte) (*mcp.CallToolResult, *transcode.ArgumentError) {
	var q catalog.Query
	limit := catalog.DefaultHits
	fault := readMembers(arguments, []member{
		{name: "query", needs: `say in plain words what the method is to do, or "" for all`, read: text(&q.Text)},
		{name: "backend", read: text(&q.Backend)},
		{name: "service", read: text(&q.Service)},
		{name: "readOnly", read: flag(&q.ReadOnly)},
		{name: "limit", read: whole(&limit, 1, catalog.MaxHits)},
	}, "")
	backends := offered.Backends()
	if fault = cmp.Or(fault, refuseFilters(q, backends)); fault != nil {
		return nil, fault
	}
	found := offered.Search(q)
	hint := ""
	if len(found) == 0 {
		hint = cmp.Or(offered.NoService(q.Service, q.Backend), nothingFound)
	}
	return &mcp.CallToolResult{Structured: appendFound(nil, found, limit, len(backends) > 1, hint)}, nil
}

// refuseFilters says what is wrong with a filter that nothing can pass.
func refuseFilters(q catalog.Query, backends []string) *transcode.ArgumentError {
	if q.Backend != "" && !slices.Contains(backends, q.Backend) {
		return &transcode.ArgumentError{
			Path: "backend", Reason: fmt.Sprintf("there is no backend %q", jsonrpc.Echo(q.Backend)),
			Hint: "there are: " + jsonrpc.Clip(cmp.Or(strings.Join(backends, ", "), "none"), maxBackends),
		}
	}
	if q.Service == "" {
		return nil
	}
	if n := len(q.Service); n > catalog.MaxServiceFilter {
		return &transcode.ArgumentError{
			Path: "service", Reason: fmt.Sprintf("want at most %d bytes, got %d", catalog.MaxServiceFilter, n),
			Hint: "give the name of one service, or a shorter pattern",
		}
	}
	if err := catalog.CheckPattern(q.Service); err != nil {
		return &transcode.ArgumentError{Path: "service", Reason: jsonrpc.Clip(err.Error(), maxBackends)}
	}
	return nil
}

// maxBackends bounds, in bytes, what an error lists.
const maxBackends = 500

// nothingFound is what a model can try where nothing fits.
const nothingFound = `no method fits: use other words, one purpose at a time, or fewer filters; query "" lists all`

// appendFound appends the result of search_methods: as many as the limit allows,
// how many there are, and a hint, "" for none.
func appendFound(dst []byte, found []*catalog.Tool, limit int, several bool, hint string) []byte {
	list := []byte{'['}
	for i, t := range found[:min(limit, len(found))] {
		if i > 0 {
			list = append(list, ',')
		}
		list = appendHit(list, t, several)
	}
	o := openFields(dst)
	o.raw("methods", append(list, ']'))
	o.number("total", len(found))
	o.optional("hint", hint)
	return o.close()
}

// appendHit appends what search_methods tells of a tool; several says that there
// is more than one backend to tell apart.
func appendHit(dst []byte, t *catalog.Tool, several bool) []byte {
	d := &t.Definition
	o := openFields(dst)
	o.text("name", d.Name)
	o.optional("title", d.Title)
	o.text("description", t.Summary())
	o.text("method", string(t.Method.FullName()))
	if several {
		o.text("backend", t.Backend.Name())
	}
	o.flag("readOnly", d.Hints.ReadOnly)
	o.flag("destructive", d.Hints.Destructive)
	return o.close()
}
