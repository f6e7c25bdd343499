package transcode_test

import (
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// world is a set of descriptors under test.
type world struct {
	files *protoregistry.Files
	types *dynamicpb.Types
}

// features compiles testdata/*.proto.
func features(t testing.TB) world {
	t.Helper()
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{"testdata"}}),
	}
	compiled, err := compiler.Compile(t.Context(), "proto3.proto", "proto2.proto", "editions.proto")
	if err != nil {
		t.Fatal(err)
	}
	files := new(protoregistry.Files)
	for _, fd := range compiled {
		register(t, files, fd)
	}
	return world{files, dynamicpb.NewTypes(files)}
}

// register adds fd and what it imports, built anew as a bridge builds them.
func register(t testing.TB, files *protoregistry.Files, fd protoreflect.FileDescriptor) {
	t.Helper()
	if _, err := files.FindFileByPath(fd.Path()); err == nil {
		return
	}
	for i := range fd.Imports().Len() {
		register(t, files, fd.Imports().Get(i).FileDescriptor)
	}
	built, err := protodesc.NewFile(protodesc.ToFileDescriptorProto(fd), files)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.RegisterFile(built); err != nil {
		t.Fatal(err)
	}
}

func (w world) message(t testing.TB, name protoreflect.FullName) protoreflect.MessageDescriptor {
	t.Helper()
	d, err := w.files.FindDescriptorByName(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return d.(protoreflect.MessageDescriptor)
}

// codec compiles a codec of which the named message is request and response.
func (w world) codec(t testing.TB, name protoreflect.FullName, opts transcode.Options) *transcode.Codec {
	t.Helper()
	md := w.message(t, name)
	return compile(t, md, w.types, opts)
}

func compile(t testing.TB, md protoreflect.MessageDescriptor, types transcode.Resolver, opts transcode.Options) *transcode.Codec {
	t.Helper()
	c, err := transcode.Compile(md, md, types, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// roundTrip gives JSON arguments to the codec and what came of them back to it.
func roundTrip(t testing.TB, c *transcode.Codec, arguments string) (result string, warnings []string) {
	t.Helper()
	wire, err := c.AppendWire(nil, []byte(arguments))
	if err != nil {
		t.Fatalf("AppendWire(%s): %v", arguments, err)
	}
	out, warnings, err := c.AppendJSON(nil, wire)
	if err != nil {
		t.Fatalf("AppendJSON: %v", err)
	}
	return string(out), warnings
}

// refused gives arguments to the codec that it has to refuse and returns how it did.
func refused(t testing.TB, c *transcode.Codec, arguments string) transcode.ArgumentError {
	t.Helper()
	dst, err := c.AppendWire([]byte("before"), []byte(arguments))
	if err == nil {
		out, _, _ := c.AppendJSON(nil, dst[len("before"):])
		t.Fatalf("AppendWire(%.80s) succeeded and means %s, want an error", arguments, out)
	}
	fault, ok := err.(*transcode.ArgumentError)
	if !ok {
		t.Fatalf("error is a %T (%v), want an *ArgumentError", err, err)
	}
	if string(dst) != "before" {
		t.Errorf("dst became %q, want it as it was", dst)
	}
	return *fault
}

// equal compares two messages of the same type.
func equal(t testing.TB, want, got proto.Message) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

func fullName(name string) protoreflect.FullName { return protoreflect.FullName(name) }

func newFiles() *protoregistry.Files { return new(protoregistry.Files) }
