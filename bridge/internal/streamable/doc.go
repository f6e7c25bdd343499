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
//	version, headers against body, session      the gate's word
//
// A request is answered by one application/json body in one write, everything else by 202 without a body.
//
// # Settings of the http.Server around it
//
// The handler sets the read deadline of each request itself (Config.BodyTimeout). The server still has to set
// ReadHeaderTimeout (5 s), IdleTimeout (60 to 120 s) and MaxHeaderBytes (32 KiB), and must leave WriteTimeout alone: it
// would cut off long calls. It should be ended by Shutdown, not by cancelling its BaseContext, which the handler cannot
// tell from a client that left.
package streamable
