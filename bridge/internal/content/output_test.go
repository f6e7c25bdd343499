package content_test

import (
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/content"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestOfOutput tells what of a response is data and what is not.
func TestOfOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		md          protoreflect.MessageDescriptor
		plain, only bool
		omitted     string
	}{
		{"fields of every form", message(t, "Show"), false, false, "file pages source drawn scanned"},
		{"content in maps and further down is data", message(t, "Data"), true, false, ""},
		{"content only", message(t, "Pages"), false, true, "pages body"},
		{"messages of prompts are data elsewhere", message(t, "Said"), false, false, ""},
		{"no fields", message(t, "Nothing"), true, false, ""},
		{"no message", nil, true, false, ""},
		{"empty", (*emptypb.Empty)(nil).ProtoReflect().Descriptor(), true, false, ""},
		{"any", (*anypb.Any)(nil).ProtoReflect().Descriptor(), true, false, ""},
		{"struct", (*structpb.Struct)(nil).ProtoReflect().Descriptor(), true, false, ""},
		{
			"Content as a whole", (*bridgev1.Content)(nil).ProtoReflect().Descriptor(), false, true,
			"text image audio resource resource_link annotations",
		},
		{
			"ResourceContents as a whole", (*bridgev1.ResourceContents)(nil).ProtoReflect().Descriptor(), false, true,
			"uri mime_type text blob",
		},
		{"HttpBody as a whole", (*httpbody.HttpBody)(nil).ProtoReflect().Descriptor(), false, true, "content_type data extensions"},
		{"PromptMessage as a whole", (*bridgev1.PromptMessage)(nil).ProtoReflect().Descriptor(), false, false, ""},
		{"TextContent is data", (*bridgev1.TextContent)(nil).ProtoReflect().Descriptor(), true, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := content.OfOutput(tt.md)
			if o.Plain() != tt.plain || o.Only() != tt.only {
				t.Errorf("plain %v, only %v; want %v, %v", o.Plain(), o.Only(), tt.plain, tt.only)
			}
			if want := tt.only || tt.name == "messages of prompts are data elsewhere" || tt.name == "PromptMessage as a whole"; o.Spoken() != want {
				t.Errorf("spoken %v, want %v", o.Spoken(), want)
			}
			if got := omitted(o, tt.md); got != tt.omitted {
				t.Errorf("omits %q, want %q", got, tt.omitted)
			}
		})
	}
}

// omitted names the fields of md that o omits.
func omitted(o *content.Output, md protoreflect.MessageDescriptor) string {
	if md == nil {
		return ""
	}
	var names []string
	for i := range md.Fields().Len() {
		if fd := md.Fields().Get(i); o.Omits(fd) {
			names = append(names, string(fd.Name()))
		}
	}
	return strings.Join(names, " ")
}

// TestOmitsNothingElse: fields of other messages with the same numbers stay.
func TestOmitsNothingElse(t *testing.T) {
	t.Parallel()
	o := output(t, "Show")
	if got := omitted(o, message(t, "Data")) + omitted(o, message(t, "Pages")); got != "" || o.Omits(nil) {
		t.Errorf("omits %q of other messages", got)
	}
}

const own = `
syntax = "proto3";
package own;
import "bridge/v1/content.proto";
message Reply { string title = 1; bridge.v1.Content page = 2; }
`

// TestOwnCopy: a backend may have a copy of the file, older or newer, and what only has the name of our type is data.
func TestOwnCopy(t *testing.T) {
	t.Parallel()
	source := promises(t)
	replace := func(from, to string) string {
		if !strings.Contains(source, from) {
			t.Fatalf("content.proto has no %q", from)
		}
		return strings.Replace(source, from, to, 1)
	}
	for _, tt := range []struct {
		name, source string
		content      bool
	}{
		{"the same", source, true},
		{"older, without sound", replace("AudioContent audio = 3;", ""), true},
		{"newer, with more", replace("ContentAnnotations annotations = 6;", "ContentAnnotations annotations = 6; string id = 70;"), true},
		{"a field of another type", replace("ContentAnnotations annotations = 6;", "string annotations = 6;"), false},
		{"a list", replace("ContentAnnotations annotations = 6;", "repeated ContentAnnotations annotations = 6;"), false},
		{"another type further down", replace("bytes data = 1;", "string data = 1;"), false},
		{"a stranger", `syntax = "proto3"; package bridge.v1; message Content { int64 id = 1; }`, false},
		{"nothing in common", `syntax = "proto3"; package bridge.v1; message Content { int64 id = 100; }`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sources := map[string]string{"own.proto": own, "bridge/v1/content.proto": tt.source}
			md := compile(t, "own.proto", sources).Messages().ByName("Reply")
			o := content.OfOutput(md)
			if got := o.Omits(md.Fields().ByName("page")); got != tt.content || o.Plain() == tt.content {
				t.Fatalf("omits the page: %v, plain: %v; want content: %v", got, o.Plain(), tt.content)
			}
			blocks, err := o.Blocks(field(t, 2, text("hello")))
			if err != nil || (len(blocks) == 1 && blocks[0].Text == "hello") != tt.content {
				t.Errorf("blocks %s, error %v", cmp.Diff(nil, blocks), err)
			}
		})
	}
}
