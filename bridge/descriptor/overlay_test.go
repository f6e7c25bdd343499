package descriptor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// protos returns the files of a set as data, sorted by path.
func protos(set *descriptor.Set) []*descriptorpb.FileDescriptorProto {
	var all []*descriptorpb.FileDescriptorProto
	set.Files().RangeFiles(func(file protoreflect.FileDescriptor) bool {
		all = append(all, protodesc.ToFileDescriptorProto(file))
		return true
	})
	slices.SortFunc(all, func(a, b *descriptorpb.FileDescriptorProto) int { return strings.Compare(a.GetName(), b.GetName()) })
	return all
}

// commented declares one of everything, each with a comment that is its own name.
const commented = `// syntax
	syntax = "proto2";
	// package
	package all;
	// all.Before
	message Before {}
	// all.M
	message M {
		// all.M.f
		optional string f = 1; // trailing
		// all.M.choice
		oneof choice {
			// all.M.a
			string a = 2;
		}
		// all.M.N
		message N {
			// all.M.N.Deep
			message Deep {
				// all.M.N.Deep.g
				optional int32 g = 1;
			}
		}
		// all.M.E
		enum E {
			// all.M.V
			V = 0;
		}
		// detached

		// all.M.x
		extensions 100 to 200;
		extend M {
			// all.M.x
			optional string x = 100;
		}
	}
	// all.E
	enum E {
		// all.W
		W = 0;
	}
	extend M {
		// all.y
		optional string y = 101;
	}
	// all.S
	service S {
		// all.S.Do
		rpc Do(M) returns (M);
	}`

// moved declares the same in two other files and another order, without comments, and some more.
var moved = sources{
	"first.proto": `syntax = "proto2";
		package all;
		enum E { W = 0; UNKNOWN_TO_TEXT = 1; }
		message M {
			message N { message Other {} message Deep { optional int32 g = 1; } }
			extensions 100 to 200;
			enum E { V = 0; }
			extend M { optional string x = 100; }
			optional string extra = 4;
			oneof choice { string a = 2; }
			optional string f = 1;
		}`,
	"commented.proto": `syntax = "proto2";
		package all;
		import "first.proto";
		service S { rpc Extra(M) returns (M); rpc Do(M) returns (M); }
		extend M { optional string y = 101; }
		message Before {}`,
}

// fixed is a Source of one set.
type fixed struct {
	set *descriptor.Set
	err error
}

// Load returns what it was given.
func (f fixed) Load(context.Context) (*descriptor.Set, error) { return f.set, f.err }

func TestOverlayMatchesByName(t *testing.T) {
	t.Parallel()
	base := mustNew(t, bare(compile(t, moved)))
	text := mustNew(t, compile(t, sources{"commented.proto": commented}))
	set := mustLoad(t, descriptor.Overlay(fixed{set: base}, fixed{set: text}))
	wantServices(t, set, "all.S")
	wantProblems(t, set)
	for _, name := range []protoreflect.FullName{
		"all.Before", "all.M", "all.M.f", "all.M.choice", "all.M.a", "all.M.N", "all.M.N.Deep", "all.M.N.Deep.g", "all.M.E", "all.M.V",
		"all.M.x", "all.E", "all.W", "all.y", "all.S", "all.S.Do",
	} {
		if got := strings.TrimSpace(leading(find(t, set, name))); got != string(name) {
			t.Errorf("%s: comment %q", name, got)
		}
	}
	for _, name := range []protoreflect.FullName{"all.UNKNOWN_TO_TEXT", "all.M.extra", "all.S.Extra", "all.M.N.Other"} {
		if got := leading(find(t, set, name)); got != "" {
			t.Errorf("%s has the comment %q of something else", name, got)
		}
	}
	f := find(t, set, "all.M.f")
	if got := f.ParentFile().SourceLocations().ByDescriptor(f).TrailingComments; got != " trailing\n" {
		t.Errorf("trailing comment %q", got)
	}
	file, err := set.Files().FindFileByPath("commented.proto")
	if err != nil {
		t.Fatal(err)
	}
	if got := file.SourceLocations().ByPath(protoreflect.SourcePath{2}).LeadingComments; got != " package\n" {
		t.Errorf("comment of the package %q", got)
	}
}

func find(t testing.TB, set *descriptor.Set, name protoreflect.FullName) protoreflect.Descriptor {
	t.Helper()
	found, err := set.Files().FindDescriptorByName(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return found
}

func TestOverlayPrefersTextAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	base := mustNew(t, compile(t, sources{"a.proto": "syntax = \"proto3\";\n// old A\nmessage A {}\n// old B\nmessage B {}\n"}))
	text := mustNew(t, compile(t, sources{"a.proto": "syntax = \"proto3\";\nmessage B {}\n\n\n\n// new A\nmessage A {}\n"}))
	set := mustLoad(t, descriptor.Overlay(fixed{set: base}, fixed{set: text}))
	for name, want := range map[protoreflect.FullName]string{"A": " new A\n", "B": " old B\n"} {
		if got := leading(find(t, set, name)); got != want {
			t.Errorf("%s: comment %q, want %q", name, got, want)
		}
	}
	a := find(t, set, "A")
	if line := a.ParentFile().SourceLocations().ByDescriptor(a).StartLine; line != 2 {
		t.Errorf("A is now said to be in line %d of base", line)
	}
	if old := find(t, base, "A"); leading(old) != " old A\n" {
		t.Error("the base has been changed")
	}
}

