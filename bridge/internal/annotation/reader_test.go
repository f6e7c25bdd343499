package annotation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	openapi "github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// TestMessage reads what a message demands as a whole.
func TestMessage(t *testing.T) {
	t.Parallel()
	file := compile(t, `
		syntax = "proto3";
		import "buf/validate/validate.proto";
		message Ruled {
			option deprecated = true;
			option (buf.validate.message).cel = { id: "a" message: "b has to be above a." expression: "this.a < this.b" };
			option (buf.validate.message).cel = { id: "b" expression: "this.a > 0" };
			option (buf.validate.message).cel_expression = "this.b > 0";
			option (buf.validate.message).oneof = { fields: ["a", "b"] };
			option (buf.validate.message).oneof = { fields: ["b", "a"] required: true };
			option (buf.validate.message).oneof = {};
			int32 a = 1;
			int32 b = 2;
		}
		message Plain { Ruled a = 1 [deprecated = true, debug_redact = true]; }`)
	for origin, fd := range origins(t, file) {
		reader := readerOf(t, fd)
		want := annotation.Message{
			Constraints: []string{
				"b has to be above a", "this.a > 0", "this.b > 0", "At most one of a, b may be set", "Exactly one of b, a has to be set",
			},
			Deprecated: true,
		}
		if diff := cmp.Diff(want, reader.Message(fd.Messages().ByName("Ruled"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", origin, diff)
		}
		plain := fd.Messages().ByName("Plain")
		if diff := cmp.Diff(annotation.Message{}, reader.Message(plain)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", origin, diff)
		}
		field := annotation.Field{Behavior: annotation.Behavior{Deprecated: true, Redacted: true}}
		if diff := cmp.Diff(field, reader.Field(plain.Fields().Get(0))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", origin, diff)
		}
	}
}

// TestFileDeprecates has a file that deprecates all that is in it.
func TestFileDeprecates(t *testing.T) {
	t.Parallel()
	fd := compile(t, `syntax = "proto3"; option deprecated = true; message M { string a = 1; } enum E { ZERO = 0; }`)
	reader := readerOf(t, fd)
	if !reader.Message(fd.Messages().Get(0)).Deprecated || !reader.Enum(fd.Enums().Get(0)).Deprecated {
		t.Error("a deprecated file does not deprecate its message and its enum")
	}
	if reader.Field(fd.Messages().Get(0).Fields().Get(0)).Deprecated {
		t.Error("a field is deprecated by its file; that is the message's to say")
	}
}

// TestReaderRemembers has a reader give the same constraint again, which is what makes it fast.
func TestReaderRemembers(t *testing.T) {
	t.Parallel()
	fd := compile(t, source("buf.validate.field", []ruled{{name: "a", rules: `{string: {min_len: 3}}`}}))
	reader := readerOf(t, fd)
	field := fd.Messages().Get(0).Fields().Get(0)
	first, second := reader.Field(field), reader.Field(field)
	if first.Constraint == nil || first.Constraint != second.Constraint {
		t.Errorf("read twice: %p and %p", first.Constraint, second.Constraint)
	}
}

// TestOptionThatCannotBeEncoded has an option that takes nothing with it but itself.
func TestOptionThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	file := protodesc.ToFileDescriptorProto(compile(t, `syntax = "proto3"; message M { string a = 1; }`))
	options := &descriptorpb.FieldOptions{DebugRedact: proto.Bool(true)}
	proto.SetExtension(options, openapi.E_Openapiv2Field, &openapi.JSONSchema{Title: "\xff"})
	proto.SetExtension(options, annotations.E_FieldBehavior, []annotations.FieldBehavior{annotations.FieldBehavior_REQUIRED})
	file.MessageType[0].Field[0].Options = options
	fd, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	want := annotation.Field{Behavior: annotation.Behavior{Required: true, Redacted: true}}
	if diff := cmp.Diff(want, readerOf(t, fd).Field(fd.Messages().Get(0).Fields().Get(0))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
