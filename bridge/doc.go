// Package bridge turns running gRPC services into tools of the Model Context Protocol (MCP). It reads protobuf
// descriptors, derives a tool with schemas and texts from every method, streaming ones included, and translates each MCP call into
// one gRPC call and back. Nothing is generated and nothing changes in the services. By options of bridge.v1 a method can be a
// resource or a prompt too, and answer with pictures, sound and resources.
//
// # Embedding
//
// A [Backend] is a connection and a source of descriptors. [New] makes a [Bridge] of any number of them; a Bridge is an
// [net/http.Handler] for the MCP endpoint (Streamable HTTP) and serves a stdio stream with [Bridge.ServeStdio]. One
// endpoint, and one stdio stream, serve every published revision of the protocol: the legacy era (2024-11-05 to
// 2025-11-25: initialize, sessions) and the modern one (2026-07-28: no handshake, `_meta` on every request).
//
//	conn, err := grpc.NewClient("localhost:50051", grpc.WithTransportCredentials(insecure.NewCredentials()),
//		grpc.WithDisableServiceConfig(), grpc.WithDisableRetry())
//	…
//	b, err := bridge.New(ctx, []bridge.Backend{{Conn: conn}})
//	…
//	http.Handle("/mcp", b)
//
// The last two options of the connection keep the first of the promises below: without them gRPC repeats calls by itself where a
// service config, which may come from DNS, says so.
//
// # One call, room by room
//
// A tools/call passes these packages, each of which knows only its own part:
//
//	streamable, stdio   bytes and headers: Host, Origin, content types, sizes; streams of events and their resumption
//	jsonrpc             the envelope, in one strict pass; params stay raw
//	lifecycle           era, version, session, cancellation: may this request be served, and for whom?
//	telemetry           the span and the duration of the request, and the way of its trace into the backend
//	server              the method table; which tool is meant; errors sorted into protocol and tool errors
//	interaction         what the backend says and asks meanwhile: progress, logs, questions and the sealed state between rounds
//	task                the calls that go on behind their answer
//	limit               is there room for one more call, of this caller and of this backend?
//	transcode           raw JSON arguments → protobuf wire bytes, and back
//	rules               do the arguments keep to what buf.validate says of them?
//	content             what of a response is pictures, sound, texts or resources rather than data
//	backend             one gRPC call over raw bytes: deadline, metadata, status → outcome
//	redact              the arguments and the result for the span, where it is to have them, without what is sensitive
//
// What they serve is a catalog: an immutable set of compiled tools, resources and prompts, built from descriptors
// (descriptor, annotation, shape, schema, lint, search, uritemplate) and swapped atomically on [Bridge.Reload]. A call in flight keeps the
// catalog that it began with, and clients that listen are told of the change.
//
// What a legacy session has asked for outlives its requests: package session keeps it, and the journal of the streams that
// a client may come back to.
//
// The import order of these packages is a test (layers_test.go).
//
// # Several backends
//
// All backends together have one catalog. One that is down takes only the calls of its own tools with it, and its tools stay
// listed; one that cannot be described at the start is read again until it can. [Bridge.Replace] serves other backends without
// dropping a call, and [Backend.Release] says when a connection can be closed. [Bridge.Health] says how they are.
//
// # Telemetry
//
// With [WithTelemetry] each request is a SERVER span by the semantic conventions of OpenTelemetry for MCP, below the place that
// its `_meta` names, and there are metrics of requests, sessions, reloads and of what is offered. The bridge uses the API of
// OpenTelemetry; which SDK and exporter is behind it is the embedder's to choose. Log lines of a request with a trace have its
// trace_id.
//
// # Promises
//
// A call is made once. Only one of a method that is declared to be idempotent, by its idempotency_level, by hints.idempotent of
// bridge.v1 or by [Backend.Retry], is made again where the backend is unavailable: at most three times in all or as often as
// [RetryPolicy] says, within the deadline that every call has, and not while the backend fails for everybody. A failed call says
// whether the backend may have carried it out. A failed reload keeps what was served before. What a client sends is never forwarded
// as gRPC metadata, but for the trace in `_meta` (traceparent and tracestate, if they are valid W3C Trace Context; with
// [Telemetry.Baggage] baggage too) and the headers that [Backend.ForwardHeaders] name, among which credentials cannot be.
package bridge
