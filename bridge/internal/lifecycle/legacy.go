package lifecycle

import (
	"bytes"
	"context"
	"net/http"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// legacyRevisions are the versions that open with initialize, newest first, and
// what each brought.
var legacyRevisions = []struct {
	version  mcp.Version
	features mcp.Features
}{
	{mcp.V20251125, mcp.Features{Annotations: true, Titles: true, OutputSchemas: true, ToolMeta: true, ServerDescriptions: true}},
	{mcp.V20250618, mcp.Features{Annotations: true, Titles: true, OutputSchemas: true, ToolMeta: true}},
	{mcp.V20250326, mcp.Features{Annotations: true}},
	{mcp.V20241105, mcp.Features{}},
}

// legacyFeatures returns what a version has, and false if it is not a legacy
// version that is served.
func legacyFeatures(v mcp.Version) (mcp.Features, bool) {
	for _, r := range legacyRevisions {
		if r.version == v {
			return r.features, true
		}
	}
	return mcp.Features{}, false
}

// maxClient bounds, in bytes of JSON, what a session keeps of what its client
// says of itself: clientInfo and capabilities together. Clients say a few
// hundred; anybody may open as many sessions as the store holds.
const maxClient = 16 << 10

// Initialize answers the request initialize, which [Gate.Begin] has admitted:
// with the version that the client asked for or, where that is not a legacy
// version we serve, the newest one (2025-11-25 basic/lifecycle, "Version
// Negotiation"). On HTTP it opens a session, whose id [Conn.SessionID] then
// tells. The result lacks the capabilities. A second initialize is -32600, and
// -32602 one whose client says more of itself than a session keeps.
func (g *Gate) Initialize(ctx context.Context, c *Conn, p mcp.InitializeParams) (mcp.InitializeResult, *Refusal) {
	version := p.ProtocolVersion
	if _, ok := legacyFeatures(version); !ok {
		version = legacyRevisions[0].version
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.record.Version != "" {
		return mcp.InitializeResult{}, refuseRequest(errInitializedTwice())
	}
	info, capabilities, err := keep(p)
	if err != nil {
		return mcp.InitializeResult{}, &Refusal{Status: http.StatusOK, Error: err}
	}
	if err := c.open(ctx, version, info, capabilities); err != nil {
		return mcp.InitializeResult{}, g.refuseSession(err)
	}
	return mcp.InitializeResult{
		ProtocolVersion: version,
		ServerInfo:      g.info,
		Instructions:    g.instructions,
	}, nil
}

// keep returns what a session keeps of its client, in memory of its own. Of
// clientInfo that is the text; icons, whose data URIs may hold whole pictures,
// are left out and do not count.
func keep(p mcp.InitializeParams) (info, capabilities []byte, err *jsonrpc.Error) {
	info = mcp.ReadImplementation(p.ClientInfo).AppendJSON(nil, legacyRevisions[0].features)
	if size := len(info) + len(p.Capabilities); size > maxClient {
		return nil, nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
			"invalid params: clientInfo and capabilities are %d bytes together, without icons: send at most %d", size, maxClient)
	}
	return info, bytes.Clone(p.Capabilities), nil
}

// legacyScope admits a request by the phase of the handshake: initialize first
// and once, ping at any time, everything else after notifications/initialized
// (2025-11-25 basic/lifecycle, "Initialization").
func (c *Conn) legacyScope(method string, meta mcp.Meta) (*Scope, *jsonrpc.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.phase(method); err != nil {
		return nil, err
	}
	version := mcp.Version(c.record.Version)
	features, _ := legacyFeatures(version)
	return &Scope{
		Version:      version,
		Features:     features,
		SessionID:    c.record.ID,
		Principal:    c.principal,
		ClientInfo:   c.record.ClientInfo,
		Capabilities: c.record.Capabilities,
		Meta:         meta,
	}, nil
}

// phase refuses a method whose time has not come, or has gone; the caller holds mu.
func (c *Conn) phase(method string) *jsonrpc.Error {
	switch {
	case method == mcp.MethodPing:
		return nil
	case method == mcp.MethodInitialize && c.record.Version != "":
		return errInitializedTwice()
	case method == mcp.MethodInitialize:
		return nil
	case c.record.Version == "":
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"request before the handshake: send initialize first, or name protocol version %s in _meta[%q]", modernVersion, mcp.MetaProtocolVersion)
	case !c.record.Initialized:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"request during the handshake: send notifications/initialized first; until then only ping is served")
	default:
		return nil
	}
}

// errInitializedTwice is the answer to an initialize that is not the first.
func errInitializedTwice() *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "initialize was sent before: a session or stream is initialized once; open a new one")
}
