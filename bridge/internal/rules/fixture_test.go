package rules_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// resolver finds the types of options.
type resolver interface {
	protoregistry.MessageTypeResolver
	protoregistry.ExtensionTypeResolver
}

// shopSet compiles testdata with all that it imports, as a descriptor set in wire form.
func shopSet(t testing.TB) []byte {
	t.Helper()
	return compile(t, protocompile.SourceResolver{})
}

// source builds descriptors of a file of package shop that has the declarations, with the options as unknown fields.
func source(t testing.TB, declarations string) *protoregistry.Files {
	t.Helper()
	return build(t, compileSet(t, declarations), new(protoregistry.Types))
}

// compileSet compiles a file of package shop that has the declarations, as a descriptor set in wire form.
func compileSet(t testing.TB, declarations string) []byte {
	t.Helper()
	return compileText(t, `syntax = "proto3"; package shop; import "buf/validate/validate.proto"; `+declarations)
}

// compileText compiles a file, as a descriptor set in wire form.
func compileText(t testing.TB, text string) []byte {
	t.Helper()
	return compile(t, protocompile.SourceResolver{
		Accessor: func(path string) (io.ReadCloser, error) {
			if path == filepath.Join("testdata", "shop.proto") {
				return io.NopCloser(strings.NewReader(text)), nil
			}
			return os.Open(path)
		},
	})
}

// compile compiles shop.proto of testdata, or what sources give for it.
func compile(t testing.TB, sources protocompile.SourceResolver) []byte {
	t.Helper()
	sources.ImportPaths = []string{"testdata", filepath.Join("..", "..", "..", "proto", "third_party")}
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&sources)}
	files, err := compiler.Compile(t.Context(), "shop.proto")
	if err != nil {
		t.Fatal(err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	collect(set, files[0], map[string]bool{})
	wire, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return wire
}

func collect(set *descriptorpb.FileDescriptorSet, file protoreflect.FileDescriptor, seen map[string]bool) {
	if seen[file.Path()] {
		return
	}
	seen[file.Path()] = true
	for i := range file.Imports().Len() {
		collect(set, file.Imports().Get(i), seen)
	}
	set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
}

// build makes descriptors of a set, the options of which are read with types.
func build(t testing.TB, wire []byte, types resolver) *protoregistry.Files {
	t.Helper()
	var set descriptorpb.FileDescriptorSet
	if err := (proto.UnmarshalOptions{Resolver: types}).Unmarshal(wire, &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// shop is testdata with the options as unknown fields, as they come over reflection to a program without their types.
func shop(t testing.TB) *protoregistry.Files {
	t.Helper()
	return build(t, shopSet(t), new(protoregistry.Types))
}

// origins are the descriptors of testdata as different sources give them: what differs is how options are held.
func origins(t testing.TB) map[string]*protoregistry.Files {
	t.Helper()
	wire := shopSet(t)
	bare := build(t, wire, new(protoregistry.Types))
	return map[string]*protoregistry.Files{
		"unknown fields":     bare,
		"linked extensions":  build(t, wire, protoregistry.GlobalTypes),
		"dynamic extensions": build(t, wire, dynamicpb.NewTypes(bare)),
	}
}

// message finds a message of package shop.
func message(t testing.TB, files *protoregistry.Files, name protoreflect.Name) protoreflect.MessageDescriptor {
	t.Helper()
	d, err := files.FindDescriptorByName(protoreflect.FullName("shop").Append(name))
	if err != nil {
		t.Fatal(err)
	}
	return d.(protoreflect.MessageDescriptor)
}

// request is the wire form of arguments of type md.
func request(t testing.TB, md protoreflect.MessageDescriptor, arguments string) []byte {
	t.Helper()
	codec, err := transcode.Compile(md, md, protoregistry.GlobalTypes, transcode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wire, err := codec.AppendWire(nil, []byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return wire
}

// corpus reads a descriptor set of a real API, or skips the test.
func corpus(t testing.TB, name string) *protoregistry.Files {
	t.Helper()
	wire, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "corpus", name))
	if err != nil {
		t.Skipf("no corpus: %v", err)
	}
	return build(t, wire, new(protoregistry.Types))
}
