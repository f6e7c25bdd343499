package annotation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// documented declares gnostic's options itself, with the numbers of openapiv3/annotations.proto and OpenAPIv3.proto.
const documented = `
syntax = "proto3";
package test;
import "google/protobuf/descriptor.proto";
import "protoc-gen-openapiv2/options/annotations.proto";
message Operation { string summary = 2; string description = 3; }
message Schema { string title = 9; string description = 34; }
extend google.protobuf.MethodOptions { Operation operation = 1143; }
extend google.protobuf.MessageOptions { Schema schema = 1143; }
extend google.protobuf.FieldOptions { Schema property = 1143; }

// The comment.
message Both {
  option (grpc.gateway.protoc_gen_openapiv2.options.openapiv2_schema).json_schema = {
    title: "A\n\ntitle"
    description: "From <b>openapiv2</b>."
  };
  option (schema) = { title: "B" description: "From gnostic." };
  // The comment.
  string both = 1 [
    (grpc.gateway.protoc_gen_openapiv2.options.openapiv2_field) = { description: "From openapiv2." },
    (property) = { title: "B" description: "From gnostic." }
  ];
  // The comment.
  string title = 2 [(grpc.gateway.protoc_gen_openapiv2.options.openapiv2_field).title = "A"];
  // The comment.
  string gnostic = 3 [(property).description = "From\u200b gnostic."];
}
// The comment.
message Title { option (schema).title = "B"; }
// The comment.
enum E {
  option (grpc.gateway.protoc_gen_openapiv2.options.openapiv2_enum).description = "From openapiv2.";
  ZERO = 0;
}
service S {
  // The comment. And more.
  rpc Both(Title) returns (Title) {
    option (grpc.gateway.protoc_gen_openapiv2.options.openapiv2_operation) = { summary: "Do both." description: "From openapiv2." };
    option (operation) = { summary: "Do it" description: "From gnostic." };
  }
  // The comment. And more.
  rpc Described(Title) returns (Title) { option (operation).description = "From gnostic. And more."; }
  // The comment. And more.
  rpc Summary(Title) returns (Title) { option (operation).summary = "Do it"; }
  rpc SummaryOnly(Title) returns (Title) { option (operation).summary = "Do it"; }
  rpc Long(Title) returns (Title) {
    option (operation).summary = "Do so much that one cannot tell all of it in the title of one method alone";
  }
}
`

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	for origin, fd := range origins(t, compile(t, documented)) {
		t.Run(origin, func(t *testing.T) {
			t.Parallel()
			reader := readerOf(t, fd)
			texts := map[string][2]string{}
			for i := range fd.Messages().Len() {
				md := fd.Messages().Get(i)
				m := reader.Message(md)
				texts[string(md.Name())] = [2]string{m.Title, m.Description}
				for j := range md.Fields().Len() {
					f := reader.Field(md.Fields().Get(j))
					texts[string(md.Name()+"."+md.Fields().Get(j).Name())] = [2]string{f.Title, f.Description}
				}
			}
			texts["E"] = [2]string{"", reader.Enum(fd.Enums().Get(0)).Description}
			const comment = "The comment."
			want := map[string][2]string{
				"Both": {"A", "From openapiv2."}, "Both.both": {"B", "From openapiv2."}, "Both.title": {"A", comment},
				"Both.gnostic": {"", "From gnostic."}, "Title": {"B", comment}, "E": {"", "From openapiv2."},
				"Operation": {}, "Operation.summary": {}, "Operation.description": {},
				"Schema": {}, "Schema.title": {}, "Schema.description": {},
			}
			if diff := cmp.Diff(want, texts); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOperation(t *testing.T) {
	t.Parallel()
	fd := compile(t, documented)
	reader := readerOf(t, fd)
	methods := fd.Services().Get(0).Methods()
	for name, want := range map[protoreflect.Name]annotation.Method{
		"Both":        {Title: "Do both", Description: "From openapiv2."},
		"Described":   {Title: "From gnostic", Description: "From gnostic. And more."},
		"Summary":     {Title: "Do it", Description: "The comment. And more."},
		"SummaryOnly": {Title: "Do it", Description: "Do it"},
		"Long": {
			Title:       "Do so much that one cannot tell all of it in the title of…",
			Description: "Do so much that one cannot tell all of it in the title of one method alone",
		},
	} {
		if diff := cmp.Diff(want, reader.Method(methods.ByName(name))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOpenAPIInvalid: text that is not UTF-8 counts as not said, and the rest of the option does not suffer.
func TestOpenAPIInvalid(t *testing.T) {
	t.Parallel()
	const openAPI, gnostic = 1042, 1143
	for name, c := range map[string]struct {
		options string
		want    annotation.Method
	}{
		"summary":     {text(openAPI, text(2, "a\xff"), text(3, "Does it.")), annotation.Method{Title: "Does it", Description: "Does it."}},
		"description": {text(openAPI, text(2, "Do it"), text(3, "\xc3(")), annotation.Method{Title: "Do it", Description: "Do it"}},
		"other": {
			text(openAPI, text(3, "\xff")) + text(gnostic, text(3, "Sound.")), annotation.Method{Title: "Sound", Description: "Sound."},
		},
		"all": {text(openAPI, text(2, "\xff")) + text(gnostic, text(3, "\xff")), annotation.Method{Title: "Do"}},
	} {
		_, method, _ := wired(t, []byte(c.options))
		if diff := cmp.Diff(c.want, annotation.NewReader(nil).Method(method)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOpenAPIOfOpenFGA reads the operations of a real API, which says in options what others say in comments.
func TestOpenAPIOfOpenFGA(t *testing.T) {
	t.Parallel()
	files := corpusSet(t, "openfga", new(protoregistry.Types))
	d, err := files.FindDescriptorByName("openfga.v1.OpenFGAService.Check")
	if err != nil {
		t.Fatal(err)
	}
	got := annotation.NewReader(files).Method(d.(protoreflect.MethodDescriptor))
	if got.Title != "Check whether a user is authorized to access an object" || !strings.HasPrefix(got.Description, "The Check API ") {
		t.Errorf("%+v", got)
	}
}
