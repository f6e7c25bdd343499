// Package lifecycle is the gate: it decides of every message which era and
// version it belongs to, whether it may be served now, for whom, and when
// serving it is to stop. It knows no method's content.
//
// Both eras go through one [Gate], on one HTTP endpoint and on one stdio
// stream. What differs between them is in two files: legacy.go (a handshake,
// then a version and capabilities that hold for the session or the stream) and
// modern.go (a version and capabilities on every request, and nothing kept).
// Both turn a version into [mcp.Features]; nobody else compares versions.
//
// A transport gets a [Conn]: on stdio one for the stream's life ([Gate.Stream]),
// on HTTP one for each POST ([Gate.Post], which also holds headers against the
// body and finds the session; [Gate.Batch] for several messages in one) and for
// each GET ([Gate.Open]). With it the server has a request admitted
// ([Gate.Begin]) or a notification noted ([Gate.Notify]), and remembers what a
// legacy client wants to be told of: its log level and its subscriptions. An open
// stream is attached to its session ([Conn.Attach]) and ends with it. A legacy
// client can be asked something on the stream of its request ([Conn.Ask]), and its
// answer comes by a message of its own ([Conn.Answer]).
//
// A request carrying per-request metadata is modern; any other is legacy and
// needs the handshake first. So a client may discover, then choose a legacy
// version and initialize, or use both eras in turn on one stream.
package lifecycle
