package content

import (
	"mime"
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/api/httpbody"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// The media types of what does not say its own.
const (
	defaultImage = "image/png"
	defaultAudio = "audio/wav"
	defaultText  = "text/plain"
	defaultBlob  = "application/octet-stream"
)

// blockOfBody returns a body as a block; uri is for bytes of no other kind. One without type and bytes is an empty text.
func blockOfBody(body *httpbody.HttpBody, uri string) mcp.Content {
	mediaType, data := body.GetContentType(), body.GetData()
	bare, _ := parseType(mediaType)
	switch {
	case isText(mediaType, data), mediaType == "" && len(data) == 0:
		return mcp.Content{Text: string(data)}
	case strings.HasPrefix(bare, "image/"):
		return mcp.Content{Kind: mcp.ContentImage, Data: data, MimeType: bare}
	case strings.HasPrefix(bare, "audio/"):
		return mcp.Content{Kind: mcp.ContentAudio, Data: data, MimeType: bare}
	}
	return mcp.Content{Kind: mcp.ContentResource, Resource: contentsOfBody(body, uri, "")}
}

// isText reports whether data of a media type is a text: text/*, JSON or XML by its type, and in UTF-8 by what it declares
// and what it is. So an SVG is a text and no picture, which models can read and most clients would refuse as a picture.
func isText(mediaType string, data []byte) bool {
	bare, charset := parseType(mediaType)
	written := strings.HasPrefix(bare, "text/") || bare == "application/json" || bare == "application/xml" ||
		strings.HasSuffix(bare, "+json") || strings.HasSuffix(bare, "+xml")
	switch charset {
	case "", "utf-8", "utf8", "us-ascii":
		return written && utf8.Valid(data)
	}
	return false
}

// parseType splits a media type into type and charset, both in lower case. Of one with malformed parameters the type
// counts.
func parseType(mediaType string) (bare, charset string) {
	bare, params, err := mime.ParseMediaType(mediaType)
	if err != nil && bare == "" {
		bare, _, _ = strings.Cut(mediaType, ";")
		bare = strings.ToLower(strings.TrimSpace(bare))
	}
	return bare, strings.ToLower(params["charset"])
}
