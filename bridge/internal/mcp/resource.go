package mcp

import "github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"

// Resource is one entry of resources/list, and the link of a block of content.
type Resource struct {
	// URI names the resource, Name is for programs; neither is "".
	URI, Name string
	// Title is the name for people, Description what the resource is, MimeType
	// its media type; "" for none.
	Title, Description, MimeType string
	// Meta is the _meta object as compact JSON; nil for none.
	Meta []byte
}

// AppendJSON appends the resource as a JSON object, with the members that f has.
func (r *Resource) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	r.append(&o, f)
	return o.close()
}

// append adds the members of the resource.
func (r *Resource) append(o *object, f Features) {
	o.text("uri", r.URI)
	appendDescribed(o, f, r.Name, r.Title, r.Description, r.MimeType)
	if f.ToolMeta {
		o.raw("_meta", r.Meta)
	}
}

// appendDescribed adds what resources and templates have in common.
func appendDescribed(o *object, f Features, name, title, description, mimeType string) {
	o.text("name", name)
	if f.Titles {
		o.optional("title", title)
	}
	o.optional("description", description)
	o.optional("mimeType", mimeType)
}

// ResourceTemplate is one entry of resources/templates/list.
type ResourceTemplate struct {
	// URITemplate is an RFC 6570 template, Name is for programs; neither is "".
	URITemplate, Name string
	// Title, Description and MimeType are as those of a [Resource].
	Title, Description, MimeType string
	// Meta is the _meta object as compact JSON; nil for none.
	Meta []byte
}

// AppendJSON appends the template as a JSON object, with the members that f has.
func (t *ResourceTemplate) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.text("uriTemplate", t.URITemplate)
	appendDescribed(&o, f, t.Name, t.Title, t.Description, t.MimeType)
	if f.ToolMeta {
		o.raw("_meta", t.Meta)
	}
	return o.close()
}

// ResourceContents is what a resource holds, or a part of it.
type ResourceContents struct {
	// URI names the resource; not "".
	URI string
	// MimeType is the media type; "" where it is not known.
	MimeType string
	// Text is what it holds, unless Binary is set.
	Text string
	// Blob is what it holds if Binary is set.
	Blob   []byte
	Binary bool
}

// AppendJSON appends the contents as a JSON object. All revisions have the same
// members.
func (c *ResourceContents) AppendJSON(dst []byte, _ Features) []byte {
	o := newObject(dst)
	o.text("uri", c.URI)
	o.optional("mimeType", c.MimeType)
	if c.Binary {
		o.blob("blob", c.Blob)
	} else {
		o.text("text", c.Text)
	}
	return o.close()
}

// ParseURI reads the params of resources/read, resources/subscribe and
// resources/unsubscribe. A URI that is missing, empty or no string is -32602.
func ParseURI(params []byte) (string, *jsonrpc.Error) {
	raw, _ := jsonrpc.Find(params, "uri")
	uri, _ := jsonrpc.Unquote(raw)
	if uri == "" {
		return "", invalidParams("uri must be a string, the URI of a resource")
	}
	return uri, nil
}

// ReadResourceResult is the result of resources/read.
type ReadResourceResult struct {
	// Contents are the parts; never empty.
	Contents []ResourceContents
	// Cache is sent to modern peers.
	Cache Cache
	// Meta is the _meta object; nil for none.
	Meta []byte
}

// AppendJSON appends the result as a JSON object.
func (r *ReadResourceResult) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	o.name("contents")
	o.dst = append(o.dst, '[')
	for i := range r.Contents {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = r.Contents[i].AppendJSON(o.dst, f)
	}
	o.dst = append(o.dst, ']')
	r.Cache.append(&o, f)
	return closeResult(o, f, r.Meta)
}

// ResourceNotFound returns the error for a URI that names no resource: -32002
// before the modern era, -32602 in it.
func ResourceNotFound(uri, message string, f Features) *jsonrpc.Error {
	code := codeResourceNotFound
	if f.Modern {
		code = jsonrpc.CodeInvalidParams
	}
	e := jsonrpc.Errorf(code, "%s", message)
	e.Data = append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')
	return e
}
