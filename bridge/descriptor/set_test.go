package descriptor_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

func TestDigest(t *testing.T) {
	t.Parallel()
	files := compile(t, shop)
	base := mustNew(t, files).Digest()
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(base) {
		t.Errorf("digest %q is not a SHA-256 in hexadecimal", base)
	}
	orders := "shop/orders.proto"
	changed := map[string]func() *descriptor.Set{
		"less one service": func() *descriptor.Set { return named(t, files, "shop.Orders") },
		"without comments": func() *descriptor.Set { return mustNew(t, bare(compile(t, shop))) },
		"another file": func() *descriptor.Set {
			return mustNew(t, append(slices.Clone(files), renamed(&descriptorpb.FileDescriptorProto{}, "x.proto")))
		},
		"another problem": func() *descriptor.Set { return named(t, files, "shop.Orders", "shop.Prices", "shop.Gone") },
		"an option": func() *descriptor.Set {
			file := proto.CloneOf(byName(t, files, orders))
			file.Service[0].Method[0].Options = &descriptorpb.MethodOptions{Deprecated: proto.Bool(true)}
			return mustNew(t, append(except(files, orders), file))
		},
	}
	for name, set := range changed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if set().Digest() == base {
				t.Error("the digest is the same")
			}
		})
	}
}

func named(t *testing.T, files []*descriptorpb.FileDescriptorProto, services ...protoreflect.FullName) *descriptor.Set {
	t.Helper()
	set, err := descriptor.New(files, services)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestSetIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	set := mustNew(t, compile(t, sources{"commented.proto": commented}))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := set.Types().FindExtensionByNumber("all.M", 101); err != nil {
				t.Error(err)
			}
			for _, service := range set.Services() {
				if leading(service) == "" {
					t.Error("no comment")
				}
			}
		})
	}
	group.Wait()
}

// The commit that buf writes into an image says nothing about the API.
func TestDigestIgnoresImageMetadata(t *testing.T) {
	t.Parallel()
	files := compile(t, shop)
	want := mustNew(t, files).Digest()
	for i, file := range files {
		file.ProtoReflect().SetUnknown(imageMark(false, fmt.Sprintf("commit-%d", i)))
	}
	if got := mustNew(t, files).Digest(); got != want {
		t.Error("the digest depends on image metadata")
	}
}

// Whatever the files of a server are, and whatever is wrong with them, the order in which they arrive makes no
// difference, each one is built or explained, and what is built has its imports.
func TestBuildProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		files := randomFiles(t)
		set, err := descriptor.New(files, nil)
		if err != nil {
			t.Fatal(err)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		again, err := descriptor.New(files, nil)
		if err != nil {
			t.Fatal(err)
		}
		if set.Digest() != again.Digest() {
			t.Fatalf("another order, another digest:\n%q\n%q", set.Problems(), again.Problems())
		}
		checkAccounted(t, set, files)
	})
}

func checkAccounted(t *rapid.T, set *descriptor.Set, files []*descriptorpb.FileDescriptorProto) {
	explained := make(map[string]bool)
	for _, problem := range set.Problems() {
		explained[problem.Name] = true
	}
	for _, file := range files {
		built, err := set.Files().FindFileByPath(file.GetName())
		if err != nil {
			if !explained[file.GetName()] {
				t.Fatalf("%s is neither built nor explained", file.GetName())
			}
			continue
		}
		for i := range built.Imports().Len() {
			imported := built.Imports().Get(i)
			if _, err := set.Files().FindFileByPath(imported.Path()); err != nil || imported.IsPlaceholder() {
				t.Fatalf("%s imports %s, which is not in the set", file.GetName(), imported.Path())
			}
		}
	}
}

// randomFiles draws up to eight files that import, use, repeat and contradict each other.
func randomFiles(t *rapid.T) []*descriptorpb.FileDescriptorProto {
	number := rapid.IntRange(0, 5)
	count := rapid.IntRange(1, 8).Draw(t, "files")
	var files []*descriptorpb.FileDescriptorProto
	for range count {
		own := number.Draw(t, "own")
		message := &descriptorpb.DescriptorProto{Name: proto.String(fmt.Sprintf("M%d", number.Draw(t, "message")))}
		var imports []string
		for i, other := range rapid.SliceOfNDistinct(number, 0, 3, rapid.ID).Draw(t, "imports") {
			imports = append(imports, fmt.Sprintf("f%d.proto", other))
			if rapid.Bool().Draw(t, "used") {
				message.Field = append(message.Field, &descriptorpb.FieldDescriptorProto{
					Name: proto.String(fmt.Sprintf("f%d", i)), Number: proto.Int32(int32(i + 1)),
					Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(),
					TypeName: proto.String(fmt.Sprintf(".M%d", other)),
				})
			}
		}
		files = append(files, &descriptorpb.FileDescriptorProto{
			Name: proto.String(fmt.Sprintf("f%d.proto", own)), Syntax: proto.String("proto3"),
			Dependency: imports, MessageType: []*descriptorpb.DescriptorProto{message},
			Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String(fmt.Sprintf("S%d", own))}},
		})
	}
	return files
}
