package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// list is one of the four lists.
type list struct {
	name     mcp.List
	keys     []string // names or addresses, sorted
	entries  []entry  // parallel to keys
	pageSize int
	listings map[mcp.Features]*listing
}

// entry is what stands in a list.
type entry interface {
	AppendJSON(dst []byte, f mcp.Features) []byte
}

// listing is a list as peers with certain features see it.
type listing struct {
	pages   []*Page
	entries [][]byte // each entry's JSON, within pages
}

// list makes the lists, and serialises the pages that are asked for in advance.
func (c *Catalog) list(opts Options) {
	lists := []*list{{name: mcp.ListTools}, {name: mcp.ListResources}, {name: mcp.ListResourceTemplates}, {name: mcp.ListPrompts}}
	for _, d := range c.shown() {
		lists[0].add(d.Name, d)
	}
	for _, r := range c.resources {
		lists[1].add(r.Definition.URI, &r.Definition)
	}
	for _, t := range c.templates {
		lists[2].add(t.Definition.URITemplate, &t.Definition)
	}
	for _, p := range c.prompts {
		lists[3].add(p.Definition.Name, &p.Definition)
	}
	c.lists = map[mcp.List]*list{}
	for _, l := range lists {
		c.lists[l.name] = l
		l.prepare(opts)
	}
}

func (l *list) add(key string, e entry) {
	l.keys, l.entries = append(l.keys, key), append(l.entries, e)
}

// prepare serialises the list for the features that are known in advance.
func (l *list) prepare(opts Options) {
	if l.pageSize = opts.PageSize; l.pageSize <= 0 {
		l.pageSize = DefaultPageSize
	}
	l.listings = make(map[mcp.Features]*listing, len(opts.Features))
	for _, f := range opts.Features {
		if l.listings[f] == nil {
			l.listings[f] = l.serialise(f)
			for _, page := range l.listings[f].pages {
				page.keep()
			}
		}
	}
}

// serialise makes a listing. What peers of one revision see is mostly what those of another do: pages with equal bytes are kept
// once.
func (l *list) serialise(f mcp.Features) *listing {
	made := &listing{}
	var page []byte
	for chunk := range slices.Chunk(l.entries, l.pageSize) {
		ends := make([]int, 0, len(chunk))
		page = append(page[:0], '[')
		for _, e := range chunk {
			page = append(e.AppendJSON(page, f), ',')
			ends = append(ends, len(page)-1)
		}
		page[len(page)-1] = ']'
		made.add(l.shared(len(made.pages), page), ends)
	}
	return made
}

// shared returns a page with the given bytes, which are written over afterwards: that of another listing in the same place, or
// a copy.
func (l *list) shared(place int, page []byte) *Page {
	for _, other := range l.listings {
		if bytes.Equal(other.pages[place].json, page) {
			return other.pages[place]
		}
	}
	return &Page{json: slices.Clone(page)}
}

// add adds a page whose entries end where they are said to.
func (l *listing) add(page *Page, ends []int) {
	l.pages = append(l.pages, page)
	start := 1
	for _, end := range ends {
		l.entries = append(l.entries, page.json[start:end])
		start = end + 1
	}
}

// Offers reports whether there is anything in a list.
func (c *Catalog) Offers(list mcp.List) bool {
	l := c.lists[list]
	return l != nil && len(l.keys) > 0
}

// Page returns one page of a list, sorted by name or by address, as a finished JSON array that must not be changed, and
// the cursor of the next page, "" for none. An empty cursor asks for the first page. A cursor says which entry came
// last, so it stays good when the catalog was replaced meanwhile: an entry that both have is neither repeated nor left
// out. One that this function did not make, or that it made for another list, is -32602. A list that there is not is empty.
func (c *Catalog) Page(list mcp.List, f mcp.Features, cursor string) (page []byte, next string, err *jsonrpc.Error) {
	found, next, err := c.FindPage(list, f, cursor)
	if err != nil {
		return nil, "", err
	}
	return found.json, next, nil
}

// FindPage is [Catalog.Page] for who may send the page compressed. The page is not nil where there is no error.
func (c *Catalog) FindPage(list mcp.List, f mcp.Features, cursor string) (page *Page, next string, err *jsonrpc.Error) {
	start, l := 0, c.lists[list]
	if cursor != "" {
		last, ok := parseCursor(list, cursor)
		if !ok {
			return nil, "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
				"unknown cursor: send the nextCursor of a page of the same list, or none for the first page")
		}
		if l != nil {
			start = l.after(last)
		}
	}
	if l == nil || start == len(l.keys) {
		return &Page{json: []byte("[]")}, "", nil
	}
	page, next = l.page(start, f)
	return page, next, nil
}

// after returns the index of the first entry behind a key.
func (l *list) after(last string) int {
	i, found := slices.BinarySearch(l.keys, last)
	if found {
		i++
	}
	return i
}

// page returns the page that begins at start.
func (l *list) page(start int, f mcp.Features) (page *Page, next string) {
	end := min(start+l.pageSize, len(l.keys))
	if end < len(l.keys) {
		next = newCursor(l.name, l.keys[end-1])
	}
	made := l.listings[f]
	if made == nil {
		made = l.serialise(f)
	}
	if start%l.pageSize == 0 {
		return made.pages[start/l.pageSize], next
	}
	return &Page{json: made.join(start, end)}, next
}

// join makes a page that begins elsewhere than those made in advance.
func (l *listing) join(start, end int) []byte {
	page := []byte{'['}
	for _, e := range l.entries[start:end] {
		page = append(append(page, e...), ',')
	}
	page[len(page)-1] = ']'
	return page
}

// checkLength is the number of bytes in a cursor that tell it from an invented one, and from one of another list. They are
// no secret and protect nothing: they turn a mistake into an error where it is made.
const checkLength = 6

func newCursor(list mcp.List, last string) string {
	return base64.RawURLEncoding.EncodeToString(append(check(list, last), last...))
}

// parseCursor makes the cursor again and compares: base64 has more than one spelling for the same bytes.
func parseCursor(list mcp.List, cursor string) (last string, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) <= checkLength {
		return "", false
	}
	last = string(raw[checkLength:])
	return last, newCursor(list, last) == cursor
}

func check(list mcp.List, last string) []byte {
	sum := sha256.Sum256([]byte(string(list) + "/list " + last))
	return sum[:checkLength]
}
