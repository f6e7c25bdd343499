package content_test

import (
	"os"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/mcpgrpc/bridge/bridge/internal/content"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// gallery has responses of every form.
const gallery = `
syntax = "proto3";
package gallery.v1;
import "bridge/v1/content.proto";
import "google/api/httpbody.proto";
message Show {
  string title = 1;
  google.api.HttpBody file = 9;
  repeated bridge.v1.Content pages = 2;
  bridge.v1.ResourceContents source = 3;
  oneof cover {
    bridge.v1.Content drawn = 4;
    string words = 5;
    google.api.HttpBody scanned = 6;
    int32 number = 7;
  }
  repeated bridge.v1.PromptMessage said = 8;
}
message Data { string title = 1; map<string, bridge.v1.Content> named = 2; Inner inner = 3; }
message Inner { bridge.v1.Content page = 1; }
message Pages { repeated bridge.v1.Content pages = 1; google.api.HttpBody body = 2; }
message Said { repeated bridge.v1.PromptMessage said = 1; }
message Nothing {}
`

// The numbers of the fields of Show.
const (
	title, pages, source, drawn, words, scanned, number, said, file = 1, 2, 3, 4, 5, 6, 7, 8, 9
)

// compile builds a file; what it imports comes from sources, else from what this test binary links.
func compile(t testing.TB, path string, sources map[string]string) protoreflect.FileDescriptor {
	t.Helper()
	linked := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		fd, err := protoregistry.GlobalFiles.FindFileByPath(path)
		return protocompile.SearchResult{Desc: fd}, err
	})
	compiler := protocompile.Compiler{Resolver: protocompile.CompositeResolver{
		&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(sources)}, linked,
	}}
	files, err := compiler.Compile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// message returns a type of the gallery.
func message(t testing.TB, name protoreflect.Name) protoreflect.MessageDescriptor {
	t.Helper()
	md := compile(t, "gallery.proto", map[string]string{"gallery.proto": gallery}).Messages().ByName(name)
	if md == nil {
		t.Fatalf("the gallery has no %s", name)
	}
	return md
}

func output(t testing.TB, name protoreflect.Name) *content.Output {
	t.Helper()
	return content.OfOutput(message(t, name))
}

// promises returns the source of bridge/v1/content.proto.
func promises(t testing.TB) string {
	t.Helper()
	source, err := os.ReadFile("../../../proto/bridge/v1/content.proto")
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// field encodes one field that holds m.
func field(t testing.TB, number protowire.Number, m proto.Message) []byte {
	t.Helper()
	wire, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw(number, string(wire))
}

// raw encodes one length-delimited field.
func raw(number protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), value)
}

func text(s string) *bridgev1.Content {
	return &bridgev1.Content{Block: &bridgev1.Content_Text{Text: &bridgev1.TextContent{Text: s}}}
}

func image(data, mimeType string) *bridgev1.Content {
	return &bridgev1.Content{Block: &bridgev1.Content_Image{Image: &bridgev1.ImageContent{Data: []byte(data), MimeType: mimeType}}}
}

func audio(data, mimeType string) *bridgev1.Content {
	return &bridgev1.Content{Block: &bridgev1.Content_Audio{Audio: &bridgev1.AudioContent{Data: []byte(data), MimeType: mimeType}}}
}

func resource(c *bridgev1.ResourceContents) *bridgev1.Content {
	return &bridgev1.Content{Block: &bridgev1.Content_Resource{Resource: c}}
}

func link(l *bridgev1.ResourceLink) *bridgev1.Content {
	return &bridgev1.Content{Block: &bridgev1.Content_ResourceLink{ResourceLink: l}}
}

func textContents(uri, mimeType, text string) *bridgev1.ResourceContents {
	return &bridgev1.ResourceContents{Uri: uri, MimeType: mimeType, Contents: &bridgev1.ResourceContents_Text{Text: text}}
}

func blobContents(uri, mimeType, blob string) *bridgev1.ResourceContents {
	return &bridgev1.ResourceContents{Uri: uri, MimeType: mimeType, Contents: &bridgev1.ResourceContents_Blob{Blob: []byte(blob)}}
}

func body(contentType, data string) *httpbody.HttpBody {
	return &httpbody.HttpBody{ContentType: contentType, Data: []byte(data)}
}
