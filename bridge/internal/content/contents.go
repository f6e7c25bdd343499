package content

import (
	"cmp"
	"strings"

	"google.golang.org/genproto/googleapis/api/httpbody"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Contents returns what the resource uri holds, for resources/read, in the order of the fields' declaration and of their
// lists; none for a plain response. What has no valid URI of its own has uri, and what has no valid media type has mimeType,
// that of the resource's definition, or where that is "" too the default of its kind. The error is [ErrReply] or
// [ErrTooLarge]. Bytes in the contents may be those of wire, which must not change.
//
// A bridge.v1.Content becomes the contents that come closest: pictures and sound are bytes, a link is a text of the type
// text/uri-list (RFC 2483) with its name in a comment. Annotations have no place in contents.
func (o *Output) Contents(wire []byte, uri, mimeType string) ([]mcp.ResourceContents, error) {
	values, err := o.values(wire)
	if err != nil {
		return nil, err
	}
	var contents []mcp.ResourceContents
	for i := range values {
		switch m := values[i].message.(type) {
		case *bridgev1.ResourceContents:
			contents = append(contents, contentsOf(m, uri, mimeType))
		case *httpbody.HttpBody:
			contents = append(contents, contentsOfBody(m, uri, mimeType))
		case *bridgev1.Content:
			contents = append(contents, contentsOfBlock(m, uri, mimeType))
		}
	}
	return contents, nil
}

// contentsOf returns c with what it lacks. Where it holds nothing it is an empty text.
func contentsOf(c *bridgev1.ResourceContents, uri, mimeType string) mcp.ResourceContents {
	to := mcp.ResourceContents{URI: cmp.Or(uriOf(c.GetUri()), uri), MimeType: cmp.Or(mediaType(c.GetMimeType()), mimeType)}
	if blob, ok := c.GetContents().(*bridgev1.ResourceContents_Blob); ok {
		to.Binary, to.Blob, to.MimeType = true, blob.Blob, cmp.Or(to.MimeType, defaultBlob)
		return to
	}
	to.Text, to.MimeType = c.GetText(), cmp.Or(to.MimeType, defaultText)
	return to
}

// contentsOfBody returns a body as a text where its type says that it is one, else as bytes.
func contentsOfBody(body *httpbody.HttpBody, uri, mimeType string) mcp.ResourceContents {
	to := mcp.ResourceContents{URI: uri, MimeType: cmp.Or(mediaType(body.GetContentType()), mimeType, defaultBlob)}
	if isText(to.MimeType, body.GetData()) {
		to.Text = string(body.GetData())
	} else {
		to.Binary, to.Blob = true, body.GetData()
	}
	return to
}

// contentsOfBlock returns a block as contents.
func contentsOfBlock(c *bridgev1.Content, uri, mimeType string) mcp.ResourceContents {
	b := blockOf(c, uri)
	switch b.Kind {
	case mcp.ContentImage, mcp.ContentAudio:
		return mcp.ResourceContents{URI: uri, MimeType: b.MimeType, Blob: b.Data, Binary: true}
	case mcp.ContentResource:
		return contentsOf(c.GetResource(), uri, mimeType)
	case mcp.ContentResourceLink:
		name := cmp.Or(b.Link.Title, b.Link.Name)
		return mcp.ResourceContents{URI: uri, MimeType: "text/uri-list", Text: "# " + oneLine(name) + "\r\n" + oneLine(b.Link.URI) + "\r\n"}
	default:
		return mcp.ResourceContents{URI: uri, MimeType: cmp.Or(mimeType, defaultText), Text: b.Text}
	}
}

// oneLine takes the line breaks out of a text.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
