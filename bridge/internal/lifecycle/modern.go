package lifecycle

import (
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// modernVersion is the one stateless version that is served, and
// modernFeatures what it has.
const modernVersion = mcp.V20260728

var modernFeatures = mcp.Features{
	Modern:             true,
	Annotations:        true,
	Titles:             true,
	OutputSchemas:      true,
	AnyOutput:          true,
	ToolMeta:           true,
	ServerDescriptions: true,
	Audio:              true,
	Completions:        true,
	ResourceLinks:      true,
	LastModified:       true,
	ParamHeaders:       true,
	ProgressMessages:   true,
	Elicitation:        true,
	URLElicitation:     true,
	SamplingTools:      true,
	Tasks:              true,
}

// SupportedVersions returns the versions that are served, newest first. The
// slice is the caller's.
func SupportedVersions() []mcp.Version {
	versions := []mcp.Version{modernVersion}
	for _, r := range legacyRevisions {
		versions = append(versions, r.version)
	}
	return versions
}

// AllFeatures returns the distinct Features of the versions that are served,
// newest first. The slice is the caller's.
func AllFeatures() []mcp.Features {
	all := []mcp.Features{modernFeatures}
	for _, r := range legacyRevisions {
		all = append(all, r.features)
	}
	return all
}

// Features returns what a version has; the zero value, which is what the oldest
// version has, for one that is not served.
func Features(v mcp.Version) mcp.Features {
	if v == modernVersion {
		return modernFeatures
	}
	f, _ := legacyFeatures(v)
	return f
}

// perRequest reports whether the metadata makes its request a modern one. A
// legacy version in it does not: that version is spoken after initialize alone,
// and its client must not see a modern error, which it would take for the sign
// of a server that cannot do better.
func perRequest(meta *mcp.Meta) bool {
	_, legacy := legacyFeatures(meta.ProtocolVersion)
	return meta.PerRequest() && !legacy
}

// parseMeta reads the metadata of a request. What is wrong with it counts only
// in a version that is served: another one may have what we refuse, and its
// client is to learn that it must choose another version (-32022).
func parseMeta(params jsonrpc.Object) (mcp.Meta, *jsonrpc.Error) {
	meta, err := mcp.ParseMeta(params)
	if err == nil {
		return meta, nil
	}
	raw, _ := params.Find("_meta")
	value, _ := jsonrpc.Find(raw, mcp.MetaProtocolVersion)
	if text, _ := jsonrpc.Unquote(value); text != "" && !served(mcp.Version(text)) {
		return mcp.Meta{}, mcp.UnsupportedVersion(mcp.Version(text), SupportedVersions())
	}
	return mcp.Meta{}, err
}

// served reports whether the version is served, in either era.
func served(v mcp.Version) bool {
	_, legacy := legacyFeatures(v)
	return legacy || v == modernVersion
}

// ofModernEra reports whether v has the shape of a version's date and is not
// before the first version of the modern era, so that it is of that era also
// where we do not serve it.
func ofModernEra(v string) bool {
	_, err := time.Parse(time.DateOnly, v)
	return err == nil && v >= string(modernVersion)
}

// modern reports whether the header names a version of the modern era, served or
// yet to come. One of another shape says nothing about the era; the metadata does.
func (h *Headers) modern() bool {
	return h.HasProtocolVersion && ofModernEra(h.ProtocolVersion)
}

// modernOnly reports whether only the modern era has the method.
func modernOnly(method string) bool {
	return method == mcp.MethodDiscover || method == mcp.MethodSubscriptionsListen
}

// modernScope checks a modern request's metadata and describes the request
// (2026-07-28 basic/index, "_meta", and basic/versioning).
func modernScope(meta mcp.Meta, principal string) (*Scope, *jsonrpc.Error) {
	if v := meta.ProtocolVersion; v != "" && v != modernVersion { // before the rest, which another version may have otherwise
		return nil, mcp.UnsupportedVersion(v, SupportedVersions())
	}
	if err := required(&meta); err != nil {
		return nil, err
	}
	return &Scope{
		Version:      modernVersion,
		Features:     modernFeatures,
		Principal:    principal,
		ClientInfo:   meta.ClientInfo,
		Capabilities: meta.ClientCapabilities,
		LogLevel:     meta.LogLevel,
		Meta:         meta,
	}, nil
}

// required refuses metadata without the keys that every modern request has.
func required(meta *mcp.Meta) *jsonrpc.Error {
	var missing string
	switch {
	case meta.ProtocolVersion == "":
		missing = mcp.MetaProtocolVersion
	case meta.ClientCapabilities == nil:
		missing = mcp.MetaClientCapabilities
	default:
		return nil
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: _meta[%q] is missing, which every request has in protocol version %s",
		missing, modernVersion)
}

// modernPost checks a modern POST: its metadata, and its headers against the
// body (2026-07-28 basic/transports/streamable-http, "Server Validation").
// Which headers a notification has is not defined there, and none matters.
func (g *Gate) modernPost(h Headers, msg *jsonrpc.Message, meta mcp.Meta, principal string) (*Conn, *Refusal) {
	if v := mcp.Version(h.ProtocolVersion); h.modern() && v != modernVersion && (meta.ProtocolVersion == "" || meta.ProtocolVersion == v) {
		return nil, refuseMessage(mcp.UnsupportedVersion(v, SupportedVersions()))
	}
	c := &Conn{gate: g, http: true, principal: principal, stateless: &Scope{}}
	switch msg.Kind {
	case jsonrpc.KindResponse:
		return nil, refuseMessage(jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "a client sends no responses in protocol version %s", modernVersion))
	case jsonrpc.KindNotification:
		return c, nil
	}
	if refusal := checkVersionHeader(h, &meta); refusal != nil {
		return nil, refusal
	}
	scope, err := modernScope(meta, principal)
	if err != nil {
		return nil, refuseMessage(err)
	}
	if refusal := checkHeaders(h, msg); refusal != nil {
		return nil, refusal
	}
	if refusal := g.checkParams(h, msg); refusal != nil {
		return nil, refusal
	}
	c.stateless = scope
	return c, nil
}

