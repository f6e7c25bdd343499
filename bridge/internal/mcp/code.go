package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// Error codes that the protocol adds to those of JSON-RPC (2026-07-28
// basic/index, "Error Codes"). They belong to the modern era: a legacy peer
// never sees them, because a client of both eras takes them as the sign of a
// modern server.
const (
	// CodeHeaderMismatch says that an HTTP header is missing or contradicts the body.
	CodeHeaderMismatch = -32020
	// CodeMissingCapability says that the request needs a capability which the
	// client did not declare.
	CodeMissingCapability = -32021
	// CodeUnsupportedVersion says that the request's protocol version is not served.
	CodeUnsupportedVersion = -32022
)

// codeResourceNotFound says that there is no resource of the URI. It belongs to
// the legacy era; see [ResourceNotFound].
const codeResourceNotFound = -32002

// UnsupportedVersion returns the error for a modern request that names the
// version requested, with the versions that are served, newest first, as data.
func UnsupportedVersion(requested Version, supported []Version) *jsonrpc.Error {
	e := jsonrpc.Errorf(CodeUnsupportedVersion, "unsupported protocol version %q", jsonrpc.Echo(string(requested)))
	e.Data = appendStrings([]byte(`{"supported":`), supported)
	e.Data = jsonrpc.AppendString(append(e.Data, `,"requested":`...), string(requested))
	e.Data = append(e.Data, '}')
	return e
}

// invalidParams returns the error for params of the wrong shape.
func invalidParams(format string, args ...any) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: "+format, args...)
}
