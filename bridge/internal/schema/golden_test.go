package schema_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	_ "google.golang.org/genproto/googleapis/api/annotations" // google/api/*.proto for the compiler
	_ "google.golang.org/genproto/googleapis/api/visibility"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate" // buf/validate/validate.proto, likewise
	_ "github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options"
)

var update = flag.Bool("update", false, "rewrite testdata/*.schema.json")

// compile builds one file with its comments; imports come from testdata/third_party and what this test binary links.
func compile(t testing.TB, dir, name string) protoreflect.FileDescriptor {
	t.Helper()
	linked := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		fd, err := protoregistry.GlobalFiles.FindFileByPath(path)
		return protocompile.SearchResult{Desc: fd}, err
	})
	compiler := protocompile.Compiler{
		Resolver:       protocompile.CompositeResolver{&protocompile.SourceResolver{ImportPaths: []string{dir, "testdata/third_party"}}, linked},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// methodsOf lists the methods of a file in declaration order.
func methodsOf(fd protoreflect.FileDescriptor) []protoreflect.MethodDescriptor {
	var methods []protoreflect.MethodDescriptor
	for i := range fd.Services().Len() {
		service := fd.Services().Get(i)
		for j := range service.Methods().Len() {
			methods = append(methods, service.Methods().Get(j))
		}
	}
	return methods
}

// golden writes the schemas of a file's methods as one JSON document for people to read.
func golden(t *testing.T, fd protoreflect.FileDescriptor) []byte {
	t.Helper()
	doc := []byte{'{'}
	for i, s := range portable(t, methodsOf(fd)) {
		if i > 0 {
			doc = append(doc, ',')
		}
		doc = append(doc, `"`+string(s.Name())+`":{"input":`...)
		doc = append(doc, s.input()...)
		doc = append(doc, `,"output":`...)
		doc = append(doc, s.output(nil)...)
		doc = append(doc, '}')
	}
	value := jsontext.Value(append(doc, '}'))
	if err := value.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatalf("%s: %v\n%s", fd.Path(), err, doc)
	}
	return append(value, '\n')
}

// TestGolden makes the schemas of each testdata/*.proto, a feature a file, and compares them with the file beside it.
func TestGolden(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("testdata/*.proto")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no testdata/*.proto: %v", err)
	}
	for _, source := range sources {
		name := filepath.Base(source)
		t.Run(strings.TrimSuffix(name, ".proto"), func(t *testing.T) {
			t.Parallel()
			fd := compile(t, "testdata", name)
			got := golden(t, fd)
			path := strings.TrimSuffix(source, ".proto") + ".schema.json"
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v: run go test with -update and read what it writes", err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
			if !bytes.Equal(got, golden(t, fd)) {
				t.Error("a second run gives other bytes")
			}
			for _, s := range portable(t, methodsOf(fd)) {
				check(t, s)
			}
		})
	}
}
