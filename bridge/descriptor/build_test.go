package descriptor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

func TestNewBuildsFilesInAnyOrder(t *testing.T) {
	t.Parallel()
	files := compile(t, shop)
	slices.Reverse(files)
	set := mustNew(t, files)
	wantServices(t, set, "shop.Orders", "shop.Prices")
	wantProblems(t, set)
	want := []string{"google/protobuf/timestamp.proto", "shop/money.proto", "shop/orders.proto", "shop/prices.proto"}
	if diff := cmp.Diff(want, paths(set)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestNewCopiesItsInput(t *testing.T) {
	t.Parallel()
	files := compile(t, shop)
	set := mustNew(t, files)
	digest := set.Digest()
	files[0].Package = proto.String("changed")
	set.Services()[0] = nil
	if set.Services()[0] == nil || set.Digest() != digest {
		t.Error("the set changed with what its maker or its user holds")
	}
}

func TestNewIsolatesWhatCannotBeBuilt(t *testing.T) {
	t.Parallel()
	files := compile(t, shop)
	money := byName(t, files, "shop/money.proto")
	cases := map[string]struct {
		files    []*descriptorpb.FileDescriptorProto
		services []string
		problems []string
	}{
		"missing import takes down what needs it": {
			files: except(files, "shop/money.proto"),
			problems: []string{
				"shop.Orders", `its file "shop/orders.proto" could not be built`, "shop.Prices", `imports "shop/money.proto", which was not found`,
				"shop/orders.proto", `imports "shop/money.proto", which was not found`, "shop/prices.proto", "was not found",
			},
		},
		"broken file": {
			files:    append(except(files, "shop/orders.proto"), broken(byName(t, files, "shop/orders.proto"))),
			services: []string{"shop.Prices"},
			problems: []string{"shop.Orders", "invalid", "shop/orders.proto", "invalid"},
		},
		"edition that protobuf-go does not know": {
			files:    append(slices.Clone(files), edition("next.proto", 2026)),
			services: []string{"shop.Orders", "shop.Prices"},
			problems: []string{"next.Service", "edition", "next.proto", "edition 2026 not yet supported"},
		},
		"edition that makes protobuf-go panic": {
			files:    append(slices.Clone(files), edition("cmd/protoc-gen-go/testdata/next.proto", 2026)),
			services: []string{"shop.Orders", "shop.Prices"},
			problems: []string{"cmd/protoc-gen-go/testdata/next.proto", "protobuf-go cannot build it", "next.Service", "could not be built"},
		},
		"MessageSet": {
			files:    append(slices.Clone(files), messageSet()),
			services: []string{"shop.Orders", "shop.Prices"},
			problems: []string{"old.proto", "MessageSet"},
		},
		"symbol declared twice": {
			files:    append([]*descriptorpb.FileDescriptorProto{renamed(money, "shop/zloty.proto")}, files...),
			services: []string{"shop.Orders", "shop.Prices"},
			problems: []string{"shop/zloty.proto", `declares shop.Money, as does "shop/money.proto"`},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := mustNew(t, c.files)
			wantServices(t, set, c.services...)
			wantProblems(t, set, c.problems...)
		})
	}
}

func broken(file *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	file = proto.CloneOf(file)
	file.MessageType[0].Field[0].Number = proto.Int32(-7)
	return file
}

func renamed(file *descriptorpb.FileDescriptorProto, path string) *descriptorpb.FileDescriptorProto {
	file = proto.CloneOf(file)
	file.Name = proto.String(path)
	return file
}

// edition returns a file with a service in an edition given by its number.
func edition(path string, number int32) *descriptorpb.FileDescriptorProto {
	return &descriptorpb.FileDescriptorProto{
		Name: proto.String(path), Package: proto.String("next"),
		Syntax: proto.String("editions"), Edition: descriptorpb.Edition(number).Enum(),
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("Service")}},
	}
}

func messageSet() *descriptorpb.FileDescriptorProto {
	return &descriptorpb.FileDescriptorProto{
		Name: proto.String("old.proto"),
		MessageType: []*descriptorpb.DescriptorProto{{
			Name:           proto.String("Old"),
			Options:        &descriptorpb.MessageOptions{MessageSetWireFormat: proto.Bool(true)},
			ExtensionRange: []*descriptorpb.DescriptorProto_ExtensionRange{{Start: proto.Int32(4), End: proto.Int32(100)}},
		}},
	}
}

