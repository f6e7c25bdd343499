package content_test

import (
	"bytes"
	"fmt"
	"mime"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// FuzzWire reads any bytes in each way. Nothing panics, what comes out is JSON, and where protobuf takes the bytes for a
// message, that message written anew gives the same.
func FuzzWire(f *testing.F) {
	for _, part := range [][]byte{
		field(f, pages, text("hello")),
		field(f, pages, image("\x89PNG", "")),
		field(f, pages, audio("x", "audio/ogg")),
		field(f, source, blobContents("", "", "x")),
		field(f, drawn, link(&bridgev1.ResourceLink{Uri: "book://1"})),
		field(f, scanned, body("text/html; charset=utf-8", "<p>")),
		field(f, said, &bridgev1.PromptMessage{Role: 2, Content: resource(textContents("", "", "x"))}),
		bytes.Join([][]byte{field(f, drawn, text("a")), raw(words, "b"), field(f, drawn, image("a", ""))}, nil),
		raw(pages, "\x0a\x03\x0a\x01\xff2\x0f\x0a\x02\x01\x02\x11\x00\x00\x00\x00\x00\x00\xf8\x7f"),
	} {
		f.Add(part)
	}
	outputs := map[protoreflect.MessageDescriptor]*content.Output{}
	for _, name := range []protoreflect.Name{"Show", "Pages", "Said"} {
		md := message(f, name)
		outputs[md] = content.OfOutput(md)
	}
	whole := (*bridgev1.PromptMessage)(nil).ProtoReflect().Descriptor()
	outputs[whole] = content.OfOutput(whole)
	f.Fuzz(func(t *testing.T, wire []byte) {
		for md, o := range outputs {
			got, err := read(o, wire)
			for _, doc := range got.documents() {
				if !jsontext.Value(doc).IsValid() {
					t.Fatalf("%s: not JSON: %s", md.FullName(), doc)
				}
			}
			for _, given := range got.given() {
				if !isSound(given) {
					t.Fatalf("%s: neither a media type nor a URI: %q", md.FullName(), given)
				}
			}
			again, ok := rewritten(md, wire)
			if !ok {
				continue
			}
			if err != nil {
				t.Fatalf("%s: protobuf reads what we refuse: %v", md.FullName(), err)
			}
			want, err := read(o, again)
			if err != nil {
				t.Fatalf("%s: written anew: %v", md.FullName(), err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(everything{}), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s: (-written anew +as it came):\n%s", md.FullName(), diff)
			}
		}
	})
}

// everything is a response read in each way.
type everything struct {
	blocks   []mcp.Content
	contents []mcp.ResourceContents
	messages []mcp.PromptMessage
}

func read(o *content.Output, wire []byte) (e everything, err error) {
	var errs [3]error
	e.blocks, errs[0] = o.Blocks(wire)
	e.contents, errs[1] = o.Contents(wire, "show://1", "")
	e.messages, errs[2] = o.Messages(wire)
	if (errs[0] == nil) != (errs[1] == nil) || (errs[0] == nil) != (errs[2] == nil) {
		return e, fmt.Errorf("not one opinion: %v", errs)
	}
	return e, errs[0]
}

// documents are the parts as a peer that has everything, and one that has nothing, gets them.
func (e *everything) documents() [][]byte {
	var docs [][]byte
	for _, f := range []mcp.Features{{}, {Audio: true, ResourceLinks: true, LastModified: true, Titles: true}} {
		for i := range e.blocks {
			docs = append(docs, e.blocks[i].AppendJSON(nil, f))
		}
		for i := range e.contents {
			docs = append(docs, e.contents[i].AppendJSON(nil, f))
		}
		result := mcp.GetPromptResult{Messages: e.messages}
		docs = append(docs, result.AppendJSON(nil, f))
	}
	return docs
}

// given are the media types and URIs.
func (e *everything) given() []string {
	var all []string
	for _, c := range e.contents {
		all = append(all, c.URI, c.MimeType)
	}
	blocks := e.blocks
	for _, m := range e.messages {
		blocks = append(blocks, m.Content)
	}
	for _, b := range blocks {
		all = append(all, b.MimeType, b.Resource.URI, b.Resource.MimeType, b.Link.URI, b.Link.MimeType)
	}
	return all
}

// isSound reports whether a text is "", a media type or a URI.
func isSound(given string) bool {
	if given == "" {
		return true
	}
	if strings.ContainsFunc(given, unicode.IsControl) {
		return false
	}
	u, err := url.Parse(given)
	_, _, malformed := mime.ParseMediaType(given)
	return malformed == nil && strings.Contains(given, "/") || err == nil && u.IsAbs()
}

// rewritten parses wire and writes it anew; ok is false where protobuf refuses it, or where there is more than Blocks takes.
func rewritten(md protoreflect.MessageDescriptor, wire []byte) (again []byte, ok bool) {
	m := dynamicpb.NewMessage(md)
	if err := proto.Unmarshal(wire, m); err != nil || len(wire) > content.MaxBlocks {
		return nil, false
	}
	again, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	return again, err == nil
}
