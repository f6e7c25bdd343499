package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// Keys of _meta that the protocol reserves for itself (2026-07-28 basic/index,
// "_meta").
const (
	// MetaProtocolVersion is the key of a modern request's version.
	MetaProtocolVersion = "io.modelcontextprotocol/protocolVersion"
	// MetaClientInfo is the key of a modern client's name for itself.
	MetaClientInfo = "io.modelcontextprotocol/clientInfo"
	// MetaClientCapabilities is the key of what a modern client can do.
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	// MetaLogLevel is the key by which a modern request asks for log messages.
	MetaLogLevel = "io.modelcontextprotocol/logLevel"

	metaServerInfo    = "io.modelcontextprotocol/serverInfo"
	metaProgressToken = "progressToken"
)

// Meta is the _meta object of a request's params, read. The zero value stands
// for none. Byte slices are raw JSON and alias the params.
type Meta struct {
	// ProtocolVersion is the version of a modern request; "" when absent.
	ProtocolVersion Version
	// ClientInfo is an object with name and version (see [ReadImplementation]); nil when absent.
	ClientInfo []byte
	// ClientCapabilities is an object; nil when absent.
	ClientCapabilities []byte
	// ProgressToken is a string or an integer; nil when absent.
	ProgressToken []byte
	// LogLevel is the least level that the request asks for; LevelNone when absent.
	LogLevel Level
	// Trace is where the request stands in its client's trace.
	Trace Trace
}

// PerRequest reports whether the metadata is that of the modern era, which is
// whether it has any of the keys by which a modern request describes its client.
func (m *Meta) PerRequest() bool {
	return m.ProtocolVersion != "" || m.ClientInfo != nil || m.ClientCapabilities != nil || m.LogLevel != LevelNone
}

// ParseMeta reads params._meta. Absent params and absent _meta give the zero
// Meta; a value of the wrong kind is -32602. Which keys are required is not
// this function's business.
func ParseMeta(params jsonrpc.Object) (Meta, *jsonrpc.Error) {
	raw, ok := params.Find("_meta")
	if !ok {
		return Meta{}, nil
	}
	if !isObject(raw) {
		return Meta{}, invalidParams("_meta must be an object")
	}
	var m Meta
	for name, value := range jsonrpc.Pairs(raw) {
		if err := m.set(name, value); err != nil {
			return Meta{}, err
		}
	}
	m.Trace.settle()
	return m, nil
}

// set notes one member; names it does not know are left to others.
func (m *Meta) set(name, value []byte) (err *jsonrpc.Error) {
	switch string(name) {
	case MetaProtocolVersion:
		return m.setVersion(value)
	case MetaClientInfo:
		m.ClientInfo = value
		return checkImplementation("_meta."+MetaClientInfo, value)
	case MetaClientCapabilities:
		m.ClientCapabilities = value
		if !isObject(value) {
			return invalidParams("_meta.%s must be an object", MetaClientCapabilities)
		}
	case MetaLogLevel:
		return m.setLogLevel(value)
	case metaTraceParent, metaTraceState:
		m.Trace.set(string(name), value)
	case metaProgressToken:
		m.ProgressToken = value
		if _, ok := jsonrpc.ParseID(value); !ok {
			return invalidParams("_meta.progressToken must be a string or an integer")
		}
	}
	return nil
}

// setVersion reads the version, which is a string and not empty.
func (m *Meta) setVersion(value []byte) *jsonrpc.Error {
	text, ok := jsonrpc.Unquote(value)
	if !ok || text == "" {
		return invalidParams("_meta.%s must be a string such as %q", MetaProtocolVersion, V20260728)
	}
	m.ProtocolVersion = Version(text)
	return nil
}

// setLogLevel reads the level. An unknown one is refused for modern and legacy
// peers alike: the key is reserved in both.
func (m *Meta) setLogLevel(value []byte) *jsonrpc.Error {
	level, err := parseLevel("_meta."+MetaLogLevel, value)
	m.LogLevel = level
	return err
}
