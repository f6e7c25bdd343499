package catalog

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"sort"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// listing is the list of tools as peers with certain features see it.
type listing struct {
	pages [][]byte // JSON arrays
	tools [][]byte // each tool's JSON, within pages
}

// list serialises the pages that are asked for in advance.
func (c *Catalog) list(opts Options) {
	if c.pageSize <= 0 {
		c.pageSize = DefaultPageSize
	}
	c.listings = make(map[mcp.Features]*listing, len(opts.Features))
	for _, f := range opts.Features {
		if c.listings[f] == nil {
			c.listings[f] = c.serialise(f)
		}
	}
}

func (c *Catalog) serialise(f mcp.Features) *listing {
	l := &listing{}
	for chunk := range slices.Chunk(c.tools, c.pageSize) {
		page, ends := []byte{'['}, make([]int, 0, len(chunk))
		for _, t := range chunk {
			page = append(t.Definition.AppendJSON(page, f), ',')
			ends = append(ends, len(page)-1)
		}
		page[len(page)-1] = ']'
		page = slices.Clip(page)
		start := 1
		for _, end := range ends {
			l.tools = append(l.tools, page[start:end])
			start = end + 1
		}
		l.pages = append(l.pages, page)
	}
	return l
}

// Page returns one page of the list of tools, sorted by name, as a finished JSON array that must not be changed, and
// the cursor of the next page, "" for none. An empty cursor asks for the first page. A cursor says which name came
// last, so it stays good when the catalog was replaced meanwhile: a tool that both have is neither repeated nor left
// out. One that this function did not make is -32602.
func (c *Catalog) Page(f mcp.Features, cursor string) (tools []byte, next string, err *jsonrpc.Error) {
	start := 0
	if cursor != "" {
		last, ok := parseCursor(cursor)
		if !ok {
			return nil, "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown cursor: send the nextCursor of a page, or none for the first page")
		}
		start = sort.Search(len(c.names), func(i int) bool { return c.names[i] > last })
	}
	end := min(start+c.pageSize, len(c.names))
	if start == end {
		return []byte("[]"), "", nil
	}
	if end < len(c.names) {
		next = newCursor(c.names[end-1])
	}
	l := c.listings[f]
	if l == nil {
		l = c.serialise(f)
	}
	if start%c.pageSize == 0 {
		return l.pages[start/c.pageSize], next, nil
	}
	return l.join(start, end), next, nil
}

// join makes a page that begins elsewhere than those made in advance.
func (l *listing) join(start, end int) []byte {
	page := []byte{'['}
	for _, tool := range l.tools[start:end] {
		page = append(append(page, tool...), ',')
	}
	page[len(page)-1] = ']'
	return page
}

// checkLength is the number of bytes in a cursor that tell it from an invented one. They are no secret and protect
// nothing: they turn a mistake into an error where it is made.
const checkLength = 6

func newCursor(last string) string {
	return base64.RawURLEncoding.EncodeToString(append(check(last), last...))
}

// parseCursor makes the cursor again and compares: base64 has more than one spelling for the same bytes.
func parseCursor(cursor string) (last string, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) <= checkLength {
		return "", false
	}
	last = string(raw[checkLength:])
	return last, newCursor(last) == cursor
}

func check(last string) []byte {
	sum := sha256.Sum256([]byte("tools/list " + last))
	return sum[:checkLength]
}
