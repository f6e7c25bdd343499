package bridge_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

const corpusDir = "../../shared/corpus"

// corpusProfiles are the ways of writing schemas that the corpus is held against.
var corpusProfiles = []schema.Profile{schema.Portable, schema.Rich}

// api is a descriptor set of a real API.
type api struct {
	name       string
	set        *descriptor.Set
	methods    []protoreflect.MethodDescriptor // of every kind, streaming ones too
	generators map[schema.Profile]*schema.Generator
}

// readCorpus reads all of the corpus once for all tests, sorted by name; nothing where it is absent.
var readCorpus = sync.OnceValues(func() ([]*api, error) {
	paths, err := filepath.Glob(corpusDir + "/*.binpb")
	if err != nil {
		return nil, err
	}
	apis := make([]*api, len(paths))
	for i, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".binpb")
		set, err := descriptorSet(name).Load(context.Background())
		if err != nil {
			return nil, err
		}
		apis[i] = newAPI(name, set)
	}
	return apis, nil
})

func descriptorSet(name string) descriptor.Source {
	return descriptor.FileSet(filepath.Join(corpusDir, name+".binpb"))
}

func newAPI(name string, set *descriptor.Set) *api {
	a := &api{name: name, set: set, generators: map[schema.Profile]*schema.Generator{}}
	for _, service := range set.Services() {
		for i := range service.Methods().Len() {
			a.methods = append(a.methods, service.Methods().Get(i))
		}
	}
	for _, p := range corpusProfiles {
		a.generators[p] = schema.New(annotation.NewReader(set.Files()), p)
	}
	return a
}

// corpus returns all of the corpus; it skips the test where it is absent.
func corpus(t testing.TB) []*api {
	t.Helper()
	apis, err := readCorpus()
	if err != nil {
		t.Fatal(err)
	}
	if len(apis) == 0 {
		t.Skipf("no descriptor sets in %s", corpusDir)
	}
	return apis
}

// wholeCorpus says whether every method is to be looked at, and not a sample.
func wholeCorpus() bool { return os.Getenv("CORPUS") == "all" }

// newSeed draws the seed of a test's sample and tells it.
func newSeed(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// subject is a method of the corpus.
type subject struct {
	*api

	method protoreflect.MethodDescriptor
}

// String is how the method is named in a failure.
func (s subject) String() string { return s.name + "/" + string(s.method.FullName()) }

// codec compiles the method's codec.
func (s subject) codec(t rapid.TB, opts transcode.Options) *transcode.Codec {
	codec, err := transcode.Compile(s.method.Input(), s.method.Output(), s.set.Types(), opts)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return codec
}

// property is something that holds of every method.
type property[P any] struct {
	prepare func(t rapid.TB, s subject) P                // is made once for a method
	check   func(t *rapid.T, s subject, p P) (bytes int) // returns how many bytes it has looked at
}

// tally counts what has been checked.
type tally struct{ methods, checks, bytes atomic.Int64 }

// checkMethods holds a property against methods of each API, drawn by chance, or against each of them with CORPUS=all in the
// environment, and tells how often, and of how much.
func checkMethods[P any](t *testing.T, p property[P]) {
	t.Helper()
	apis, n := corpus(t), &tally{}
	t.Cleanup(func() { t.Logf("%d methods, %d checks, %d bytes", n.methods.Load(), n.checks.Load(), n.bytes.Load()) })
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			if wholeCorpus() {
				p.checkAll(t, a, n)
			} else {
				p.checkSome(t, a, n)
			}
		})
	}
}

// checkAll checks every method as often as rapid does.
func (p property[P]) checkAll(t *testing.T, a *api, n *tally) {
	for _, m := range a.methods {
		t.Run(string(m.FullName()), func(t *testing.T) {
			s := subject{a, m}
			prepared := p.prepare(t, s)
			n.methods.Add(1)
			rapid.Check(t, func(t *rapid.T) {
				n.checks.Add(1)
				n.bytes.Add(int64(p.check(t, s, prepared)))
			})
		})
	}
}

// checkSome draws a method for each check.
func (p property[P]) checkSome(t *testing.T, a *api, n *tally) {
	prepared := map[protoreflect.MethodDescriptor]P{}
	rapid.Check(t, func(t *rapid.T) {
		s := subject{a, a.methods[pick(t, len(a.methods), "method")]}
		if _, ok := prepared[s.method]; !ok {
			prepared[s.method] = p.prepare(t, s)
			n.methods.Add(1)
		}
		n.checks.Add(1)
		n.bytes.Add(int64(p.check(t, s, prepared[s.method])))
	})
}

// corpusSources makes a backend of each API.
func corpusSources(t testing.TB, profile schema.Profile, apis ...*api) []catalog.Source {
	t.Helper()
	list := make([]catalog.Source, len(apis))
	for i, a := range apis {
		b, err := backend.New(backend.Config{Name: a.name})
		if err != nil {
			t.Fatal(err)
		}
		list[i] = catalog.Source{Backend: b, Set: a.set, Profile: profile, Codec: transcode.Options{EmitDefaults: true}}
	}
	return list
}
