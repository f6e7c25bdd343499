package annotation_test

import (
	"os"
	"testing"

	"github.com/bufbuild/protocompile"
	_ "google.golang.org/genproto/googleapis/api/annotations" // google/api/*.proto for the compiler
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	_ "buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate" // buf/validate/validate.proto, likewise
	_ "github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options"  // protoc-gen-openapiv2/options/*.proto
	_ "google.golang.org/genproto/googleapis/api/visibility"                    // google/api/visibility.proto

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// The files of testdata that others can import, by these paths.
const (
	pgv   = "validate/validate.proto"
	added = "predefined.proto"
)

// compile builds one file from source, with source info; imports come from what this test binary links, and from testdata.
func compile(t *testing.T, source string) protoreflect.FileDescriptor {
	t.Helper()
	return compileFile(t, "test.proto", map[string]string{"test.proto": source, pgv: read(t, pgv), added: read(t, added)})
}

func compileFile(t *testing.T, path string, sources map[string]string) protoreflect.FileDescriptor {
	t.Helper()
	linked := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		fd, err := protoregistry.GlobalFiles.FindFileByPath(path)
		return protocompile.SearchResult{Desc: fd}, err
	})
	compiler := protocompile.Compiler{
		Resolver: protocompile.CompositeResolver{
			&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(sources)},
			linked,
		},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// origins returns fd as the different sources of descriptors give it: what differs is how options are held.
func origins(t *testing.T, fd protoreflect.FileDescriptor) map[string]protoreflect.FileDescriptor {
	t.Helper()
	wire, err := proto.Marshal(protodesc.ToFileDescriptorProto(fd))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]protoreflect.FileDescriptor{
		"compiled":          fd,
		"linked extensions": rebuild(t, wire, protoregistry.GlobalTypes),
		"unknown fields":    rebuild(t, wire, new(protoregistry.Types)),
	}
}

func rebuild(t *testing.T, wire []byte, types *protoregistry.Types) protoreflect.FileDescriptor {
	t.Helper()
	var fdp descriptorpb.FileDescriptorProto
	if err := (proto.UnmarshalOptions{Resolver: types}).Unmarshal(wire, &fdp); err != nil {
		t.Fatal(err)
	}
	fd, err := protodesc.FileOptions{AllowUnresolvable: true}.New(&fdp, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// readerOf reads the set of fd and of the rules that testdata adds.
func readerOf(t *testing.T, fd protoreflect.FileDescriptor, labels ...string) *annotation.Reader {
	t.Helper()
	files := &protoregistry.Files{}
	for _, fd := range []protoreflect.FileDescriptor{fd, compileFile(t, added, map[string]string{added: read(t, added)})} {
		if err := files.RegisterFile(fd); err != nil {
			t.Fatal(err)
		}
	}
	return annotation.NewReader(files, labels...)
}

// extension is one of these bytes in wire format.
func extension(number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), content)
}
