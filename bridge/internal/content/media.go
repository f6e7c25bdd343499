package content

import (
	"mime"
	"strings"
	"unicode"
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

// maxMediaType bounds a media type, in bytes: both its names have 127 at most (RFC 6838 section 4.2), and parameters follow.
const maxMediaType = 512

// mediaType returns what a backend gives as a media type if it is one (RFC 6838), without its parameters if those are not
// sound; else "", as if it had given none.
func mediaType(given string) string {
	if len(given) > maxMediaType {
		return ""
	}
	bare, _, err := mime.ParseMediaType(given)
	if err != nil {
		given, _, _ = strings.Cut(given, ";")
		bare, _, err = mime.ParseMediaType(given)
	}
	switch {
	case err != nil, !strings.Contains(bare, "/"), strings.Contains(bare, "*"): // a disposition, a range
		return ""
	case strings.ContainsFunc(given, unicode.IsControl):
		return bare
	}
	return strings.TrimSpace(given)
}

// blockOfBody returns a body as a block; uri is for bytes of no other kind. One without type and bytes is an empty text.
func blockOfBody(body *httpbody.HttpBody, uri string) mcp.Content {
	given, data := mediaType(body.GetContentType()), body.GetData()
	bare, _ := parseType(given)
	switch {
	case isText(given, data), given == "" && len(data) == 0:
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

// parseType splits a media type into type and charset, both in lower case; both are "" of what is none.
func parseType(mediaType string) (bare, charset string) {
	bare, params, _ := mime.ParseMediaType(mediaType)
	return bare, strings.ToLower(params["charset"])
}
