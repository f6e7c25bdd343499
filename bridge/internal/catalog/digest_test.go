package catalog_test

import (
	"testing"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// TestDigest changes one thing at a time: the digest follows what is offered, and nothing else.
func TestDigest(t *testing.T) {
	t.Parallel()
	base := compile(t, catalog.Options{}, library(t)).Digest()
	for _, c := range []struct {
		name    string
		change  func(t *testing.T, source *catalog.Source, opts *catalog.Options)
		changes bool
	}{
		{"nothing", func(*testing.T, *catalog.Source, *catalog.Options) {}, false},
		{"page size", func(_ *testing.T, _ *catalog.Source, o *catalog.Options) { o.PageSize = 1 }, false},
		{"features", func(_ *testing.T, _ *catalog.Source, o *catalog.Options) { o.Features = allFeatures() }, false},
		{"an omission", func(t *testing.T, s *catalog.Source, _ *catalog.Options) {
			s.Set = library(t, "infrastructure.proto").Set
		}, false},
		{"pattern that hides nothing", func(_ *testing.T, s *catalog.Source, _ *catalog.Options) { s.Hide = []string{"x"} }, false},
		{"a tool less", func(_ *testing.T, s *catalog.Source, _ *catalog.Options) { s.Hide = []string{"*.Now"} }, true},
		{"another backend", func(t *testing.T, s *catalog.Source, _ *catalog.Options) { s.Backend = named(t, "other") }, true},
		{"number of a field", spoil(func(f *fileProto) { f.MessageType[0].Field[1].Number = new(int32(77)) }), false},
		{"name of a field", spoil(func(f *fileProto) {
			f.MessageType[0].Field[1].Name, f.MessageType[0].Field[1].JsonName = new("subtitle"), new("subtitle")
		}), true},
		{"type of a field", spoil(func(f *fileProto) {
			f.MessageType[0].Field[1].Type = descriptorpb.FieldDescriptorProto_TYPE_BOOL.Enum()
		}), true},
		{"a comment", spoil(func(f *fileProto) { f.SourceCodeInfo = nil }), true},
		{"a hint", spoil(func(f *fileProto) { f.Service[0].Method[1].Options = nil }), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source, opts := library(t), catalog.Options{}
			c.change(t, &source, &opts)
			if changed := compile(t, opts, source).Digest() != base; changed != c.changes {
				t.Errorf("changed: %t, want %t", changed, c.changes)
			}
		})
	}
}

// spoil changes library.proto.
func spoil(change func(*fileProto)) func(*testing.T, *catalog.Source, *catalog.Options) {
	return func(t *testing.T, s *catalog.Source, _ *catalog.Options) {
		t.Helper()
		file := fileOf(t, s.Set, "library.proto")
		change(file)
		set, err := descriptor.New([]*fileProto{file}, nil)
		if err != nil || len(set.Problems()) > 0 {
			t.Fatalf("error %v, problems %v", err, set.Problems())
		}
		s.Set = set
	}
}
