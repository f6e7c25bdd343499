// Package mcp holds the nouns of the Model Context Protocol: versions, method
// names, error codes, and the params and results that the bridge reads and
// writes, in the words of the specification's schema.
//
// It has no behaviour of a server: it keeps no state, answers nothing and
// decides nothing about eras. What a peer understands is told by [Features];
// the functions that write JSON take it and leave out what the peer's revision
// does not have. Only package lifecycle maps a [Version] to Features.
//
// Reading: the Parse functions take the raw params of a message that came out
// of [jsonrpc.Decode], so duplicate names, depth and UTF-8 are settled; their
// errors are -32602 and name the member. What they return aliases the params.
//
// Writing: the Append functions add compact JSON to a buffer and return it,
// like the built-in append. Raw JSON given to them is trusted to be JSON.
//
// All functions and values may be used concurrently as long as nobody writes
// to the values.
package mcp
