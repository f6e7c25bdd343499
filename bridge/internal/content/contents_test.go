package content_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestContents: what each part is when it is read as a resource, with and without a media type in the definition.
func TestContents(t *testing.T) {
	t.Parallel()
	const uri = "book://1"
	words := func(uri, mimeType, s string) mcp.ResourceContents {
		return mcp.ResourceContents{URI: uri, MimeType: mimeType, Text: s}
	}
	bytes := func(mimeType, s string) mcp.ResourceContents {
		return mcp.ResourceContents{URI: uri, MimeType: mimeType, Blob: []byte(s), Binary: true}
	}
	for _, tt := range []struct {
		name     string
		in       proto.Message
		mimeType string
		want     mcp.ResourceContents
	}{
		{"text", textContents("book://1/a", "text/html", "a"), "text/css", words("book://1/a", "text/html", "a")},
		{"text without URI and type", textContents("", "", "a"), "", words(uri, "text/plain", "a")},
		{"text of the definition's type", textContents("", "", "a"), "text/css", words(uri, "text/css", "a")},
		{"bytes", blobContents("", "font/ttf", "a"), "", bytes("font/ttf", "a")},
		{"bytes without type", blobContents("", "", "a"), "", bytes("application/octet-stream", "a")},
		{"bytes of the definition's type", blobContents("", "", "a"), "font/ttf", bytes("font/ttf", "a")},
		{"nothing", &bridgev1.ResourceContents{}, "", words(uri, "text/plain", "")},
		{"body of text", body("text/html; charset=utf-8", "a"), "text/css", words(uri, "text/html; charset=utf-8", "a")},
		{"picture in a body", body("image/png", "a"), "", bytes("image/png", "a")},
		{"body without type", body("", "a"), "", bytes("application/octet-stream", "a")},
		{"body of the definition's type", body("", "{}"), "application/json", words(uri, "application/json", "{}")},
		{"body that is not the text it says", body("text/html", "\xff"), "", bytes("text/html", "\xff")},
		{"Content of text", text("a"), "", words(uri, "text/plain", "a")},
		{"Content of text of the definition's type", text("a"), "text/css", words(uri, "text/css", "a")},
		{"picture", image("a", ""), "text/css", bytes("image/png", "a")},
		{"sound", audio("a", "audio/ogg"), "", bytes("audio/ogg", "a")},
		{"embedded", resource(textContents("", "", "a")), "text/css", words(uri, "text/css", "a")},
		{"embedded with URI", resource(textContents("book://2", "", "a")), "", words("book://2", "text/plain", "a")},
		{
			"link", link(&bridgev1.ResourceLink{Uri: "book://2", Title: "Two\nand more"}), "",
			words(uri, "text/uri-list", "# Two and more\r\nbook://2\r\n"),
		},
		{"empty Content", &bridgev1.Content{}, "", words(uri, "text/plain", "")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wire, err := proto.Marshal(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := content.OfOutput(tt.in.ProtoReflect().Descriptor()).Contents(wire, uri, tt.mimeType)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]mcp.ResourceContents{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestContentsOfFields: several parts in the order of declaration, and none where the response is data.
func TestContentsOfFields(t *testing.T) {
	t.Parallel()
	wire := append(field(t, source, textContents("", "", "source")), field(t, pages, text("page"))...)
	wire = append(wire, field(t, said, &bridgev1.PromptMessage{Content: text("no contents")})...)
	got, err := output(t, "Show").Contents(append(wire, raw(title, "data")...), "show://1", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []mcp.ResourceContents{
		{URI: "show://1", MimeType: "text/plain", Text: "page"}, {URI: "show://1", MimeType: "text/plain", Text: "source"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, none := range [][]byte{nil, raw(title, "data")} {
		if got, err := output(t, "Show").Contents(none, "show://1", ""); err != nil || len(got) > 0 {
			t.Errorf("contents %v, error %v; want none", got, err)
		}
	}
}

// TestMessages: the messages of a prompt, and the user's where there is content only.
func TestMessages(t *testing.T) {
	t.Parallel()
	user, assistant := bridgev1.Role_ROLE_USER, bridgev1.Role_ROLE_ASSISTANT
	for _, tt := range []struct {
		name string
		wire [][]byte
		want []mcp.PromptMessage
	}{
		{
			"messages",
			[][]byte{
				field(t, said, &bridgev1.PromptMessage{Role: assistant, Content: text("a")}),
				field(t, said, &bridgev1.PromptMessage{Role: user, Content: image("b", "")}),
				field(t, said, &bridgev1.PromptMessage{Role: 99, Content: resource(textContents("", "", "c"))}),
				field(t, said, &bridgev1.PromptMessage{}),
			},
			[]mcp.PromptMessage{
				{Role: "assistant", Content: mcp.Content{Text: "a"}},
				{Role: "user", Content: mcp.Content{Kind: mcp.ContentImage, Data: []byte("b"), MimeType: "image/png"}},
				{Role: "user", Content: mcp.Content{
					Kind: mcp.ContentResource, Resource: mcp.ResourceContents{URI: "attachment:said/2", MimeType: "text/plain", Text: "c"},
				}},
				{Role: "user"},
			},
		},
		{"blocks", [][]byte{field(t, pages, text("a"))}, []mcp.PromptMessage{{Role: "user", Content: mcp.Content{Text: "a"}}}},
		{
			"both",
			[][]byte{field(t, said, &bridgev1.PromptMessage{Role: assistant, Content: text("b")}), field(t, pages, text("a"))},
			[]mcp.PromptMessage{{Role: "user", Content: mcp.Content{Text: "a"}}, {Role: "assistant", Content: mcp.Content{Text: "b"}}},
		},
		{"data", [][]byte{raw(title, "data")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var wire []byte
			for _, part := range tt.wire {
				wire = append(wire, part...)
			}
			got, err := output(t, "Show").Messages(wire)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestMessageAsAWhole: a response can be a message itself.
func TestMessageAsAWhole(t *testing.T) {
	t.Parallel()
	m := &bridgev1.PromptMessage{Role: bridgev1.Role_ROLE_ASSISTANT, Content: text("hello")}
	wire, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := content.OfOutput(m.ProtoReflect().Descriptor()).Messages(wire)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]mcp.PromptMessage{{Role: "assistant", Content: mcp.Content{Text: "hello"}}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
