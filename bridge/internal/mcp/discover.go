package mcp

// DiscoverResult is the result of server/discover, by which a modern client
// learns what a server is before it asks for anything else.
type DiscoverResult struct {
	// SupportedVersions are all versions served, of both eras, newest first.
	SupportedVersions []Version
	// Capabilities are the server's.
	Capabilities ServerCapabilities
	// Instructions are for the client's model; "" for none.
	Instructions string
	// Cache says how long the result holds.
	Cache Cache
	// Meta is the _meta object, with the server's identity.
	Meta []byte
}

// AppendJSON appends the result as a JSON object.
func (r *DiscoverResult) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.name("supportedVersions")
	o.dst = appendStrings(o.dst, r.SupportedVersions)
	o.name("capabilities")
	o.dst = r.Capabilities.appendJSON(o.dst, f)
	o.optional("instructions", r.Instructions)
	r.Cache.append(&o, f)
	return closeResult(o, f, r.Meta)
}