// What stands apart from a declaration in the text is no comment on it.
func TestOverlayKeepsCommentsThatAreOnlyApartInText(t *testing.T) {
	t.Parallel()
	base := mustNew(t, compile(t, sources{"a.proto": "syntax = \"proto3\";\n// old A\nmessage A {}\n// old B\nmessage B {}\n"}))
	text := mustNew(t, compile(t, sources{"a.proto": "syntax = \"proto3\";\n\n// apart\n\nmessage A {}\n\n// new B\nmessage B {}\n"}))
	set := mustLoad(t, descriptor.Overlay(fixed{set: base}, fixed{set: text}))
	a := find(t, set, "A")
	at := a.ParentFile().SourceLocations().ByDescriptor(a)
	if at.LeadingComments != " old A\n" || len(at.LeadingDetachedComments) != 1 || leading(find(t, set, "B")) != " new B\n" {
		t.Errorf("A has %+v, B %q", at, leading(find(t, set, "B")))
	}
}

func TestOverlayKeepsTypesServicesAndProblems(t *testing.T) {
	t.Parallel()
	files := bare(compile(t, shop))
	base, err := descriptor.New(files, []protoreflect.FullName{"shop.Orders", "shop.Gone"})
	if err != nil {
		t.Fatal(err)
	}
	newer := compile(t, shop)
	newer[0].MessageType[0].Field = nil
	newer[1].SourceCodeInfo.Location = append(newer[1].SourceCodeInfo.Location, &descriptorpb.SourceCodeInfo_Location{
		Path: []int32{6, 0}, Span: []int32{1, 1, 1}, LeadingComments: proto.String("Orders."),
	})
	newer[1].SourceCodeInfo.Location = newer[1].SourceCodeInfo.Location[len(newer[1].SourceCodeInfo.Location)-1:]
	text := mustNew(t, append(newer, messageSet()))
	set := mustLoad(t, descriptor.Overlay(fixed{set: base}, fixed{set: text}))
	wantServices(t, set, "shop.Orders")
	wantProblems(t, set, "comments", "old.proto: ", "shop.Gone", "no file declares")
	money, ok := find(t, set, "shop.Money").(protoreflect.MessageDescriptor)
	if !ok || money.Fields().Len() != 2 {
		t.Error("types were taken from the text")
	}
	if got := leading(set.Services()[0]); got != "Orders." {
		t.Errorf("comment %q", got)
	}
}

func TestOverlayWithoutUsableText(t *testing.T) {
	t.Parallel()
	standard := protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto)
	standard.SourceCodeInfo = &descriptorpb.SourceCodeInfo{Location: []*descriptorpb.SourceCodeInfo_Location{
		{Path: []int32{4, 0}, Span: []int32{1, 1, 1}, LeadingComments: proto.String("A set.")},
	}}
	base := mustNew(t, append(bare(compile(t, shop)), standard))
	cases := map[string]struct {
		text fixed
		want string
	}{
		"not loaded":  {fixed{err: errors.New("no such\nfile")}, "not loaded: no such file"},
		"no comments": {fixed{set: base}, "no comment belongs to anything here: was the text built with its source info"},
		"another API": {
			fixed{set: mustNew(t, compile(t, sources{"commented.proto": commented}))}, "the text declares nothing that is declared here",
		},
		"what all have": {
			fixed{set: mustNew(t, []*descriptorpb.FileDescriptorProto{standard})}, "the text declares nothing that is declared here",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := mustLoad(t, descriptor.Overlay(fixed{set: base}, c.text))
			wantServices(t, set, "shop.Orders", "shop.Prices")
			wantProblems(t, set, "comments", c.want)
		})
	}
}

func TestOverlayFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no base")
	text := fixed{set: mustNew(t, compile(t, shop))}
	if _, err := descriptor.Overlay(fixed{err: broken}, text).Load(t.Context()); !errors.Is(err, broken) {
		t.Errorf("got %v, want the base's error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := descriptor.Overlay(text, fixed{err: context.Canceled}).Load(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// The same text over the same base is the same set, and another text another one.
func TestOverlayDigest(t *testing.T) {
	t.Parallel()
	base := fixed{set: mustNew(t, bare(compile(t, moved)))}
	text := func(source string) fixed {
		return fixed{set: mustNew(t, compile(t, sources{"commented.proto": source}))}
	}
	first := mustLoad(t, descriptor.Overlay(base, text(commented))).Digest()
	again := mustLoad(t, descriptor.Overlay(base, text(commented))).Digest()
	other := mustLoad(t, descriptor.Overlay(base, text(strings.Replace(commented, "// all.S.Do", "// Does.", 1)))).Digest()
	if first != again || first == other || first == base.set.Digest() {
		t.Errorf("digests %s, %s, %s", first, again, other)
	}
}
