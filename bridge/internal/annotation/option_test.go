package annotation_test

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

const options = `
	syntax = "proto3";
	package test;
	import "bridge/v1/annotations.proto";
	message M {
		string region = 1 [(bridge.v1.field).header = "Region"];
		string plain = 2 [deprecated = true];
	}
	service Hidden {
		option (bridge.v1.service).hide = true;
		rpc Get(M) returns (M) {
			option (bridge.v1.method).tool.name = "get";
			option (bridge.v1.method).tool.hints.read_only = false;
			option (bridge.v1.method).resources = { uri: "a://b" };
			option (bridge.v1.method).resources = { uri_template: "a://{plain}" fields { key: "x" value: "y" } };
			option (bridge.v1.method).close_stream_after = { seconds: 1 };
		}
	}
	service Plain {
		rpc Get(M) returns (M);
		rpc Empty(M) returns (M) { option (bridge.v1.method) = {}; }
	}`

// TestOptions reads options however the descriptors were loaded: with the extension of the generated code, with one that
// was made at run time, and as fields that nobody knows.
func TestOptions(t *testing.T) {
	t.Parallel()
	all := origins(t, compile(t, options))
	maps.Copy(all, map[string]protoreflect.FileDescriptor{"own copy": ownCopy(t)})
	for origin, fd := range all {
		t.Run(origin, func(t *testing.T) {
			t.Parallel()
			hidden, plain := fd.Services().ByName("Hidden"), fd.Services().ByName("Plain")
			want := &bridgev1.MethodOptions{
				Tool: &bridgev1.Tool{Name: "get", Hints: &bridgev1.Hints{ReadOnly: new(false)}},
				Resources: []*bridgev1.Resource{
					{Address: &bridgev1.Resource_Uri{Uri: "a://b"}},
					{Address: &bridgev1.Resource_UriTemplate{UriTemplate: "a://{plain}"}, Fields: map[string]string{"x": "y"}},
				},
				CloseStreamAfter: annotation.MethodOptions(hidden.Methods().Get(0)).GetCloseStreamAfter(),
			}
			if diff := cmp.Diff(want, annotation.MethodOptions(hidden.Methods().Get(0)), protocmp.Transform()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := want.GetCloseStreamAfter().AsDuration().String(); got != "1s" {
				t.Errorf("close_stream_after is %s", got)
			}
			for i := range plain.Methods().Len() {
				if got := annotation.MethodOptions(plain.Methods().Get(i)); cmp.Diff(&bridgev1.MethodOptions{}, got, protocmp.Transform()) != "" {
					t.Errorf("options of %s: %v", plain.Methods().Get(i).Name(), got)
				}
			}
			if !annotation.ServiceOptions(hidden).GetHide() || annotation.ServiceOptions(plain).GetHide() {
				t.Error("the options of services are others")
			}
			fields := fd.Messages().Get(0).Fields()
			if a, b := annotation.FieldOptions(fields.Get(0)).GetHeader(), annotation.FieldOptions(fields.Get(1)).GetHeader(); a != "Region" ||
				b != "" {
				t.Errorf("headers %q and %q", a, b)
			}
		})
	}
}

// ownCopy compiles the options against a copy of the file that the backend keeps under a name of its own.
func ownCopy(t *testing.T) protoreflect.FileDescriptor {
	t.Helper()
	text, err := os.ReadFile("../../../proto/bridge/v1/annotations.proto")
	if err != nil {
		t.Fatal(err)
	}
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{
			"acme/mcp.proto": string(text),
			"test.proto":     strings.Replace(options, "bridge/v1/annotations.proto", "acme/mcp.proto", 1),
		}),
	})}
	files, err := compiler.Compile(t.Context(), "test.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// TestReaderOptions: a reader reads what the functions read, and searches a file once for each kind of options.
func TestReaderOptions(t *testing.T) {
	t.Parallel()
	for origin, fd := range origins(t, compile(t, options)) {
		reader, searches := annotation.NewReader(nil), 0
		for range 3 {
			service := fd.Services().ByName("Hidden")
			method, field := countedMethod{service.Methods().Get(0), &searches}, fd.Messages().Get(0).Fields().Get(0)
			if diff := cmp.Diff(annotation.MethodOptions(service.Methods().Get(0)), reader.MethodOptions(method), protocmp.Transform()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", origin, diff)
			}
			if !reader.ServiceOptions(service).GetHide() || reader.FieldOptions(field).GetHeader() != "Region" {
				t.Errorf("%s: the options of the service or the field are others", origin)
			}
			if diff := cmp.Diff(annotation.Flaws{}, reader.FlawsOf(method)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", origin, diff)
			}
		}
		if searches != 1 {
			t.Errorf("%s: the file was searched %d times", origin, searches)
		}
	}
}

// countedMethod is a method whose file counts how often it is searched.
type countedMethod struct {
	protoreflect.MethodDescriptor

	searches *int
}

// ParentFile returns the file, which counts.
func (m countedMethod) ParentFile() protoreflect.FileDescriptor {
	return countedFile{m.MethodDescriptor.ParentFile(), m.searches}
}

type countedFile struct {
	protoreflect.FileDescriptor

	searches *int
}

// Extensions of files without any are asked for once, those of others once more for each.
func (f countedFile) Extensions() protoreflect.ExtensionDescriptors {
	*f.searches++
	return f.FileDescriptor.Extensions()
}

// TestStrangersOptions are those of somebody who has taken the number for something else. What the file declares tells, however
// the options were read.
func TestStrangersOptions(t *testing.T) {
	t.Parallel()
	for kind, value := range map[string]string{"string": `"\377"`, "int32": "7", "Own": "{ hide: true }"} {
		file := compile(t, `
			syntax = "proto2";
			package test;
			import "google/protobuf/descriptor.proto";
			message Own { optional bool hide = 1; }
			message Scope { extend google.protobuf.MethodOptions { optional `+kind+` method = 76411; } }
			extend google.protobuf.ServiceOptions { optional `+kind+` service = 76411; }
			extend google.protobuf.FieldOptions { optional `+kind+` field = 76411; }
			message M { optional string a = 1 [(field) = `+value+`]; optional string b = 2; }
			service S {
				option (service) = `+value+`;
				rpc Do(M) returns (M) { option (Scope.method) = `+value+`; }
				rpc Plain(M) returns (M);
			}`)
		wire, err := proto.Marshal(protodesc.ToFileDescriptorProto(file))
		if err != nil {
			t.Fatal(err)
		}
		loaded := map[string]protoreflect.FileDescriptor{"compiled": file, "unknown fields": rebuild(t, wire, new(protoregistry.Types))}
		if kind == "Own" {
			loaded["linked extensions"] = rebuild(t, wire, protoregistry.GlobalTypes)
		}
		for origin, fd := range loaded {
			t.Run(kind+"/"+origin, func(t *testing.T) {
				t.Parallel()
				service := fd.Services().Get(0)
				method, field := service.Methods().Get(0), fd.Messages().ByName("M").Fields().Get(0)
				for _, d := range []protoreflect.Descriptor{service, method, field} {
					flaws := annotation.FlawsOf(d)
					if flaws.Closed != "" || len(flaws.Ignored) != 1 || !strings.Contains(flaws.Ignored[0], "76411 is test.") ||
						!strings.Contains(flaws.Ignored[0], "bridge/v1/annotations.proto") {
						t.Errorf("%s: %+v", d.FullName(), flaws)
					}
				}
				for _, d := range []protoreflect.Descriptor{service.Methods().Get(1), fd.Messages().ByName("M").Fields().Get(1), fd} {
					if flaws := annotation.FlawsOf(d); flaws.Closed != "" || flaws.Ignored != nil {
						t.Errorf("%s: %+v", d.FullName(), flaws)
					}
				}
				empty := annotation.MethodOptions(method).String() + annotation.ServiceOptions(service).String() +
					annotation.FieldOptions(field).String()
				if empty != "" {
					t.Errorf("read are %s", empty)
				}
			})
		}
	}
}
