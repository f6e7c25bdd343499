package catalog

import "github.com/mcpgrpc/bridge/bridge/internal/mcp"

// The names of the tools that stand for all others where [Catalog.Searching] says so.
const (
	// SearchMethods finds methods.
	SearchMethods = "search_methods"
	// DescribeMethod gives the definition of one.
	DescribeMethod = "describe_method"
	// CallMethod calls one.
	CallMethod = "call_method"
)

// How many methods search_methods returns.
const (
	// DefaultHits is for a call that does not say.
	DefaultHits = 10
	// MaxHits is the bound of what a call may say.
	MaxHits = 50
)

// shown are the tools that tools/list names, sorted. In search mode they are the same whatever there is: a client need not ask
// again, and what a model provider keeps of them stays good.
func (c *Catalog) shown() []*mcp.Tool {
	if c.searching {
		three := []*mcp.Tool{callMethod(), describeMethod(), searchMethods()}
		for _, t := range three {
			if c.noOutput {
				t.OutputSchema = nil
			}
		}
		return three
	}
	all := make([]*mcp.Tool, len(c.tools))
	for i, t := range c.tools {
		all[i] = &t.Definition
	}
	return all
}

// looks are the hints of a tool that looks things up in what the bridge knows.
func looks() mcp.Hints {
	return mcp.Hints{ReadOnly: new(true), Destructive: new(false), Idempotent: new(true), OpenWorld: new(false)}
}

// callMethod is the definition of call_method. It has no hints, for what it does is what the method does.
func callMethod() *mcp.Tool {
	return &mcp.Tool{
		Name:  CallMethod,
		Title: "Call a method",
		Description: "Calls one method and returns its result. Find the method with search_methods and read its inputSchema with " +
			"describe_method first: arguments must fit it. What the call changes is what the method changes; describe_method tells " +
			"in annotations whether it is read-only or destructive. An error says which argument to correct, or whether the same call " +
			"may be repeated.",
		InputSchema: []byte(`{"type":"object","properties":{` +
			`"name":{"type":"string","description":"The method's name as search_methods gives it, or its full gRPC name."},` +
			`"arguments":{"type":"object","properties":{},"description":"The method's arguments, as its inputSchema in describe_method ` +
			`says. Leave it out for a method without arguments."}},"required":["name"]}`),
	}
}

// describeMethod is the definition of describe_method.
func describeMethod() *mcp.Tool {
	return &mcp.Tool{
		Name:  DescribeMethod,
		Title: "Describe a method",
		Description: "Gives the whole definition of one method: what it does, the JSON Schemas of its arguments and of its result, and " +
			"whether it changes anything. Use it between search_methods, which finds the name, and call_method, which takes arguments " +
			"that fit the inputSchema given here.",
		InputSchema: []byte(`{"type":"object","properties":{` +
			`"name":{"type":"string","description":"The method's name as search_methods gives it, or its full gRPC name."}},` +
			`"required":["name"]}`),
		OutputSchema: []byte(`{"type":"object","properties":{` +
			`"name":{"type":"string","description":"What call_method takes."},` +
			`"title":{"type":"string"},` +
			`"description":{"type":"string"},` +
			`"method":{"type":"string","description":"The full gRPC name."},` +
			`"backend":{"type":"string","description":"The server that has the method."},` +
			`"inputSchema":{"type":"object","properties":{},"description":"The JSON Schema of the arguments."},` +
			`"outputSchema":{"type":"object","properties":{},"description":"The JSON Schema of the result, if it has one."},` +
			`"annotations":{"type":"object","properties":{` +
			`"readOnlyHint":{"type":"boolean"},"destructiveHint":{"type":"boolean"},` +
			`"idempotentHint":{"type":"boolean"},"openWorldHint":{"type":"boolean"}},` +
			`"description":"What is known of the effects; what is missing is not known."}}}`),
		Hints: looks(),
	}
}

// searchMethods is the definition of search_methods.
func searchMethods() *mcp.Tool {
	return &mcp.Tool{
		Name:  SearchMethods,
		Title: "Search methods",
		Description: "Finds methods by what they do. This is the first of three steps: search_methods finds a method's name, " +
			"describe_method gives its arguments, call_method calls it. Ask in plain words, one purpose at a time, such as " +
			"\"list the books of an author\"; the best come first. If none fits, use other words, or query \"\" with a filter to see all " +
			"that there are.",
		InputSchema: []byte(`{"type":"object","properties":{` +
			`"query":{"type":"string","description":"What the method is to do, in plain words, or a name. An empty string finds all."},` +
			`"backend":{"type":"string","description":"Only methods of this backend, as named in results."},` +
			`"service":{"type":"string","description":"Only methods of this gRPC service: its name, as in LibraryService or ` +
			`library.v1.LibraryService, or a pattern for full names in which * stands for any characters."},` +
			`"readOnly":{"type":"boolean","description":"true: only methods that change nothing; false: only others. Leave it out for both."},` +
			`"limit":{"type":"integer","description":"How many methods at most: 1 to 50, 10 if left out."}},"required":["query"]}`),
		OutputSchema: []byte(`{"type":"object","properties":{` +
			`"methods":{"type":"array","description":"The best first.","items":{"type":"object","properties":{` +
			`"name":{"type":"string","description":"What describe_method and call_method take."},` +
			`"title":{"type":"string"},` +
			`"description":{"type":"string","description":"The first sentence; describe_method has the rest."},` +
			`"method":{"type":"string","description":"The full gRPC name."},` +
			`"backend":{"type":"string","description":"The server that has the method, where there are several."},` +
			`"readOnly":{"type":"boolean","description":"Whether it changes nothing; missing where that is not known."},` +
			`"destructive":{"type":"boolean","description":"Whether it may destroy something; missing where that is not known."}}}},` +
			`"total":{"type":"integer","description":"How many fit, those beyond limit included."},` +
			`"hint":{"type":"string","description":"What to try where none fits."}}}`),
		Hints: looks(),
	}
}