func TestNewDoesWithoutImportsForOptions(t *testing.T) {
	t.Parallel()
	files := compile(t, sources{
		"gogoproto/gogo.proto": `syntax = "proto2";
			package gogoproto;
			import "google/protobuf/descriptor.proto";
			extend google.protobuf.FieldOptions { optional string customname = 65001; }
			message Gogo {}`,
		"types.proto": `syntax = "proto3"; package p; message T {}`,
		"a.proto": `syntax = "proto3";
			package p;
			import "gogoproto/gogo.proto";
			import public "types.proto";
			message A { T t = 1 [(gogoproto.customname) = "TT"]; }
			service Good { rpc Do(A) returns (A); }`,
		"b.proto": `syntax = "proto3";
			package p;
			import "a.proto";
			import "gogoproto/gogo.proto";
			message B { gogoproto.Gogo gogo = 1; T t = 2; }
			service Bad { rpc Do(B) returns (B); }`,
		"c.proto": `syntax = "proto3"; package p; import "a.proto"; message C { T t = 1; }`,
	})
	set := mustNew(t, except(files, "gogoproto/gogo.proto"))
	wantServices(t, set, "p.Good")
	wantProblems(t, set,
		"b.proto", `imports "gogoproto/gogo.proto", which was not found (message field "p.B.gogo" cannot resolve type`,
		"gogoproto/gogo.proto", `was not found; "a.proto" could be built without it`,
		"p.Bad", "b.proto")
	field, err := set.Files().FindDescriptorByName("p.A.t")
	if err != nil {
		t.Fatal(err)
	}
	if len(field.Options().ProtoReflect().GetUnknown()) == 0 {
		t.Error("the option that nobody knows has lost its bytes")
	}
}

func TestNewReportsImportCycles(t *testing.T) {
	t.Parallel()
	file := func(name, service string, imports ...string) *descriptorpb.FileDescriptorProto {
		return &descriptorpb.FileDescriptorProto{
			Name: proto.String(name), Syntax: proto.String("proto3"), Dependency: imports,
			Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String(service)}},
		}
	}
	set := mustNew(t, []*descriptorpb.FileDescriptorProto{
		file("a.proto", "A", "b.proto"),
		file("b.proto", "B", "c.proto", "d.proto"),
		file("c.proto", "C", "a.proto"),
		file("d.proto", "D"),
		file("self.proto", "Self", "self.proto"),
	})
	wantServices(t, set, "D")
	cycle := "import cycle: a.proto → b.proto → c.proto → a.proto"
	wantProblems(t, set, "A", cycle, "B", cycle, "C", cycle, "Self", "cycle",
		"a.proto", cycle, "b.proto", cycle, "c.proto", cycle, "self.proto", "import cycle: self.proto → self.proto")
}

