package lifecycle

import (
	"bytes"
	"context"
	"net/http"
	"slices"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// legacyRevisions are the versions that open with initialize, newest first, and
// what each brought.
var legacyRevisions = []struct {
	version  mcp.Version
	features mcp.Features
}{
	{mcp.V20251125, mcp.Features{
		Annotations: true, Titles: true, OutputSchemas: true, ToolMeta: true, ServerDescriptions: true,
		Audio: true, Completions: true, ResourceLinks: true, LastModified: true, Polling: true,
		ProgressMessages: true, Elicitation: true, URLElicitation: true, SamplingTools: true,
	}},
	{mcp.V20250618, mcp.Features{
		Annotations: true, Titles: true, OutputSchemas: true, ToolMeta: true,
		Audio: true, Completions: true, ResourceLinks: true, LastModified: true,
		ProgressMessages: true, Elicitation: true,
	}},
	{mcp.V20250326, mcp.Features{Annotations: true, Audio: true, Completions: true, Batches: true, ProgressMessages: true}},
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

// checkLegacy refuses a version header that names no version we serve. Absent,
// it is the session's, which need not have said it before 2025-06-18.
func (h *Headers) checkLegacy() *Refusal {
	if !h.HasProtocolVersion {
		return nil
	}
	if _, ok := legacyFeatures(mcp.Version(h.ProtocolVersion)); ok {
		return nil
	}
	r := refuseRequest(jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
		"MCP-Protocol-Version %q is not served; served are %v", jsonrpc.Echo(h.ProtocolVersion), SupportedVersions()))
	r.Reason = "a version in MCP-Protocol-Version that is not served"
	return r
}

// maxClient bounds, in bytes of JSON, what a session keeps of what its client
// says of itself: clientInfo and capabilities together. Clients say a few
// hundred; anybody may open as many sessions as the store holds.
const maxClient = 16 << 10

// Initialize answers the request initialize, which [Gate.Begin] has admitted:
// with the version that the client asked for or, where that is not a legacy
// version we serve, the newest one (2025-11-25 basic/lifecycle, "Version
// Negotiation"). On HTTP it opens a session, whose id [Conn.SessionID] then
// tells. The result lacks the capabilities; told is kept for [Conn.Told]. A
// second initialize is -32600, and -32602 one whose client says more of itself
// than a session keeps.
func (g *Gate) Initialize(ctx context.Context, c *Conn, p mcp.InitializeParams, told string) (mcp.InitializeResult, *Refusal) {
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
	record := session.Record{Version: string(version), ClientInfo: info, Capabilities: capabilities, Told: told}
	if err := c.open(ctx, record); err != nil {
		return mcp.InitializeResult{}, g.refuseSession(err)
	}
	return mcp.InitializeResult{
		ProtocolVersion: version,
		ServerInfo:      g.info,
		Instructions:    g.instructions(),
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
	level, _ := mcp.ParseLevel(c.record.LogLevel)
	features, _ := legacyFeatures(version)
	return &Scope{
		Version:      version,
		Features:     features,
		SessionID:    c.record.ID,
		Principal:    c.principal,
		ClientInfo:   c.record.ClientInfo,
		Capabilities: c.record.Capabilities,
		LogLevel:     level,
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
		return errHandshake()
	default:
		return nil
	}
}

// errHandshake is the answer to a request that comes before the handshake is over.
func errHandshake() *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
		"request during the handshake: send notifications/initialized first; until then only ping is served")
}

// errInitializedTwice is the answer to an initialize that is not the first.
func errInitializedTwice() *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "initialize was sent before: a session or stream is initialized once; open a new one")
}

// Batch finds the legacy session of a batch that came by POST, which must be one
// of the only version that has batches (2025-03-26 basic, "Batching"), and whose
// MCP-Protocol-Version, if there is one, names no other version; otherwise it is
// 400. The Conn is for all messages of the batch; each is then admitted, or
// refused, by itself. initialize is always refused: it must be sent alone.
func (g *Gate) Batch(ctx context.Context, h Headers, batch []jsonrpc.Message, principal string) (*Conn, *Refusal) {
	if h.modern() {
		return nil, refuseRequest(jsonrpc.RefuseBatch())
	}
	if !h.HasSessionID && slices.ContainsFunc(batch, func(msg jsonrpc.Message) bool { return msg.Method == mcp.MethodInitialize }) {
		return nil, refuseRequest(jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "initialize in a batch: send it alone, and wait for its answer"))
	}
	record, refusal := g.existing(ctx, h, principal)
	if refusal != nil {
		return nil, refusal
	}
	c := g.within(record)
	if c.batch = true; !c.Batches() {
		return nil, refuseRequest(jsonrpc.RefuseBatch())
	}
	if refusal := h.checkBatch(); refusal != nil {
		return nil, refusal
	}
	return c, nil
}

// checkBatch refuses a batch under the header of a version that has none, whatever
// the version of the session: the two contradict each other.
func (h *Headers) checkBatch() *Refusal {
	if f, _ := legacyFeatures(mcp.Version(h.ProtocolVersion)); !h.HasProtocolVersion || f.Batches {
		return nil
	}
	return refuseRequest(jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
		"a batch with MCP-Protocol-Version %q, which has none: send the version that was agreed in initialize, or each message by itself",
		jsonrpc.Echo(h.ProtocolVersion)))
}

// errModernInBatch is the answer to a message of the modern era in a batch.
func errModernInBatch() *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "a request of protocol version %s in a batch: send it by itself", modernVersion)
}
