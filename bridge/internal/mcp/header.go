package mcp

// HeaderParam is an argument of a tool that its clients repeat in the header
// Mcp-Param-<Name> (2026-07-28 basic/transports/streamable-http, x-mcp-header).
type HeaderParam struct {
	// Name is the header's name without Mcp-Param-, in the spelling of the schema.
	Name string
	// Path are the names of the members that lead to the argument, from the
	// arguments object on; never empty.
	Path []string
	// Aliases are, for each name of Path, the other spellings under which the
	// argument is accepted too; nil, or shorter than Path, where there are none.
	// Without them a client could pass the argument by the header.
	Aliases [][]string
	// Integer says that values are compared as numbers.
	Integer bool
}
