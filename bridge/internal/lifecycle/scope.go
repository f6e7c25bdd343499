package lifecycle

import (
	"net/http"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// Scope describes an admitted request: what its sender speaks and who it is.
// It must not be written to. Byte slices are raw JSON; those of a modern
// request alias its params.
type Scope struct {
	// Version is the protocol version; "" before the legacy handshake.
	Version mcp.Version
	// Features is what the version has; the zero value before the handshake.
	Features mcp.Features
	// SessionID is the legacy HTTP session; "" where there is none.
	SessionID string
	// Principal says on whose behalf the request is made; "" without authorization.
	Principal string
	// ClientInfo is what the client says of itself (see [mcp.ReadImplementation]),
	// in a legacy session without icons; nil when it did not.
	ClientInfo []byte
	// Capabilities is what the client can do: an object; nil before the handshake.
	Capabilities []byte
	// LogLevel is the least level of log messages that the client wants of this
	// request: the request's own in the modern era, the session's in the legacy one.
	LogLevel mcp.Level
	// Meta is the request's own metadata.
	Meta mcp.Meta
}

// Status returns the HTTP status for an error with which an admitted request
// was answered. The modern era has 404 for a method that does not exist and 400
// for what the client must put right before it asks again (2026-07-28
// basic/transports/streamable-http); all else, and every legacy error, is 200,
// because the request as such was served.
func Status(s *Scope, e *jsonrpc.Error) int {
	if !s.Features.Modern {
		return http.StatusOK
	}
	switch e.Code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case mcp.CodeHeaderMismatch, mcp.CodeMissingCapability, mcp.CodeUnsupportedVersion:
		return http.StatusBadRequest
	default:
		return http.StatusOK
	}
}
