package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// TestDigests: each follows its own lists, and the one over everything also what clients do not see.
func TestDigests(t *testing.T) {
	t.Parallel()
	const base = `
		message M { string id = 1; } message R { string name = 1; }
		service S {
			rpc Tool(M) returns (R);
			rpc Prompt(M) returns (R) { option (bridge.v1.method) = { prompt { name: "p" } }; }
			rpc Read(M) returns (R) { option (bridge.v1.method) = { resources { uri: "a://b" uri_field: "id" } }; }
			rpc Family(M) returns (R) { option (bridge.v1.method) = { resources { uri_template: "a://{id}" } }; }
			rpc Watch(M) returns (stream R);
		}`
	was := compile(t, catalog.Options{}, annotated(t, "b", base))
	for _, c := range []struct{ name, old, text, want string }{
		{"nothing", "", "", ""},
		{"a tool", "rpc Tool(M)", "rpc Tools(M)", "tools all"},
		{"a prompt", `"p"`, `"q"`, "prompts all"},
		{"a resource", `"a://b"`, `"a://c"`, "resources all"},
		{"a template", `"a://{id}"`, `"a://{id}/x"`, "resources all"},
		{"a watch", `"a://{id}"`, `"a://{id}" watch: "Watch"`, "tools all"},
		{"a way", ` uri_field: "id"`, ``, "all"},
		{"a capability", `{ prompt {`, `{ required_capabilities: "sampling" prompt {`, "all"},
		{"a reload", `{ prompt {`, `{ reload_after: true prompt {`, "all"},
		{"an argument", "string id = 1;", "string id = 1; string more = 2;", "tools prompts all"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(base, c.old, c.text, 1)
			now := compile(t, catalog.Options{}, annotated(t, "b", text))
			var changed []string
			for _, d := range [][3]string{
				{"tools", was.Digests().Tools, now.Digests().Tools},
				{"prompts", was.Digests().Prompts, now.Digests().Prompts},
				{"resources", was.Digests().Resources, now.Digests().Resources},
				{"all", was.Digest(), now.Digest()},
			} {
				if len(d[1]) != 64 || len(d[2]) != 64 {
					t.Errorf("digest %q of %s", d[1], d[0])
				}
				if d[1] != d[2] {
					changed = append(changed, d[0])
				}
			}
			if diff := cmp.Diff(strings.Fields(c.want), changed, cmpEmpty); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	other := compile(t, catalog.Options{}, annotated(t, "other", base))
	if other.Digests() != was.Digests() || other.Digest() == was.Digest() {
		t.Error("another backend is not seen, or is another list")
	}
}
