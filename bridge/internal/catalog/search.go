package catalog

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/search"
)

// Searching says that tools/list names search_methods, describe_method and call_method in place of the tools;
// [Catalog.Tool] finds those all the same.
func (c *Catalog) Searching() bool { return c.searching }

// Query asks for tools.
type Query struct {
	// Text says in plain language what a tool is to do; what has no words fits all.
	Text string
	// Backend is the name of the only backend of which tools are wanted, "" for all.
	Backend string
	// Service is the full or the simple name of the only service of which tools are wanted, in any letter case, or a pattern in
	// the language of [CheckPattern] that is held against full names, of at most [MaxServiceFilter] bytes; "" for all.
	Service string
	// ReadOnly chooses between the tools that say that they change nothing, with true, and all others; nil for both.
	ReadOnly *bool
}

// Search returns the tools that a query fits, the best first. Without words they are sorted by name. The slice is the caller's.
func (c *Catalog) Search(q Query) []*Tool {
	s := selection{Query: q, services: map[protoreflect.FullName]bool{}}
	places := c.index().Search(q.Text, func(i int) bool { return s.admits(c.tools[i]) })
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
	method := dotted(name)
	if t := c.byMethod[method]; t != nil && !c.several[method] {
		return t, true
	}
	return nil, false
}

// Backends returns the names of the backends that have tools, sorted. The slice is shared: do not change it.
func (c *Catalog) Backends() []string { return c.backends }

// FullInput is the input schema with all that there is room for, for a reader that asks for this tool alone; one that was given
// is as it is. It is made anew each time.
func (t *Tool) FullInput() []byte {
	if t.Subject.RawInput || !t.Subject.Portable {
		return t.Definition.InputSchema
	}
	generator := schema.New(t.Subject.Reader, schema.Portable)
	if t.Method.IsStreamingClient() {
		return generator.FullStream(t.Method.Input()).JSON
	}
	return generator.Full(t.Method.Input()).JSON
}

// maxSummary bounds, in characters, what a list of hits says of each.
const maxSummary = 160

// Summary is one line about the tool: the first sentence of its description that tells what it does, behind the one that says
// that it is deprecated, or, of a description that is made from names, what is not the name.
func (t *Tool) Summary() string {
	rest := t.said()
	if rest != t.Definition.Description {
		return annotation.Cut(rest, maxSummary)
	}
	sentence := annotation.Sentence(rest)
	if isNotice(sentence) {
		purpose := annotation.Sentence(strings.TrimSpace(rest[min(len(sentence), len(rest)):]))
		sentence = strings.TrimSpace(sentence + " " + purpose)
	}
	return annotation.Cut(sentence, maxSummary)
}

// said is the description without the sentence that only repeats the method's name.
func (t *Tool) said() string {
	text, repeated := t.Definition.Description, fmt.Sprintf("Calls %s. ", t.Method.FullName())
	if rest, ok := strings.CutPrefix(text, deprecation+repeated); ok {
		return deprecation + rest
	}
	return strings.TrimPrefix(text, repeated)
}

// selection is a query on its way through the tools.
type selection struct {
	Query
	services map[protoreflect.FullName]bool // whether the filter names them, so far as they have been met
}

// admits says whether a tool is of those that are wanted at all.
func (s *selection) admits(t *Tool) bool {
	return (s.Backend == "" || t.Backend.Name() == s.Backend) &&
		(s.ReadOnly == nil || isTrue(t.Definition.Hints.ReadOnly) == *s.ReadOnly) &&
		(s.Service == "" || s.names(t.Method.Parent().FullName()))
}

// names says whether the filter for services names one, which is found out once for all its methods.
func (s *selection) names(service protoreflect.FullName) bool {
	named, met := s.services[service]
	if !met {
		named = isService(s.Service, service)
		s.services[service] = named
	}
	return named
}

// MaxServiceFilter bounds, in bytes, the filter for services of a [Query]; what is longer names none.
const MaxServiceFilter = 256

// isService says whether a service is among those that a filter names.
func isService(filter string, service protoreflect.FullName) bool {
	if len(filter) > MaxServiceFilter {
		return false
	}
	full := string(service)
	return strings.EqualFold(filter, string(service.Name())) || strings.EqualFold(filter, full) || matches(filter, full)
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
		Name: t.Definition.Name, Method: string(t.Method.FullName()), Title: t.Definition.Title,
		Description: strings.TrimSuffix(t.said(), t.streamed), Streams: t.Stream != nil,
	}
	input, output := t.Definition.InputSchema, t.Definition.OutputSchema
	if s := t.Stream; s != nil && s.Client && !t.Subject.RawInput {
		input = messageIn(input, schema.MessagesKey)
	}
	if s := t.Stream; s != nil && s.Server && !s.LastOnly {
		output = messageIn(output, schema.ItemsKey)
	}
	d.Service = annotation.Comment(t.Method.Parent())
	d.Arguments, d.Texts = readSchema(nil, nil, input, maxNesting)
	d.Results, _ = readSchema(nil, nil, output, maxNesting)
	return d
}

// messageIn is the schema of one message of a stream: what is around it says nothing by which a method is found.
func messageIn(whole []byte, key string) []byte {
	for _, name := range []string{"properties", key, "items"} {
		whole, _ = jsonrpc.Find(whole, name)
	}
	return whole
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