// checkVersionHeader holds MCP-Protocol-Version against the metadata. Missing
// metadata is left to [required]: it says more.
func checkVersionHeader(h Headers, meta *mcp.Meta) *Refusal {
	if !h.HasProtocolVersion {
		return mismatch("the MCP-Protocol-Version header is missing: it must repeat _meta[%q]", mcp.MetaProtocolVersion)
	}
	if meta.ProtocolVersion != "" && h.ProtocolVersion != string(meta.ProtocolVersion) {
		return contradiction("MCP-Protocol-Version", h.ProtocolVersion, string(meta.ProtocolVersion))
	}
	return nil
}

// named tells which member of the params Mcp-Name repeats.
var named = map[string]string{
	mcp.MethodToolsCall:     "name",
	mcp.MethodPromptsGet:    "name",
	mcp.MethodResourcesRead: "uri",
	mcp.MethodTasksGet:      "taskId",
	mcp.MethodTasksUpdate:   "taskId",
	mcp.MethodTasksCancel:   "taskId",
}

// checkHeaders holds Mcp-Method and Mcp-Name against the body.
func checkHeaders(h Headers, msg *jsonrpc.Message) *Refusal {
	if !h.HasMethod {
		return mismatch("the Mcp-Method header is missing: it must repeat the body's method")
	}
	if h.Method != msg.Method {
		return contradiction("Mcp-Method", h.Method, msg.Method)
	}
	member, ok := named[msg.Method]
	if !ok {
		return nil
	}
	raw, _ := msg.Object().Find(member)
	body, ok := jsonrpc.Unquote(raw)
	if !ok && !h.HasName {
		return nil // the method itself will say what is missing
	}
	return checkName(h, member, body)
}

// checkName holds Mcp-Name against what it repeats.
func checkName(h Headers, member, body string) *Refusal {
	if !h.HasName {
		return mismatch("the Mcp-Name header is missing: it must repeat params.%s", member)
	}
	name, ok := decodeHeader(h.Name)
	if !ok {
		return undecodable("Mcp-Name")
	}
	if name != body {
		return contradiction("Mcp-Name", name, body)
	}
	return nil
}

// decodeHeader undoes the encoding of a header value that cannot be plain
// ASCII (2026-07-28 basic/transports/streamable-http, "Value Encoding").
func decodeHeader(value string) (string, bool) {
	const prefix, suffix = "=?base64?", "?="
	if len(value) >= len(prefix)+len(suffix) && strings.HasPrefix(value, prefix) && strings.HasSuffix(value, suffix) {
		text, err := base64.StdEncoding.Strict().DecodeString(value[len(prefix) : len(value)-len(suffix)])
		return string(text), err == nil && utf8.Valid(text)
	}
	for i := range len(value) {
		if c := value[i]; c != '\t' && (c < ' ' || c > '~') {
			return "", false
		}
	}
	return value, true
}

// undecodable is the refusal of a header that [decodeHeader] cannot read.
func undecodable(header string) *Refusal {
	return mismatch("the %s header value is neither plain visible ASCII nor =?base64?…?= of UTF-8 text", header)
}

// contradiction is the refusal of a header with another value than that which it
// repeats. Either may be an argument of the call: a log has neither.
func contradiction(header, value, body string) *Refusal {
	r := mismatch("the %s header value %q does not match the body's %q", header, jsonrpc.Echo(value), jsonrpc.Echo(body))
	r.Reason = "header mismatch: the " + header + " header value does not match the body's"
	return r
}

// mismatch is the refusal of headers that do not repeat the body.
func mismatch(format string, args ...any) *Refusal {
	return refuseMessage(jsonrpc.Errorf(mcp.CodeHeaderMismatch, "header mismatch: "+format, args...))
}