// Files that are on some cycle are given up, however the cycles hang together; files that merely lead to one are not.
func TestNewReportsTangledCycles(t *testing.T) {
	t.Parallel()
	set := mustNew(t, []*descriptorpb.FileDescriptorProto{
		importer("a.proto", "b.proto", "d.proto"), importer("b.proto", "c.proto"), importer("c.proto", "a.proto"), importer("d.proto", "b.proto"),
		importer("entry.proto", "a.proto", "leaf.proto"), importer("leaf.proto"),
	})
	if diff := cmp.Diff([]string{"d.proto", "entry.proto", "leaf.proto"}, paths(set)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	cycle := "import cycle: a.proto → b.proto → c.proto → a.proto"
	wantProblems(t, set, "a.proto", cycle, "b.proto", cycle, "c.proto", cycle)
}

func importer(name string, imports ...string) *descriptorpb.FileDescriptorProto {
	return &descriptorpb.FileDescriptorProto{Name: proto.String(name), Syntax: proto.String("proto3"), Dependency: imports}
}

// A long chain in which every file also imports the first makes as many cycles as it has files; one line each has to do.
func TestNewReportsLongCycles(t *testing.T) {
	t.Parallel()
	const count = 2000
	path := func(i int) string { return fmt.Sprintf("%05d.proto", i%count) }
	var files []*descriptorpb.FileDescriptorProto
	for i := range count {
		files = append(files, importer(path(i), path(i+1), path(0)))
	}
	files[0].Dependency = files[0].Dependency[:1]
	files[count-1].Dependency = files[count-1].Dependency[:1]
	problems := mustNew(t, files).Problems()
	if len(problems) != count {
		t.Fatalf("%d problems, want %d", len(problems), count)
	}
	want := descriptor.Problem{Name: path(count - 1), Reason: "import cycle: 00000.proto → 00001.proto → 00002.proto → " +
		"00003.proto → " +
		"00004.proto → 00005.proto → 00006.proto → 00007.proto → 1992 more → 00000.proto"}
	if diff := cmp.Diff(want, problems[count-1]); diff != "" {
		t.Errorf("problem (-want +got):\n%s", diff)
	}
}

func TestNewNamesSomeOfManyMissingImports(t *testing.T) {
	t.Parallel()
	file := importer("a.proto")
	for i := range 5000 {
		file.Dependency = append(file.Dependency, fmt.Sprintf("gone/%d.proto", i))
	}
	file.MessageType = compile(t, shop)[1].GetMessageType()
	set := mustNew(t, []*descriptorpb.FileDescriptorProto{file})
	wantProblems(t, set, "a.proto", `"gone/2.proto", which was not found, and 4997 more (`)
}

func TestNewRefusesClashes(t *testing.T) {
	t.Parallel()
	one := compile(t, sources{"1.proto": `syntax = "proto2";
		import "google/protobuf/descriptor.proto";
		message M {}
		enum E { VALUE = 0; }
		extend google.protobuf.FileOptions { optional string x = 50001; }
		service S {}`})[0]
	cases := map[string]struct{ source, want string }{
		"message":               {`message M {}`, `declares M, as does "1.proto"`},
		"enum":                  {`enum E { OTHER = 0; }`, `declares E, as does "1.proto"`},
		"enum value":            {`enum F { VALUE = 0; }`, `declares VALUE, as does "1.proto"`},
		"another kind":          {`message VALUE {}`, `declares VALUE, as does "1.proto"`},
		"extension":             {`message A { extensions 1; } extend A { optional string x = 1; }`, `declares x, as does "1.proto"`},
		"service":               {`service S {}`, `declares S, as does "1.proto"`},
		"package, then message": {`package M.deeper;`, "package name conflict over M"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			two := compile(t, sources{"2.proto": `syntax = "proto2"; ` + c.source})[0]
			set := mustNew(t, []*descriptorpb.FileDescriptorProto{two, one})
			wantServices(t, set, "S")
			wantProblems(t, set, "2.proto", c.want)
		})
	}
}

func TestNewPicksOneOfTwoDescriptions(t *testing.T) {
	t.Parallel()
	files := compile(t, shop)
	other := proto.CloneOf(files[0])
	other.MessageType[0].Field = nil
	set := mustNew(t, append(slices.Clone(files), other, files[0]))
	again := mustNew(t, append([]*descriptorpb.FileDescriptorProto{other}, files...))
	wantProblems(t, set, "shop/money.proto", "described more than once and not alike")
	if set.Digest() != again.Digest() {
		t.Error("another order, another choice")
	}
}

func TestNewRefusesUnwieldyNames(t *testing.T) {
	t.Parallel()
	long, dotted := strings.Repeat("x", 1025), strings.Repeat("x.", 64)+"x"
	cases := map[string]func(*descriptorpb.FileDescriptorProto){
		"package": func(f *descriptorpb.FileDescriptorProto) { f.Package = &long },
		"dots":    func(f *descriptorpb.FileDescriptorProto) { f.Package = &dotted },
		"input":   func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method[0].InputType = &dotted },
		"output":  func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method[0].OutputType = &dotted },
		"field":   func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].Field[1].TypeName = &long },
		"nested": func(f *descriptorpb.FileDescriptorProto) {
			f.MessageType[1].NestedType = []*descriptorpb.DescriptorProto{
				{Name: proto.String("N"), Extension: []*descriptorpb.FieldDescriptorProto{{Extendee: &long}}},
			}
		},
		"extension": func(f *descriptorpb.FileDescriptorProto) {
			f.Extension = []*descriptorpb.FieldDescriptorProto{{TypeName: &long}}
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := compile(t, shop)
			change(byName(t, files, "shop/orders.proto"))
			set, err := descriptor.New(files, []protoreflect.FullName{"shop.Prices"})
			if err != nil {
				t.Fatal(err)
			}
			wantServices(t, set, "shop.Prices")
			wantProblems(t, set, "shop/orders.proto", "at most 1024 and 64 can be")
		})
	}
}

