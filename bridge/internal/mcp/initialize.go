package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// InitializeParams are the params of initialize, the opening of a legacy
// session. Byte slices are raw JSON and alias the params.
type InitializeParams struct {
	// ProtocolVersion is the version that the client would like; not empty.
	ProtocolVersion Version
	// Capabilities is an object.
	Capabilities []byte
	// ClientInfo is an object with name and version (see [ReadImplementation]).
	ClientInfo []byte
}

// ParseInitialize reads the params of initialize. All three members are
// required by every legacy revision; what is missing or of the wrong kind is
// -32602.
func ParseInitialize(params []byte) (InitializeParams, *jsonrpc.Error) {
	var p InitializeParams
	raw, _ := jsonrpc.Find(params, "protocolVersion")
	version, _ := jsonrpc.Unquote(raw)
	if version == "" {
		return p, invalidParams("protocolVersion must be a string such as %q", V20251125)
	}
	capabilities, _ := jsonrpc.Find(params, "capabilities")
	if !isObject(capabilities) {
		return p, invalidParams("capabilities must be an object; {} says that there are none")
	}
	info, _ := jsonrpc.Find(params, "clientInfo")
	if err := checkImplementation("clientInfo", info); err != nil {
		return p, err
	}
	return InitializeParams{ProtocolVersion: Version(version), Capabilities: capabilities, ClientInfo: info}, nil
}

// InitializeResult is the result of initialize.
type InitializeResult struct {
	// ProtocolVersion is the version that the session will speak.
	ProtocolVersion Version
	// Capabilities are the server's.
	Capabilities ServerCapabilities
	// ServerInfo is the server's name for itself.
	ServerInfo Implementation
	// Instructions are for the client's model; "" for none.
	Instructions string
}

// AppendJSON appends the result as a JSON object; f is what the negotiated
// version has.
func (r *InitializeResult) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.text("protocolVersion", string(r.ProtocolVersion))
	o.name("capabilities")
	o.dst = r.Capabilities.appendJSON(o.dst, f)
	o.name("serverInfo")
	o.dst = r.ServerInfo.AppendJSON(o.dst, f)
	o.optional("instructions", r.Instructions)
	return closeResult(o, f, nil)
}
