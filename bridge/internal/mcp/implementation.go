package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// Implementation says which software a client or a server is. It is what the
// other side says of itself: for display and logs, never for decisions.
type Implementation struct {
	// Name and Version are always sent.
	Name, Version string
	// Title is the name for people (2025-06-18); "" for none.
	Title string
	// Description and WebsiteURL are sent from 2025-11-25 on; "" for none.
	Description, WebsiteURL string
}

// AppendJSON appends the Implementation as a JSON object, with the members that
// f has.
func (i Implementation) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.text("name", i.Name)
	if f.Titles {
		o.optional("title", i.Title)
	}
	o.text("version", i.Version)
	if f.ServerDescriptions {
		o.optional("description", i.Description)
		o.optional("websiteUrl", i.WebsiteURL)
	}
	return o.close()
}

// ResultMeta returns the _meta object by which a modern server names itself in
// every result (2026-07-28 ResultMetaObject); nil where f is not modern.
func (i Implementation) ResultMeta(f Features) []byte {
	if !f.Modern {
		return nil
	}
	o := newObject(nil)
	o.name(metaServerInfo)
	o.dst = i.AppendJSON(o.dst, f)
	return o.close()
}

// ReadImplementation reads what a peer said of itself, from raw JSON that
// passed [ParseMeta] or [ParseInitialize]. Members of another kind than string
// are as if absent; so is everything when raw is nil.
func ReadImplementation(raw []byte) Implementation {
	var i Implementation
	for name, value := range jsonrpc.Pairs(raw) {
		text, _ := jsonrpc.Unquote(value)
		switch string(name) {
		case "name":
			i.Name = text
		case "version":
			i.Version = text
		case "title":
			i.Title = text
		case "description":
			i.Description = text
		case "websiteUrl":
			i.WebsiteURL = text
		}
	}
	return i
}

// checkImplementation refuses what is not an Implementation: an object with the
// strings name and version.
func checkImplementation(member string, raw []byte) *jsonrpc.Error {
	if !isObject(raw) {
		return invalidParams("%s must be an object with name and version", member)
	}
	for _, name := range []string{"name", "version"} {
		value, _ := jsonrpc.Find(raw, name)
		if len(value) == 0 || value[0] != '"' {
			return invalidParams("%s.%s must be a string", member, name)
		}
	}
	return nil
}
