package mcp

// Version names a revision of the protocol by its date, such as "2025-11-25".
// Versions that a peer names may be any text; nobody but package lifecycle
// compares them.
type Version string

// The revisions of the protocol. The first four are the legacy era (initialize,
// sessions), the last is modern (metadata on every request, no handshake).
const (
	// V20241105 is the first revision.
	V20241105 Version = "2024-11-05"
	// V20250326 brought Streamable HTTP and tool annotations.
	V20250326 Version = "2025-03-26"
	// V20250618 brought structured content, titles and the version header.
	V20250618 Version = "2025-06-18"
	// V20251125 is the last revision with a handshake.
	V20251125 Version = "2025-11-25"
	// V20260728 is the stateless revision.
	V20260728 Version = "2026-07-28"
)
