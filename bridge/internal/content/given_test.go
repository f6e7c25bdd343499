package content_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestMediaTypesOfBackends: what is no media type is replaced by the default of its kind, wherever it stands, and of one with
// malformed parameters the type alone is sent.
func TestMediaTypesOfBackends(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 2<<20)
	for given, want := range map[string]string{
		"image/\r\nx: y": "", "\x00\n": "", "image/": "", "/png": "", "image": "", "image/*": "", "image/png, image/gif": "",
		"image/png image/gif": "", "image/\u00e9": "", "image/" + long: "", "image/webp; q=" + long: "",
		"image/webp": "image/webp", "Image/WebP; q=1": "Image/WebP; q=1", " image/webp ": "image/webp",
		"image/webp; q": "image/webp", "image/webp; q=1; q=2": "image/webp", "image/webp\n": "image/webp",
		"image/webp; q=\"\x01\"": "image/webp", "image/webp;\r\nx: y": "image/webp",
	} {
		name := given[:min(len(given), 30)]
		or := func(otherwise string) string {
			if want != "" {
				return want
			}
			return otherwise
		}
		for kind, tt := range map[string]struct {
			in   proto.Message
			want string
		}{
			"picture":  {image("x", given), or("image/png")},
			"sound":    {audio("x", given), or("audio/wav")},
			"text":     {textContents("", given, "x"), or("text/css")},
			"bytes":    {blobContents("", given, "x"), or("text/css")},
			"embedded": {resource(textContents("", given, "x")), or("text/css")},
			"body":     {body(given, "\xff"), or("text/css")},
		} {
			wire, err := proto.Marshal(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := content.OfOutput(tt.in.ProtoReflect().Descriptor()).Contents(wire, "book://1", "text/css")
			if err != nil || len(got) != 1 || got[0].MimeType != tt.want {
				t.Errorf("%s of %q: %+v, %v; want %q", kind, name, got, err, tt.want)
			}
		}
	}
}

// TestURIsOfBackends: what is no absolute URI is replaced by the one that was read or that names the place, and a link
// without a URI is a text.
func TestURIsOfBackends(t *testing.T) {
	t.Parallel()
	for _, given := range []string{
		"not a uri", "no uri \n at all", "/relative", "//host/path", ":", "1x:y", "http://h/%zz", "http://h/\x00", "http://[::1", "http://h/<a>",
		"book://Z\u00fcrich", "http://h/" + strings.Repeat("a", 2<<20),
	} {
		name := given[:min(len(given), 30)]
		wire := append(field(t, source, textContents(given, "", "x")),
			field(t, pages, link(&bridgev1.ResourceLink{Uri: given, Name: "one", MimeType: "\n"}))...)
		blocks, err := output(t, "Show").Blocks(wire)
		if err != nil || len(blocks) != 2 {
			t.Fatalf("%q: %+v, %v", name, blocks, err)
		}
		if b := blocks[0]; b.Kind != mcp.ContentText || !strings.HasPrefix(b.Text, "resource without a valid URI (") ||
			!strings.HasSuffix(b.Text, ": one") || len(b.Text) > 1000 {
			t.Errorf("link to %q: %+v", name, b)
		}
		if got := blocks[1].Resource.URI; got != "attachment:source" {
			t.Errorf("embedded %q: %q", name, got)
		}
		contents, err := output(t, "Show").Contents(wire, "show://1", "")
		if err != nil || len(contents) != 2 || contents[1].URI != "show://1" {
			t.Errorf("contents %q: %+v, %v", name, contents, err)
		}
	}
	for _, uri := range []string{"book://1", "urn:isbn:0451450523", "data:text/plain,a%20b", "file:///a/b", "http://[::1]:80/?q=a#f", "x:"} {
		blocks, err := output(t, "Show").Blocks(field(t, pages, link(&bridgev1.ResourceLink{Uri: uri, MimeType: "nonsense"})))
		want := []mcp.Content{{Kind: mcp.ContentResourceLink, Link: mcp.Resource{URI: uri, Name: uri}}}
		if diff := cmp.Diff(want, blocks); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", uri, err, diff)
		}
	}
}
