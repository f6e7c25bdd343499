package content

import (
	"cmp"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// blockOf returns c as a block; uri is for a resource that has none.
func blockOf(c *bridgev1.Content, uri string) mcp.Content {
	var b mcp.Content
	switch is := c.GetBlock().(type) {
	case *bridgev1.Content_Text:
		b.Text = is.Text.GetText()
	case *bridgev1.Content_Image:
		b.Kind, b.Data, b.MimeType = mcp.ContentImage, is.Image.GetData(), cmp.Or(mediaType(is.Image.GetMimeType()), defaultImage)
	case *bridgev1.Content_Audio:
		b.Kind, b.Data, b.MimeType = mcp.ContentAudio, is.Audio.GetData(), cmp.Or(mediaType(is.Audio.GetMimeType()), defaultAudio)
	case *bridgev1.Content_Resource:
		b.Kind, b.Resource = mcp.ContentResource, contentsOf(is.Resource, uri, "")
	case *bridgev1.Content_ResourceLink:
		b = linkOf(is.ResourceLink)
	default:
		b.Text = unknownBlock(c)
	}
	b.Annotations = annotationsOf(c.GetAnnotations())
	return b
}

// linkOf returns a link as a block; one without a URI, which MCP has none of, as a text with what it says.
func linkOf(l *bridgev1.ResourceLink) mcp.Content {
	uri := uriOf(l.GetUri())
	if uri == "" {
		lacks := "a URI"
		if l.GetUri() != "" {
			lacks = fmt.Sprintf("a valid URI (%q is none)", jsonrpc.Echo(l.GetUri()))
		}
		return mcp.Content{Text: "resource without " + lacks + ": " + cmp.Or(l.GetTitle(), l.GetName(), l.GetDescription(), "(nameless)")}
	}
	return mcp.Content{Kind: mcp.ContentResourceLink, Link: mcp.Resource{
		URI:         uri,
		Name:        cmp.Or(l.GetName(), uri),
		Title:       l.GetTitle(),
		Description: l.GetDescription(),
		MimeType:    mediaType(l.GetMimeType()),
	}}
}

// unknownBlock is the text for a Content without a block that the bridge knows; "" where it has nothing unknown either.
func unknownBlock(c *bridgev1.Content) string {
	num, _, size := protowire.ConsumeField(c.ProtoReflect().GetUnknown())
	if size < 0 {
		return ""
	}
	return fmt.Sprintf("(content of a kind that the bridge does not know: field %d of bridge.v1.Content)", num)
}
