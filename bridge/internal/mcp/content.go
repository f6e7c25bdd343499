package mcp

import (
	"encoding/base64"
	"strconv"
)

// Content is one block of content.
type Content struct {
	// Kind says which of the other members is set.
	Kind ContentKind
	// Text is that of a ContentText.
	Text string
	// Data and MimeType are those of a ContentImage and a ContentAudio.
	Data     []byte
	MimeType string
	// Resource is that of a ContentResource.
	Resource ResourceContents
	// Link is that of a ContentResourceLink.
	Link Resource
	// Annotations are for the client.
	Annotations Annotations
}

// ContentKind is the kind of a block.
type ContentKind uint8

// The kinds of content.
const (
	// ContentText is a text.
	ContentText ContentKind = iota
	// ContentImage is a picture.
	ContentImage
	// ContentAudio is sound, for peers with Audio.
	ContentAudio
	// ContentResource is a resource with its contents.
	ContentResource
	// ContentResourceLink names a resource, for peers with ResourceLinks.
	ContentResourceLink
)

// Annotations say for whom something is and how much it matters. The zero value
// says nothing.
type Annotations struct {
	// Audience has "user", "assistant" or both; empty for everybody.
	Audience []string
	// Priority is from 0 (optional) to 1 (required); nil where it is not said.
	Priority *float64
	// LastModified is an ISO 8601 time, for peers with LastModified; "" for none.
	LastModified string
}

// AppendJSON appends the block as a JSON object. What a peer's revision does not
// have comes in what it has: sound as a resource with the sound in it, a link as
// a text.
func (c *Content) AppendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	switch {
	case c.Kind == ContentText:
		o.text("type", "text")
		o.text("text", c.Text)
	case c.Kind == ContentImage:
		c.appendMedia(&o, "image")
	case c.Kind == ContentAudio && f.Audio:
		c.appendMedia(&o, "audio")
	case c.Kind == ContentAudio:
		o.text("type", "resource")
		o.name("resource")
		o.dst = (&ResourceContents{URI: "attachment:audio", MimeType: c.MimeType, Blob: c.Data, Binary: true}).AppendJSON(o.dst, f)
	case c.Kind == ContentResource:
		o.text("type", "resource")
		o.name("resource")
		o.dst = c.Resource.AppendJSON(o.dst, f)
	case f.ResourceLinks:
		o.text("type", "resource_link")
		c.Link.append(&o, f)
	default:
		o.text("type", "text")
		o.text("text", "resource "+c.Link.Name+": "+c.Link.URI)
	}
	c.Annotations.append(&o, f)
	return o.close()
}

// appendMedia appends the members of a picture or of sound.
func (c *Content) appendMedia(o *object, kind string) {
	o.text("type", kind)
	o.blob("data", c.Data)
	o.text("mimeType", c.MimeType)
}

// append adds the annotations member, unless it would be empty.
func (a *Annotations) append(o *object, f Features) {
	modified := a.LastModified
	if !f.LastModified {
		modified = ""
	}
	if len(a.Audience) == 0 && a.Priority == nil && modified == "" {
		return
	}
	o.name("annotations")
	inner := newObject(o.dst)
	if len(a.Audience) > 0 {
		inner.name("audience")
		inner.dst = appendStrings(inner.dst, a.Audience)
	}
	if a.Priority != nil {
		inner.name("priority")
		inner.dst = strconv.AppendFloat(inner.dst, *a.Priority, 'g', -1, 64)
	}
	inner.optional("lastModified", modified)
	o.dst = inner.close()
}

// blob appends a member with bytes in base64.
func (o *object) blob(name string, data []byte) {
	o.name(name)
	o.dst = append(o.dst, '"')
	o.dst = base64.StdEncoding.AppendEncode(o.dst, data)
	o.dst = append(o.dst, '"')
}
