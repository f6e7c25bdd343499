package annotation_test

import (
	"testing"

	"github.com/bufbuild/protocompile"
	_ "google.golang.org/genproto/googleapis/api/annotations" // google/api/*.proto for the compiler
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	_ "buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate" // buf/validate/validate.proto, likewise
)

// compile builds one file from source, with source info; imports come from what this test binary links.
func compile(t *testing.T, source string) protoreflect.FileDescriptor {
	t.Helper()
	linked := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		fd, err := protoregistry.GlobalFiles.FindFileByPath(path)
		return protocompile.SearchResult{Desc: fd}, err
	})
	compiler := protocompile.Compiler{
		Resolver: protocompile.CompositeResolver{
			&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(map[string]string{"test.proto": source})},
			linked,
		},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(t.Context(), "test.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
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
	fd, err := protodesc.NewFile(&fdp, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}
