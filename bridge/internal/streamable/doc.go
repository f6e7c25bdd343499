// Package streamable serves MCP over Streamable HTTP: the edge where bytes and headers become messages. It knows HTTP,
// not what a tool is, nor which revision a request is of: that is the gate's business.
//
// # Order of checks
//
// From the cheapest to the dearest; the first that fails is the answer, a JSON-RPC error that says what to send instead.
//
//	security headers given twice          400
//	Host not served                       403   loopback, and Config.AllowedHosts
//	Origin not allowed                    403   on every method; absent is fine
//	method other than POST and DELETE     405   GET too: no stream of unrelated messages is offered
//	Content-Type, Content-Encoding        415
//	Accept excludes application/json      406
//	body too large, late, cut short       413, 408, 400
//	not JSON, not JSON-RPC                400   -32700, -32600
//	Handler.Close was called              503   with Retry-After
//	version, headers against body, session      the gate's word
//
// A request is answered by one application/json body in one write, everything else by 202 without a body.
//
// # Ends of a call
//
// A call ends early in three ways. Its client cancels it: by leaving in the modern era, by a notification in the legacy
// one; nothing more is sent, and the connection is closed. Its legacy client left Config.OrphanTimeout ago. Or
// Handler.Close is called, which ends the calls of both eras, and each client that is still there gets a last error: it
// is not known what was carried out.
//
// That an HTTP/1.1 client left is not seen while it has sent the next request on the same connection: net/http reads one
// byte ahead of a running handler and no further, so the end of the connection behind that byte shows after the answer.
//
// # Settings of the http.Server around it
//
// The handler sets the deadlines of each request itself (Config.BodyTimeout, Config.WriteTimeout). The server still has
// to set ReadHeaderTimeout (5 s), IdleTimeout (60 to 120 s) and MaxHeaderBytes (32 KiB), and must leave WriteTimeout
// alone: it would cut off long calls. How many requests there are at once, each with up to Config.MaxBody in memory, is
// bounded by how many connections its listener takes. It is drained in three steps:
//
//	server.Shutdown   with the time that calls in flight may take; when that is over
//	handler.Close     which ends them, and
//	server.Shutdown   again, with a second or two for their last answers; then server.Close
//
// Cancelling the server's BaseContext is no step of it: net/http ends the contexts of its requests then as it does when
// clients leave, and so the handler takes it. A legacy call would go on, and a modern client would get no answer.
package streamable