func TestNewSelectsServices(t *testing.T) {
	t.Parallel()
	files := compile(t, shop)
	cases := map[string]struct {
		wanted   []protoreflect.FullName
		services []string
		problems []string
	}{
		"nil is all":    {nil, []string{"shop.Orders", "shop.Prices"}, nil},
		"empty is none": {[]protoreflect.FullName{}, nil, nil},
		"named":         {[]protoreflect.FullName{"shop.Prices", "shop.Prices"}, []string{"shop.Prices"}, nil},
		"unknown":       {[]protoreflect.FullName{"shop.Nothing"}, nil, []string{"shop.Nothing", "no file declares this service"}},
		"not a service": {[]protoreflect.FullName{"shop.Money"}, nil, []string{"shop.Money", "not as a service"}},
		"not a name":    {[]protoreflect.FullName{"..", ""}, nil, []string{"", "no file", "..", "no file"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := descriptor.New(files, c.wanted)
			if err != nil {
				t.Fatal(err)
			}
			wantServices(t, set, c.services...)
			wantProblems(t, set, c.problems...)
		})
	}
}

func TestNewRefusesNilFile(t *testing.T) {
	t.Parallel()
	_, err := descriptor.New([]*descriptorpb.FileDescriptorProto{{Name: proto.String("a.proto")}, nil}, nil)
	wantError(t, err, "file 2 of 2 is nil")
}

func TestNewReportsNamelessFile(t *testing.T) {
	t.Parallel()
	wantProblems(t, mustNew(t, []*descriptorpb.FileDescriptorProto{{}}), "", "a file without a name")
}

func TestNewTypesOptions(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, sources{"a.proto": `syntax = "proto3";
		import "buf/validate/validate.proto";
		import "google/api/annotations.proto";
		message A { string id = 1 [(buf.validate.field).string.min_len = 3]; }
		service S { rpc Do(A) returns (A) { option (google.api.http) = { get: "/v1/{id}" }; } }`})
	set := mustLoad(t, descriptor.Files([]string{root}, []string{"a.proto"}))
	wantProblems(t, set)
	method := set.Services()[0].Methods().Get(0)
	rule, _ := proto.GetExtension(method.Options(), annotations.E_Http).(*annotations.HttpRule)
	if rule.GetGet() != "/v1/{id}" {
		t.Errorf("google.api.http is %v", method.Options())
	}
	field := method.Input().Fields().ByName("id")
	rules, _ := proto.GetExtension(field.Options(), validate.E_Field).(*validate.FieldRules)
	if rules.GetString().GetMinLen() != 3 {
		t.Errorf("buf.validate.field is %v", field.Options())
	}
}

// Somebody else's option may have the number of a linked one and another type.
func TestNewKeepsOptionsThatDoNotFit(t *testing.T) {
	t.Parallel()
	options := &descriptorpb.MethodOptions{}
	const notAMessage = "\xff\xff\xff"
	options.ProtoReflect().SetUnknown(append([]byte("\x82\xd3\xe4\x93\x02\x03"), notAMessage...)) // field 72295728, google.api.http
	file := proto.CloneOf(byName(t, compile(t, shop), "shop/prices.proto"))
	file.Service[0].Method[0].Options = options
	set := mustNew(t, append(except(compile(t, shop), "shop/prices.proto"), file))
	wantServices(t, set, "shop.Orders", "shop.Prices")
	wantProblems(t, set)
}

func TestTypesResolvesOwnTypes(t *testing.T) {
	t.Parallel()
	set := mustNew(t, compile(t, sources{"e.proto": `syntax = "proto2";
		package e;
		message Base { extensions 100 to 200; }
		message Part { extend Base { optional Part part = 100; } }`}))
	if _, err := set.Types().FindMessageByURL("type.googleapis.com/e.Part"); err != nil {
		t.Errorf("message by URL: %v", err)
	}
	if x, err := set.Types().FindExtensionByNumber("e.Base", 100); err != nil || x.TypeDescriptor().FullName() != "e.Part.part" {
		t.Errorf("extension by number: %v, %v", x, err)
	}
}
