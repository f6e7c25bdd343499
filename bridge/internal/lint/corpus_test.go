package lint_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

const corpusDir = "../../../../shared/corpus"

// corpus makes the tools of all unary methods of real APIs, by the name of the set; it skips the test where they are absent.
func corpus(t testing.TB, profile schema.Profile) map[string][]lint.Subject {
	t.Helper()
	paths, err := filepath.Glob(corpusDir + "/*.binpb")
	if err != nil || len(paths) == 0 {
		t.Skipf("no descriptor sets in %s", corpusDir)
	}
	sets := map[string][]lint.Subject{}
	for _, path := range paths {
		set, err := descriptor.FileSet(path).Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		reader := annotation.NewReader(set.Files())
		g := schema.New(reader, profile)
		name := strings.TrimSuffix(filepath.Base(path), ".binpb")
		set.Files().RangeFiles(func(fd protoreflect.FileDescriptor) bool {
			for i := range fd.Services().Len() {
				methods := fd.Services().Get(i).Methods()
				for j := range methods.Len() {
					if md := methods.Get(j); !md.IsStreamingClient() {
						sets[name] = append(sets[name], subjectWith(md, reader, g, profile))
					}
				}
			}
			return true
		})
	}
	return sets
}

// TestCorpus holds the tools of real APIs against all rules: no derived schema is refused, names of things are rarely called
// cryptic, and a sample of what passes (all with CORPUS=all in the environment) is valid under both meta-schemas.
func TestCorpus(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, profile := range []schema.Profile{schema.Portable, schema.Rich} {
		count, total := map[string]int{}, 0
		for name, subjects := range corpus(t, profile) {
			for _, s := range subjects {
				total++
				for _, f := range lint.Tool(s) {
					count[f.Rule]++
					if f.Severity == lint.Error {
						t.Errorf("%s, %v: %s: %+v", name, profile, s.Method.FullName(), f)
					}
				}
				if os.Getenv("CORPUS") == "all" || rng.IntN(20) == 0 {
					compiles(t, s)
				}
			}
		}
		for _, r := range lint.Rules() {
			if n := count[r.ID]; n > 0 {
				t.Logf("%v: %s: %d of %d", profile, r.ID, n, total)
			}
			if strings.HasSuffix(r.ID, "-cryptic") && count[r.ID]*100 > total {
				t.Errorf("%s finds fault with more than one of a hundred", r.ID)
			}
		}
	}
}

// compiles lets a validator of other people's check the schemas of a tool against both meta-schemas.
func compiles(t testing.TB, s lint.Subject) {
	t.Helper()
	for _, raw := range [][]byte{s.Tool.InputSchema, s.Tool.OutputSchema} {
		for _, draft := range []*jsonschema.Draft{jsonschema.Draft7, jsonschema.Draft2020} {
			if err := compileSchema(raw, draft); err != nil && raw != nil {
				t.Errorf("%s: not a schema of %v: %v\n%s", s.Method.FullName(), draft, err, raw)
			}
		}
	}
}

func compileSchema(raw []byte, draft *jsonschema.Draft) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	if err := c.AddResource("test:schema", doc); err != nil {
		return err
	}
	_, err = c.Compile("test:schema")
	return err
}

// BenchmarkErrors looks for errors in every tool of the corpus once an iteration.
func BenchmarkErrors(b *testing.B) {
	var subjects []lint.Subject
	size := 0
	for _, s := range corpus(b, schema.Portable) {
		subjects = slices.Concat(subjects, s)
	}
	for _, s := range subjects {
		size += len(s.Tool.InputSchema) + len(s.Tool.OutputSchema)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range subjects {
			lint.Errors(s)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(subjects)), "ns/tool")
	b.ReportMetric(float64(size)/float64(len(subjects)), "B/tool")
}
