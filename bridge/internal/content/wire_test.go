package content_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestWire: fields that occur again, oneofs and foreign wire types are read as protobuf reads them.
func TestWire(t *testing.T) {
	t.Parallel()
	number7 := protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), 7)
	notes := func(c *bridgev1.Content) *bridgev1.Content {
		c.Annotations = &bridgev1.ContentAnnotations{Audience: []bridgev1.Role{bridgev1.Role_ROLE_USER}}
		return c
	}
	for _, tt := range []struct {
		name string
		wire [][]byte
		want []mcp.Content
	}{
		{
			"a singular message in two halves is merged",
			[][]byte{field(t, drawn, text("a")), field(t, drawn, notes(&bridgev1.Content{}))},
			[]mcp.Content{{Text: "a", Annotations: mcp.Annotations{Audience: []string{"user"}}}},
		},
		{
			"so is what it holds",
			[][]byte{field(t, drawn, image("a", "")), field(t, drawn, image("", "image/gif"))},
			[]mcp.Content{{Kind: mcp.ContentImage, Data: []byte("a"), MimeType: "image/gif"}},
		},
		{
			"of a block the last kind stays",
			[][]byte{field(t, drawn, image("a", "")), field(t, drawn, text("b"))},
			[]mcp.Content{{Text: "b"}},
		},
		{
			"a body is merged",
			[][]byte{field(t, file, body("text/plain", "")), field(t, file, &httpbody.HttpBody{Data: []byte("a")})},
			[]mcp.Content{{Text: "a"}},
		},
		{
			"of a oneof the last member stays",
			[][]byte{field(t, drawn, text("a")), field(t, scanned, body("text/plain", "b"))},
			[]mcp.Content{{Text: "b"}},
		},
		{"data unsets content", [][]byte{field(t, drawn, text("a")), number7}, nil},
		{"content unsets data", [][]byte{number7, field(t, drawn, text("a"))}, []mcp.Content{{Text: "a"}}},
		{
			"content that was unset begins anew",
			[][]byte{field(t, drawn, image("a", "image/gif")), number7, field(t, drawn, image("b", ""))},
			[]mcp.Content{{Kind: mcp.ContentImage, Data: []byte("b"), MimeType: "image/png"}},
		},
		{"a member of another wire type is unknown", [][]byte{field(t, drawn, text("a")), raw(number, "x")}, []mcp.Content{{Text: "a"}}},
		{
			"so is content",
			[][]byte{protowire.AppendVarint(protowire.AppendTag(nil, pages, protowire.VarintType), 1), field(t, pages, text("a"))},
			[]mcp.Content{{Text: "a"}},
		},
		{"data only", [][]byte{raw(title, "data")}, nil},
		{"nothing", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := output(t, "Show").Blocks(bytes.Join(tt.wire, nil))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestInvalidUTF8: a string that is not UTF-8 costs no more than its bytes; those of a picture are left alone.
func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	const mended = "a\uFFFDb"
	broken := func(parts ...[]byte) string { return string(bytes.Join(parts, nil)) }
	for _, tt := range []struct {
		name string
		wire []byte
		want mcp.Content
	}{
		{"text", raw(pages, broken(raw(1, broken(raw(1, "a\xffb"))))), mcp.Content{Text: mended}},
		{
			"picture", raw(pages, broken(raw(2, broken(raw(1, "a\xffb"), raw(2, "a\xffb"))))),
			mcp.Content{Kind: mcp.ContentImage, Data: []byte("a\xffb"), MimeType: "image/png"},
		},
		{
			"resource", raw(source, broken(raw(1, "a\xffb"), raw(2, "text/plain"), raw(3, "a\xffb"))),
			mcp.Content{Kind: mcp.ContentResource, Resource: mcp.ResourceContents{URI: "attachment:source", MimeType: "text/plain", Text: mended}},
		},
		{
			"beside what is newer", raw(pages, broken(raw(1, broken(raw(1, "a\xffb"))), raw(42, "\xff"))),
			mcp.Content{Text: mended},
		},
		{
			"type of a body", raw(file, broken(raw(1, "text/plain; x=a\xffb"), raw(2, "x"))),
			mcp.Content{Text: "x"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := output(t, "Show").Blocks(tt.wire)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]mcp.Content{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestBadWire is refused, with the place and the type.
func TestBadWire(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, message, wire, want string
	}{
		{"cut off", "Show", "\x12\x05ab", "unreadable reply: bytes that are not a valid gallery.v1.Show"},
		{"no field number", "Show", "\x00", "not a valid gallery.v1.Show"},
		{"cut off further down", "Show", string(raw(pages, "\x0a\x05ab")), "pages of gallery.v1.Show is not a valid bridge.v1.Content"},
		{
			"cut off beside a bad string", "Show", string(raw(source, "\x0a\x01\xff\x0a\x05")),
			"source of gallery.v1.Show is not a valid bridge.v1.ResourceContents",
		},
		{"body", "Show", string(raw(file, "\x12\x05ab")), "file of gallery.v1.Show is not a valid google.api.HttpBody"},
		{"message", "Said", string(raw(1, "\x0a")), "said of gallery.v1.Said is not a valid bridge.v1.PromptMessage"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for way, err := range all(output(t, protoreflect.Name(tt.message)), []byte(tt.wire)) {
				if !errors.Is(err, content.ErrReply) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: error %v, want %q", way, err, tt.want)
				}
			}
		})
	}
}

// all reads wire in each way and returns the errors.
func all(o *content.Output, wire []byte) map[string]error {
	_, blocks := o.Blocks(wire)
	_, contents := o.Contents(wire, "show://1", "")
	_, messages := o.Messages(wire)
	return map[string]error{"blocks": blocks, "contents": contents, "messages": messages}
}

// TestMaxBlocks: more blocks than are allowed are an error, not a choice among them.
func TestMaxBlocks(t *testing.T) {
	t.Parallel()
	o := output(t, "Show")
	page := field(t, pages, text(""))
	if got, err := o.Blocks(bytes.Repeat(page, content.MaxBlocks)); err != nil || len(got) != content.MaxBlocks {
		t.Errorf("%d blocks, error %v; want %d", len(got), err, content.MaxBlocks)
	}
	for way, err := range all(o, bytes.Repeat(page, content.MaxBlocks+1)) {
		if !errors.Is(err, content.ErrTooLarge) || !strings.Contains(err.Error(), "more than 1000 blocks of content") {
			t.Errorf("%s: error %v", way, err)
		}
	}
}

// TestMemory: what a response allocates grows with its bytes and no faster, though protobuf would take much more of some. It
// is not parallel, so that it measures itself alone.
func TestMemory(t *testing.T) {
	const size = 1 << 20
	o := output(t, "Show")
	for _, tt := range []struct{ name, unit string }{
		{"extensions of a body", string(raw(file, string(bytes.Repeat(raw(3, ""), 60))))},
		{"an empty message again and again", string(raw(drawn, ""))},
		{"unknown fields of a block", string(raw(drawn, string(raw(42, ""))))},
		{"roles", string(raw(drawn, string(raw(6, string(raw(1, strings.Repeat("\x01", 60)))))))},
		{"data", string(raw(title, ""))},
		{"bad text", string(raw(drawn, string(raw(1, string(raw(1, strings.Repeat("\xff", 60)))))))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wire := []byte(strings.Repeat(tt.unit, size/len(tt.unit)))
			if got := allocated(t, o, wire); got > 32*size { // what a growing list leaves behind included
				t.Errorf("%d bytes for %d", got, len(wire))
			}
		})
	}
}

// allocated returns how many bytes Blocks allocates.
func allocated(t *testing.T, o *content.Output, wire []byte) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := o.Blocks(wire); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	t.Logf("%d bytes for %d", after.TotalAlloc-before.TotalAlloc, len(wire))
	return after.TotalAlloc - before.TotalAlloc
}
