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
//	method other than POST, GET, DELETE   405
//
// of a POST then:
//
//	Content-Type, Content-Encoding        415
//	Accept excludes application/json      406
//	headers of Config.Forward             400   where they cannot be metadata
//	Config.MaxCalls are served            503   with Retry-After, before the body is read; in a session behind it, since
//	                                            answers and notifications are let in
//	body too large, late, cut short       413, 408, 400; late when drained is 503
//	not JSON, not JSON-RPC                400   -32700, -32600; in a batch an error for the element alone
//	Handler.Close was called              503   with Retry-After
//	version, headers against body, session      the gate's word; a batch is 400 but in 2025-03-26
//	too much asked for by its caller      429   the server's word, with Retry-After; in a batch an error for the element alone
//	Config.MaxStreams are open            503   with Retry-After; subscriptions/listen alone
//
// and of a GET:
//
//	Accept excludes text/event-stream     406
//	a body                                400
//	Handler.Close was called              503   with Retry-After
//	version, session                            the gate's word: 400, 404, 405 in the modern era
//	Last-Event-ID not of this session     400
//	Handler.Drain was called              503   with Retry-After; where no call is resumed
//	Config.MaxStreams are open            503   with Retry-After; for a call that is resumed, Config.MaxCalls
//	too many streams of the session       429   the gate's word, with Retry-After
//	the stream is not kept                404
//
// A body that is not in when its request is refused is read for a second more, since net/http reads on before it answers;
// then the connection is closed.
//
// # What net/http takes
//
// Before all of these checks net/http reads the head, and is laxer there than what stands before it should be. A request
// with both Content-Length and Transfer-Encoding: chunked is served by its chunks; the length is dropped before the handler
// could see it, and the connection stays open, though RFC 9112 section 6.1 would have it closed. A header that goes on in
// the next line (obs-fold) is joined by a space. A line may end with a bare LF. Nothing of that shows here, and so nothing
// of it can be refused here. It does harm where a proxy reads such a request differently and sends others on the same
// connection: a proxy before this handler has to refuse all three.
//
// # Answers
//
// A request is answered by one application/json body in one write (with the page of a list, in three), or, where something
// has to be said before its reply and its client accepts that, by a stream of server-sent events that ends with the reply;
// an error is an event then, too. A batch is answered by the array of its replies, or by a stream that ends with each of
// them. Everything else is answered by 202 without a body.
//
// A page of a list that has 1 KiB at least is sent as gzip where Accept-Encoding says so, from what catalog.Page keeps, and
// has Vary either way. Nothing else is compressed: no stream and no batch, and nothing that a backend has said.
//
// # Streams
//
// Each event is one write, with a deadline of its own (Config.EventTimeout): a client that stops reading is let go, and
// holds up nobody but its own call, and that for no longer. In the modern era it has cancelled its call by that; in the
// legacy one the call goes on. Comments keep a stream open (Config.KeepAlive), and its session from being taken for unused.
//
// In a legacy session the events of an answer have ids and go through the Config.Journal, also when the client is gone; it
// comes back by a GET with the id of the last event as Last-Event-ID, and takes the place of its earlier connection. An id
// is opaque: it names stream and event, under a MAC that binds it to the session and the handler. The first event of a
// client that knows what it is for (mcp.Features.Polling) is one that has an id alone. To such a client the answer may end
// before its call (server.Call.CloseStreamAfter), with how long to wait (Config.Retry); the call then goes on in a
// goroutine of the handler. A session has one stream for what belongs to no request, by GET: a second takes its place.
// A GET whose place another one takes ends as a stream does that is over, but for its last line, which is how long to wait
// before coming back.
// That is not kept, and coming back to it opens it anew: what has changed meanwhile is announced then. Modern streams
// have no ids.
//
// # Questions
//
// A call of a legacy session may ask its client something (lifecycle.Conn.Ask): the question is an event of the answer, kept
// like any other, so that a client which comes back has it. Its answer is a POST of its own in the session, on whatever
// connection, also when the stream of the question has ended: it gets 202, as one does that answers nothing.
//
// # Ends of a call
//
// A call ends early in three ways. Its client cancels it: by leaving in the modern era, by a notification in the legacy
// one; nothing more is sent, and in the modern era the connection is closed. Its legacy client, and whoever came back to
// its stream here, left Config.OrphanTimeout ago. Or Handler.Close is called, which ends the calls of both eras, and each
// client that is still there, or comes back to this process, gets a last error: it is not known what was carried out.
//
// That an HTTP/1.1 client left is not seen while it has sent the next request on the same connection: net/http reads one
// byte ahead of a running handler and no further, so the end of the connection behind that byte shows after the answer.
//
// # Settings of the http.Server around it
//
// The handler sets the deadlines of each request itself (Config.BodyTimeout, Config.WriteTimeout). The server still has
// to set ReadHeaderTimeout (5 s), IdleTimeout (60 to 120 s) and MaxHeaderBytes (32 KiB), and must leave WriteTimeout
// alone: it would cut off long calls. It is drained in four steps:
//
//	handler.Drain     which ends the streams that would last, by server.RegisterOnShutdown; requests that are not in a
//	                  second later are refused, since they are no calls in flight and must not hold up the next step
//	server.Shutdown   with the time that calls in flight may take; when that is over
//	handler.Close     which ends them, and
//	server.Shutdown   again, with a second or two for their last answers; then server.Close and handler.Wait
//
// Cancelling the server's BaseContext is no step of it: net/http ends the contexts of its requests then as it does when
// clients leave, and so the handler takes it. A legacy call would go on, and a modern client would get no answer.
package streamable
