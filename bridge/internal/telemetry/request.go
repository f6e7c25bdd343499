package telemetry

import "strconv"

// Request is what is known of an MCP request when its span begins.
type Request struct {
	// Method is the name of a method that there is, such as tools/call; "" for any other.
	Method string
	// Tool and Prompt are the target of tools/call and prompts/get, as the client named it; Known says that there is such
	// a target, so that its name may be part of the span's name and of metrics.
	Tool, Prompt string
	Known        bool
	// ResourceURI is the target of a request about a resource, as the client named it.
	ResourceURI string
	// ID is the request's id in JSON.
	ID string
	// Version is the protocol version, one that is served; "" before the handshake.
	Version string
	// SessionID is the id of the legacy HTTP session; "" where there is none.
	SessionID string
	// Transport is "tcp" or "pipe"; "" within a process. Protocol is "http" with its version such as "1.1", or "".
	Transport, Protocol, ProtocolVersion string
	// ClientAddress and ClientPort are those of the other end of the connection; "" and 0 where there is none.
	ClientAddress string
	ClientPort    int
	// TraceParent and TraceState are those of the request's own _meta; "" for none. What is not valid is as if absent.
	TraceParent, TraceState string
	// Continues is the traceparent of the first round of a call, of which this request is a later one; "" for none.
	Continues string
	// Baggage is that of the request's own _meta, within its limits; one that is not valid is as if absent. It goes on only
	// if the configuration says so.
	Baggage string
}

// Outcome is how a request ended. The zero value is a result without isError.
type Outcome struct {
	// Code is that of the JSON-RPC error with which it was answered, Message its text; 0 for a result.
	Code    int
	Message string
	// ToolError says that the result is one with isError, and Status is the name of its gRPC code, such as NOT_FOUND.
	ToolError bool
	Status    string
	// Cancelled says that the client has cancelled it, or left.
	Cancelled bool
}

// ErrorType is the attribute error.type of the outcome: "cancelled", "tool_error", a JSON-RPC code, or "" for none.
func (o Outcome) ErrorType() string {
	switch {
	case o.Cancelled:
		return errorCancelled
	case o.Code != 0:
		return strconv.Itoa(o.Code)
	case o.ToolError:
		return errorTool
	}
	return ""
}

// fault returns whether the outcome is a failure of the server's side, and what to say of it. What a client did wrong is
// none (semantic conventions for MCP, "Recording errors on MCP server spans"); of a tool the name of its code is said, and
// not the text, which is for those who called.
func (o Outcome) fault() (description string, failed bool) {
	switch {
	case o.Cancelled:
		return "", false
	case o.Code == codeInternal, o.Code >= -32099 && o.Code <= -32000 && !ofClient(o.Code):
		return o.Message, true
	case o.Code == 0 && o.ToolError:
		return o.Status, true
	}
	return "", false
}

// codeInternal is the code of JSON-RPC for a fault of the server.
const codeInternal = -32603

// ofClient reports whether a code in the range of the server's own is about what the client did: no such resource, a header
// that contradicts, a capability or a version that does not fit.
func ofClient(code int) bool {
	return code == -32002 || code >= -32022 && code <= -32020
}
