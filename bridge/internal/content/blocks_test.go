package content_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestBlocksOfContent: what each kind of block becomes.
func TestBlocksOfContent(t *testing.T) {
	t.Parallel()
	unknown := &bridgev1.Content{}
	unknown.ProtoReflect().SetUnknown(raw(42, "video"))
	for _, tt := range []struct {
		name string
		in   *bridgev1.Content
		want mcp.Content
	}{
		{"text", text("hello"), mcp.Content{Text: "hello"}},
		{"empty text", text(""), mcp.Content{}},
		{"image", image("\x89PNG", "image/webp"), mcp.Content{Kind: mcp.ContentImage, Data: []byte("\x89PNG"), MimeType: "image/webp"}},
		{"image without type", image("x", ""), mcp.Content{Kind: mcp.ContentImage, Data: []byte("x"), MimeType: "image/png"}},
		{"audio", audio("x", "audio/ogg"), mcp.Content{Kind: mcp.ContentAudio, Data: []byte("x"), MimeType: "audio/ogg"}},
		{"audio without type", audio("x", ""), mcp.Content{Kind: mcp.ContentAudio, Data: []byte("x"), MimeType: "audio/wav"}},
		{
			"resource", resource(textContents("book://1", "text/markdown", "# One")),
			mcp.Content{Kind: mcp.ContentResource, Resource: mcp.ResourceContents{URI: "book://1", MimeType: "text/markdown", Text: "# One"}},
		},
		{
			"resource without type", resource(textContents("book://1", "", "One")),
			mcp.Content{Kind: mcp.ContentResource, Resource: mcp.ResourceContents{URI: "book://1", MimeType: "text/plain", Text: "One"}},
		},
		{
			"binary resource without URI and type", resource(blobContents("", "", "\xff")),
			mcp.Content{Kind: mcp.ContentResource, Resource: mcp.ResourceContents{
				URI: "attachment:pages/0", MimeType: "application/octet-stream", Blob: []byte("\xff"), Binary: true,
			}},
		},
		{
			"resource that holds nothing", resource(&bridgev1.ResourceContents{}),
			mcp.Content{Kind: mcp.ContentResource, Resource: mcp.ResourceContents{URI: "attachment:pages/0", MimeType: "text/plain"}},
		},
		{
			"link", link(&bridgev1.ResourceLink{Uri: "book://1", Name: "one", Title: "One", Description: "A book.", MimeType: "text/plain"}),
			mcp.Content{Kind: mcp.ContentResourceLink, Link: mcp.Resource{
				URI: "book://1", Name: "one", Title: "One", Description: "A book.", MimeType: "text/plain",
			}},
		},
		{
			"link without name", link(&bridgev1.ResourceLink{Uri: "book://1"}),
			mcp.Content{Kind: mcp.ContentResourceLink, Link: mcp.Resource{URI: "book://1", Name: "book://1"}},
		},
		{"link without URI", link(&bridgev1.ResourceLink{Name: "one"}), mcp.Content{Text: "resource without a URI: one"}},
		{"link without anything", link(&bridgev1.ResourceLink{}), mcp.Content{Text: "resource without a URI: (nameless)"}},
		{"nothing", &bridgev1.Content{}, mcp.Content{}},
		{"of a newer kind", unknown, mcp.Content{Text: "(content of a kind that the bridge does not know: field 42 of bridge.v1.Content)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := output(t, "Show").Blocks(field(t, pages, tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]mcp.Content{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestBlocksOfBody: the media type of a google.api.HttpBody decides what it becomes.
func TestBlocksOfBody(t *testing.T) {
	t.Parallel()
	said := func(text string) mcp.Content { return mcp.Content{Text: text} }
	bytes := func(mimeType, data string) mcp.Content {
		return mcp.Content{Kind: mcp.ContentResource, Resource: mcp.ResourceContents{
			URI: "attachment:file", MimeType: mimeType, Blob: []byte(data), Binary: true,
		}}
	}
	for _, tt := range []struct {
		contentType, data string
		want              mcp.Content
	}{
		{"text/plain", "Zürich", said("Zürich")},
		{"text/html; charset=UTF-8", "<p>", said("<p>")},
		{`Text/CSV; charset="us-ascii"`, "a,b", said("a,b")},
		{"text/plain; charset", "malformed", said("malformed")},
		{"application/json", "{}", said("{}")},
		{"application/problem+json", "{}", said("{}")},
		{"application/xml", "<a/>", said("<a/>")},
		{"application/atom+xml", "<a/>", said("<a/>")},
		{"image/svg+xml", "<svg/>", said("<svg/>")},
		{"", "", said("")},
		{"text/plain", "", said("")},
		{"text/plain", "\xff", bytes("text/plain", "\xff")},
		{"text/plain; charset=utf-16", "a\x00", bytes("text/plain; charset=utf-16", "a\x00")},
		{"application/pdf", "%PDF", bytes("application/pdf", "%PDF")},
		{"", "no type", bytes("application/octet-stream", "no type")},
		{"nonsense", "x", bytes("application/octet-stream", "x")},
		{"image/png", "\x89", mcp.Content{Kind: mcp.ContentImage, Data: []byte("\x89"), MimeType: "image/png"}},
		{"IMAGE/JPEG; q=1", "\xff", mcp.Content{Kind: mcp.ContentImage, Data: []byte("\xff"), MimeType: "image/jpeg"}},
		{"audio/mpeg", "\xff", mcp.Content{Kind: mcp.ContentAudio, Data: []byte("\xff"), MimeType: "audio/mpeg"}},
	} {
		t.Run(tt.contentType+" "+tt.data, func(t *testing.T) {
			t.Parallel()
			got, err := output(t, "Show").Blocks(field(t, file, body(tt.contentType, tt.data)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]mcp.Content{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestBlocksOfAWhole: a response can be content itself, an empty one too.
func TestBlocksOfAWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   proto.Message
		want []mcp.Content
	}{
		{"Content", image("x", ""), []mcp.Content{{Kind: mcp.ContentImage, Data: []byte("x"), MimeType: "image/png"}}},
		{"empty Content", &bridgev1.Content{}, []mcp.Content{{}}},
		{"HttpBody", body("text/plain", "hello"), []mcp.Content{{Text: "hello"}}},
		{"empty HttpBody", body("", ""), []mcp.Content{{}}},
		{
			"ResourceContents", textContents("", "", "hello"),
			[]mcp.Content{
				{Kind: mcp.ContentResource, Resource: mcp.ResourceContents{URI: "attachment:result", MimeType: "text/plain", Text: "hello"}},
			},
		},
		{"PromptMessage", &bridgev1.PromptMessage{Content: text("hello")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wire, err := proto.Marshal(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := content.OfOutput(tt.in.ProtoReflect().Descriptor()).Blocks(wire)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnnotations keep to what MCP allows, whatever the backend says.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	user, assistant := bridgev1.Role_ROLE_USER, bridgev1.Role_ROLE_ASSISTANT
	day := time.Date(2026, 7, 28, 10, 30, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		in   *bridgev1.ContentAnnotations
		want mcp.Annotations
	}{
		{"none", &bridgev1.ContentAnnotations{}, mcp.Annotations{}},
		{
			"audience", &bridgev1.ContentAnnotations{Audience: []bridgev1.Role{assistant, user}},
			mcp.Annotations{Audience: []string{"assistant", "user"}},
		},
		{
			"audience said again, not said and unknown", &bridgev1.ContentAnnotations{Audience: []bridgev1.Role{0, user, 99}},
			mcp.Annotations{Audience: []string{"user"}},
		},
		{"priority", &bridgev1.ContentAnnotations{Priority: new(0.5)}, mcp.Annotations{Priority: new(0.5)}},
		{"priority of 0", &bridgev1.ContentAnnotations{Priority: new(0.0)}, mcp.Annotations{Priority: new(0.0)}},
		{"too high a priority", &bridgev1.ContentAnnotations{Priority: new(math.Inf(1))}, mcp.Annotations{Priority: new(1.0)}},
		{"too low a priority", &bridgev1.ContentAnnotations{Priority: new(-1.0)}, mcp.Annotations{Priority: new(0.0)}},
		{"no number", &bridgev1.ContentAnnotations{Priority: new(math.NaN())}, mcp.Annotations{}},
		{"time", &bridgev1.ContentAnnotations{LastModified: timestamppb.New(day)}, mcp.Annotations{LastModified: "2026-07-28T10:30:00Z"}},
		{
			"time to the nanosecond", &bridgev1.ContentAnnotations{LastModified: timestamppb.New(day.Add(1))},
			mcp.Annotations{LastModified: "2026-07-28T10:30:00.000000001Z"},
		},
		{"no time", &bridgev1.ContentAnnotations{LastModified: &timestamppb.Timestamp{Seconds: math.MaxInt64}}, mcp.Annotations{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := text("x")
			c.Annotations = tt.in
			got, err := output(t, "Show").Blocks(field(t, pages, c))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]mcp.Content{{Text: "x", Annotations: tt.want}}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestBlocksInOrder: the fields as declared, whatever their numbers and their order on the wire, and lists as they are.
func TestBlocksInOrder(t *testing.T) {
	t.Parallel()
	var wire []byte
	for _, part := range [][]byte{
		field(t, drawn, text("drawn")),
		field(t, pages, text("first page")),
		raw(title, "data"),
		field(t, source, textContents("", "", "source")),
		protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1),
		field(t, pages, resource(textContents("", "", "second page"))),
		field(t, said, &bridgev1.PromptMessage{Content: text("not content")}),
		field(t, file, body("text/plain", "file")),
	} {
		wire = append(wire, part...)
	}
	got, err := output(t, "Show").Blocks(wire)
	if err != nil {
		t.Fatal(err)
	}
	want := []mcp.Content{
		{Text: "file"},
		{Text: "first page"},
		{Kind: mcp.ContentResource, Resource: mcp.ResourceContents{URI: "attachment:pages/1", MimeType: "text/plain", Text: "second page"}},
		{Kind: mcp.ContentResource, Resource: mcp.ResourceContents{URI: "attachment:source", MimeType: "text/plain", Text: "source"}},
		{Text: "drawn"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
