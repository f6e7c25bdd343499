// Package server answers: it holds the one table of methods, turns each
// admitted request into a result or an error, and sorts errors, once, into
// those for the client's program (JSON-RPC errors) and those for its model
// (results with isError).
//
// A transport decodes a message, has it admitted in the order of arrival
// ([Server.Admit]) and runs the admitted [Call] where it likes; what comes out
// is one buffer to be written. The server knows neither HTTP nor stdio, and it
// leaves eras to package lifecycle: a method of the table says in which of the
// two it exists, and results are written for the peer's features.
//
// Each request has one reply, and a notification none. What a client is sent
// beside that goes to a [Sink]: log messages and how far a call has come, before
// the reply of their request and if it asked for them, what a backend asks a
// legacy client, and, to those who listen, that lists or resources have changed.
//
// A call of a backend is one conversation, whatever it is for (see converse): made
// once, and made again with answers as often as the backend asks. A modern client
// carries it from request to request, in a state that is sealed; a legacy one is
// asked while its request waits. The responses of a stream are written into the
// result as they come, up to a bound, at which the stream is ended.
//
// What listeners are told is level-triggered: a listener remembers what its client
// was told, looks, when it is woken, at what there is to tell, and sends the
// difference. So nothing is queued, no list is told twice, a resource rather once
// too often than not at all, and what changed while nobody listened is told to the
// next who does. Listeners send from goroutines
// of their own (a transport's), so that one whose client does not read holds up
// nobody. The hub keeps one stream to the backend for each resource that
// somebody watches.
//
// With telemetry, each request has a span and a duration: also one that the gate
// or the method table refuses, and a stream, which lasts as long as it does. A
// notification has none, and neither has what a transport refuses before it is
// admitted, such as JSON that cannot be read or a session that is not there: that
// is on the span of its HTTP request.
package server
