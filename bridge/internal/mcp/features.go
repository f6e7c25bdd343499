package mcp

// Features says what a peer understands. It is comparable and serves as a map
// key: what is serialised once for all peers is serialised once for each
// distinct Features. The zero value is the oldest revision, 2024-11-05.
type Features struct {
	// Modern is the stateless model of 2026-07-28: results carry resultType and
	// the server's identity in _meta, cacheable results carry hints.
	Modern bool
	// Annotations are hints about a tool's effects (2025-03-26).
	Annotations bool
	// Titles are names for people beside the names for programs (2025-06-18).
	Titles bool
	// OutputSchemas are outputSchema in a tool and structuredContent in its
	// result (2025-06-18).
	OutputSchemas bool
	// AnyOutput lifts the rule that both are of type object (2026-07-28).
	AnyOutput bool
	// ToolMeta is the _meta member of a tool (2025-06-18).
	ToolMeta bool
	// ServerDescriptions are description and websiteUrl of an [Implementation]
	// (2025-11-25).
	ServerDescriptions bool
	// Audio is sound as content (2025-03-26).
	Audio bool
	// Completions is the capability of that name, which 2024-11-05 does not
	// declare (2025-03-26).
	Completions bool
	// ResourceLinks are links as content (2025-06-18).
	ResourceLinks bool
	// LastModified is that annotation of content and resources (2025-06-18).
	LastModified bool
	// Batches are JSON-RPC batches (2025-03-26, and no other revision).
	Batches bool
	// Polling is the priming event, after which a server may close the stream of
	// a call and its client comes back for the rest (2025-11-25, and no other).
	Polling bool
	// ParamHeaders are arguments repeated in headers, x-mcp-header (2026-07-28).
	ParamHeaders bool
	// ProgressMessages are texts in progress notifications (2025-03-26).
	ProgressMessages bool
	// Elicitation is that a server may ask the user to fill in a form (2025-06-18).
	Elicitation bool
	// URLElicitation is that it may send the user to a page, and says which of the
	// two it wants (2025-11-25).
	URLElicitation bool
	// SamplingTools are tools for the model that a server may sample from
	// (2025-11-25).
	SamplingTools bool
	// Tasks are calls that go on behind their answer, by an extension (2026-07-28).
	Tasks bool
}
