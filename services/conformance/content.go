package conformance

import bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"

const (
	// pixel is a PNG picture of one red pixel.
	pixel = "\x89PNG\x0d\x0a\x1a\x0a" +
		"\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde" +
		"\x00\x00\x00\x0cIDATx\xdac\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xf7\x03AC" +
		"\x00\x00\x00\x00IEND\xaeB`\x82"
	// silence is a WAV sound: one sample of 16 bits, mono, at 8000 Hz.
	silence = "RIFF\x26\x00\x00\x00WAVE" +
		"fmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00" +
		"data\x02\x00\x00\x00\x00\x00"
)

func text(s string) *bridgev1.Content {
	return &bridgev1.Content{Block: &bridgev1.Content_Text{Text: &bridgev1.TextContent{Text: s}}}
}

func image() *bridgev1.Content {
	return &bridgev1.Content{Block: &bridgev1.Content_Image{Image: &bridgev1.ImageContent{Data: []byte(pixel), MimeType: "image/png"}}}
}

func embedded(uri, mimeType, s string) *bridgev1.Content {
	return &bridgev1.Content{Block: &bridgev1.Content_Resource{Resource: &bridgev1.ResourceContents{
		Uri: uri, MimeType: mimeType, Contents: &bridgev1.ResourceContents_Text{Text: s},
	}}}
}

// user returns a prompt's message that the user says.
func user(content *bridgev1.Content) *bridgev1.PromptMessage {
	return &bridgev1.PromptMessage{Role: bridgev1.Role_ROLE_USER, Content: content}
}
