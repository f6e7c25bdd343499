package descriptor_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	// Linked so that options of these packages are typed and their files stand in for missing imports.
	_ "buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	_ "google.golang.org/genproto/googleapis/api/annotations"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// sources is a set of .proto files by name.
type sources map[string]string

// shop is an API of two services, a shared file and a well-known import.
var shop = sources{
	"shop/money.proto": `syntax = "proto3";
		package shop;
		message Money { int64 units = 1; string currency = 2; }`,
	"shop/orders.proto": `syntax = "proto3";
		package shop;
		import "google/protobuf/timestamp.proto";
		import "shop/money.proto";
		message Order { string id = 1; Money total = 2; google.protobuf.Timestamp placed = 3; }
		message GetOrderRequest { string id = 1; }
		service Orders { rpc GetOrder(GetOrderRequest) returns (Order); }`,
	"shop/prices.proto": `syntax = "proto3";
		package shop;
		import "shop/money.proto";
		message GetPriceRequest { string sku = 1; }
		service Prices { rpc GetPrice(GetPriceRequest) returns (Money); }`,
}

// compile returns the descriptors of all sources, without their standard imports, sorted by name.
func compile(t testing.TB, files sources) []*descriptorpb.FileDescriptorProto {
	t.Helper()
	var protos []*descriptorpb.FileDescriptorProto
	for _, file := range compiled(t, files) {
		protos = append(protos, proto.CloneOf(protoutil.ProtoFromFileDescriptor(file)))
	}
	return protos
}

func compiled(t testing.TB, files sources) linker.Files {
	t.Helper()
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(protocompile.CompositeResolver{
			&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(files)},
			protocompile.ResolverFunc(linkedFile),
		}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	result, err := compiler.Compile(t.Context(), slices.Sorted(maps.Keys(files))...)
	if err != nil {
		t.Fatalf("compile: %v", err)
	}
	return result
}

// linkedFile finds imports such as google/api/annotations.proto in generated code.
func linkedFile(path string) (protocompile.SearchResult, error) {
	file, err := protoregistry.GlobalFiles.FindFileByPath(path)
	return protocompile.SearchResult{Desc: file}, err
}

// bare drops source info, as generated code and most reflection servers do.
func bare(files []*descriptorpb.FileDescriptorProto) []*descriptorpb.FileDescriptorProto {
	for _, file := range files {
		file.SourceCodeInfo = nil
	}
	return files
}

func byName(t testing.TB, files []*descriptorpb.FileDescriptorProto, name string) *descriptorpb.FileDescriptorProto {
	t.Helper()
	i := slices.IndexFunc(files, func(f *descriptorpb.FileDescriptorProto) bool { return f.GetName() == name })
	if i < 0 {
		t.Fatalf("no file %q", name)
	}
	return files[i]
}

// except returns the files but for those named.
func except(files []*descriptorpb.FileDescriptorProto, names ...string) []*descriptorpb.FileDescriptorProto {
	return slices.DeleteFunc(slices.Clone(files), func(f *descriptorpb.FileDescriptorProto) bool {
		return slices.Contains(names, f.GetName())
	})
}

// encodedSet returns the wire form of a FileDescriptorSet.
func encodedSet(t testing.TB, files ...*descriptorpb.FileDescriptorProto) []byte {
	t.Helper()
	data, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: files})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustNew(t testing.TB, files []*descriptorpb.FileDescriptorProto, opts ...descriptor.Option) *descriptor.Set {
	t.Helper()
	set, err := descriptor.New(files, nil, opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return set
}

func mustLoad(t testing.TB, source descriptor.Source) *descriptor.Set {
	t.Helper()
	set, err := source.Load(t.Context())
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return set
}

// services returns the full names of what a set offers, in its order.
func services(set *descriptor.Set) []string {
	var names []string
	for _, service := range set.Services() {
		names = append(names, string(service.FullName()))
	}
	return names
}

// paths returns the files of a set, sorted.
func paths(set *descriptor.Set) []string {
	var names []string
	set.Files().RangeFiles(func(file protoreflect.FileDescriptor) bool {
		names = append(names, file.Path())
		return true
	})
	slices.Sort(names)
	return names
}

func wantServices(t testing.TB, set *descriptor.Set, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, services(set)); diff != "" {
		t.Errorf("services (-want +got):\n%s\nproblems: %v", diff, set.Problems())
	}
}

// wantProblems checks that there are exactly these problems: pairs of a name and a part of the reason, in order.
func wantProblems(t testing.TB, set *descriptor.Set, pairs ...string) {
	t.Helper()
	problems := set.Problems()
	if len(problems) != len(pairs)/2 {
		t.Fatalf("got %d problems, want %d: %q", len(problems), len(pairs)/2, problems)
	}
	for i, problem := range problems {
		if name, part := pairs[2*i], pairs[2*i+1]; problem.Name != name || !strings.Contains(problem.Reason, part) {
			t.Errorf("problem %d is %q, want %q with %q", i, problem, name, part)
		}
	}
}

// wantError checks that an error has all the parts in its text.
func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}
