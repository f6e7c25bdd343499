package schema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

const corpusDir = "../../../../shared/corpus"

// corpus loads the descriptor sets of real APIs, by name; it skips the test where they are absent.
func corpus(t testing.TB) map[string][]protoreflect.MethodDescriptor {
	t.Helper()
	paths, err := filepath.Glob(corpusDir + "/*.binpb")
	if err != nil || len(paths) == 0 {
		t.Skipf("no descriptor sets in %s", corpusDir)
	}
	sets := map[string][]protoreflect.MethodDescriptor{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sets[strings.TrimSuffix(filepath.Base(path), ".binpb")] = methodsOfSet(t, raw)
	}
	return sets
}

func methodsOfSet(t testing.TB, raw []byte) []protoreflect.MethodDescriptor {
	t.Helper()
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	var methods []protoreflect.MethodDescriptor
	for _, fdp := range set.GetFile() {
		fd, err := files.FindFileByPath(fdp.GetName())
		if err != nil {
			t.Fatal(err)
		}
		methods = append(methods, methodsOf(fd)...)
	}
	return methods
}

// affordable is what the input schemas of an API have to take less than, in bytes: what they took with references, first
// sentences of at most 200 characters, and without fields that are OUTPUT_ONLY or deprecated.
var affordable = map[string]int{
	"googleapis_pubsub_v1":     31_000,
	"googleapis_bigquery":      133_000,
	"googleapis_aiplatform_v1": 585_000,
	"temporal_api":             313_000,
	"envoy":                    310_000,
}

// TestCorpus holds the schemas of every method of real APIs against the rules of the profile, and the input schemas of some
// APIs against what they may take, with a margin of 1.5 % for changes elsewhere.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for name, methods := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var in, out int
			for _, m := range portable(t, methods) {
				input, output := m.input(), m.output(nil)
				in, out = in+len(input), out+len(output)
				scan(t, m, input, output)
			}
			t.Logf("%d methods: %d bytes of input schemas, %d of output schemas", len(methods), in, out)
			if limit, ok := affordable[name]; ok && in > limit-limit*3/200 {
				t.Errorf("the input schemas take %d bytes, which is too near to %d", in, limit)
			}
		})
	}
}

// BenchmarkCorpus makes both schemas of every method of the corpus once an iteration.
func BenchmarkCorpus(b *testing.B) {
	sets := corpus(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, methods := range sets {
			for _, m := range portable(b, methods) {
				m.input()
				m.output(nil)
			}
		}
	}
}
