// Package jsonrpc is the envelope: JSON-RPC 2.0 messages as the Model Context
// Protocol restricts them, read strictly and written by appending.
//
// Reading. [Decode] takes the bytes of one message and goes over them once. It
// refuses all that two parsers could understand differently: a name given
// twice in one object (at any depth, compared after unescaping), invalid
// UTF-8, lone surrogates, unescaped control characters, anything after the
// value; and what costs more than it is worth: nesting and tokens over
// [Limits], number literals over 64 characters. Member names match exactly:
// "Method" and "method\u0000" are unknown members, and unknown members are read
// strictly and then ignored. Params, result and error data stay raw: they are
// slices of the input, already checked, and nothing needs to check them again.
// [Check] is the same pass over any JSON value, and [DecodeBatch] the one for
// peers that may send several messages in an array.
//
// Looking inside. [Members], [Pairs], [Elements], [Find] and [Unquote] walk
// raw JSON that came out of Decode or Check, without decoding what they pass.
// On other input they stop early; they never panic.
//
// Writing. The Append functions add one finished message, without a newline,
// to a buffer and return it, like the built-in append. They trust that raw
// JSON given to them is JSON.
//
// The package holds no state; all its functions may be called concurrently.
package jsonrpc
