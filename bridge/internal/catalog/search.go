package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/search"
)

// Searching says that tools/list names search_methods, describe_method and call_method in place of the tools, which are all
// the same found by [Catalog.Tool].
func (c *Catalog) Searching() bool { return c.searching }

// Index is that of the tools, by their places in [Catalog.Tools]. It is made with the first use.
func (c *Catalog) Index() *search.Index { return c.index() }

// Query asks for tools.
type Query struct {
	// Text says in plain language what a tool is to do; what has no words fits all.
	Text string
	// Backend is the name of the only backend of which tools are wanted, "" for all.
	Backend string
	// Service is the full name of the only service of which tools are wanted, or a pattern in the language of [CheckPattern]
	// that holds for several; "" for all.
	Service string
	// ReadOnly chooses between the tools that say that they change nothing, with true, and all others; nil for both.
	ReadOnly *bool
}

// Search returns the tools that a query fits, the best first. Without words they are sorted by name. The slice is the caller's.
func (c *Catalog) Search(q Query) []*Tool {
	places := c.index().Search(q.Text, func(i int) bool { return q.admits(c.tools[i]) })
	found := make([]*Tool, len(places))
	for i, place := range places {
		found[i] = c.tools[place]
	}
	return found
}

// Lookup finds a tool by its name, by the full name of its method or by its path as gRPC writes it. A method of several
// backends is found by the names of its tools alone.
func (c *Catalog) Lookup(name string) (*Tool, bool) {
	if t, ok := c.byName[name]; ok {
		return t, true
	}
	t := c.byMethod[dotted(name)]
	if t == nil || slices.ContainsFunc(c.tools, func(o *Tool) bool { return o != t && o.Method.FullName() == t.Method.FullName() }) {
		return nil, false
	}
	return t, true
}

// Backends returns the names of the backends that have tools, sorted.
func (c *Catalog) Backends() []string {
	var names []string
	for _, t := range c.tools {
		if name := t.Backend.Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// maxSummary bounds, in characters, what a list of hits says of each.
const maxSummary = 160

// Summary is one line about the tool: the first sentence of its description, or, of a description that is made from names, what
// is not the name.
func (t *Tool) Summary() string {
	if rest := t.said(); rest != t.Definition.Description {
		return annotation.Cut(rest, maxSummary)
	}
	return annotation.Cut(annotation.Sentence(t.Definition.Description), maxSummary)
}

// said is the description without the sentence that only repeats the method's name.
func (t *Tool) said() string {
	return strings.TrimPrefix(t.Definition.Description, fmt.Sprintf("Calls %s. ", t.Method.FullName()))
}

// admits says whether a tool is of those that are wanted at all.
func (q *Query) admits(t *Tool) bool {
	return (q.Backend == "" || t.Backend.Name() == q.Backend) &&
		(q.Service == "" || matches(q.Service, string(t.Method.Parent().FullName()))) &&
		(q.ReadOnly == nil || isTrue(t.Definition.Hints.ReadOnly) == *q.ReadOnly)
}

// makeIndex indexes the tools.
func (c *Catalog) makeIndex() *search.Index {
	documents := make([]search.Document, len(c.tools))
	for i, t := range c.tools {
		documents[i] = document(t)
	}
	return search.New(documents)
}

// document is what a tool is found by.
func document(t *Tool) search.Document {
	d := search.Document{
		Name: t.Definition.Name, Method: string(t.Method.FullName()), Title: t.Definition.Title, Description: t.said(),
	}
	d.Service = annotation.Comment(t.Method.Parent())
	d.Arguments, d.Texts = readSchema(nil, nil, t.Definition.InputSchema, maxNesting)
	d.Results, _ = readSchema(nil, nil, t.Definition.OutputSchema, maxNesting)
	return d
}

// maxNesting bounds how far down a schema is read. Those that are made from messages end before it; one that the options give
// need not.
const maxNesting = 16

// readSchema adds the names of the properties of a schema, and what is said of them, further down included. What it does not
// know of a schema it passes over: nothing depends on it but how well the tool is found.
func readSchema(names, texts []string, schema []byte, nesting int) (allNames, allTexts []string) {
	if nesting == 0 {
		return names, texts
	}
	for keyword, value := range jsonrpc.Pairs(schema) {
		switch string(keyword) {
		case "properties", "$defs":
			for name, property := range jsonrpc.Pairs(value) {
				names, texts = readProperty(append(names, string(name)), texts, property, nesting-1)
			}
		case "items", "additionalProperties":
			names, texts = readSchema(names, texts, value, nesting-1)
		}
	}
	return names, texts
}

// readProperty adds what is said of one property, and what is in it.
func readProperty(names, texts []string, schema []byte, nesting int) (allNames, allTexts []string) {
	said, _ := jsonrpc.Find(schema, "description")
	if text, ok := jsonrpc.Unquote(said); ok {
		texts = append(texts, text)
	}
	return readSchema(names, texts, schema, nesting)
}
