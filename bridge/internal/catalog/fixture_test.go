package catalog_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	_ "google.golang.org/genproto/googleapis/api/annotations" // google/api/*.proto for the compiler
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// named makes a backend that is never called.
func named(t testing.TB, name string) *backend.Backend {
	t.Helper()
	b, err := backend.New(backend.Config{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// load reads descriptors.
func load(t testing.TB, source descriptor.Source) *descriptor.Set {
	t.Helper()
	set, err := source.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// library is testdata/library.proto and what else is named of testdata, served by one backend.
func library(t testing.TB, more ...string) catalog.Source {
	t.Helper()
	files := descriptor.Files([]string{"testdata"}, append([]string{"library.proto"}, more...))
	return catalog.Source{Backend: named(t, "library"), Set: load(t, files)}
}

func compile(t testing.TB, opts catalog.Options, sources ...catalog.Source) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Compile(sources, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// revisions are the features of peers of each protocol revision, by its name.
var revisions = map[string]mcp.Features{
	"2024-11-05": {},
	"2025-03-26": {Annotations: true, Audio: true, Completions: true, Batches: true},
	"2025-06-18": {
		Annotations: true, Titles: true, OutputSchemas: true, ToolMeta: true,
		Audio: true, Completions: true, ResourceLinks: true, LastModified: true,
	},
	"2025-11-25": {
		Annotations: true, Titles: true, OutputSchemas: true, ToolMeta: true, ServerDescriptions: true,
		Audio: true, Completions: true, ResourceLinks: true, LastModified: true, Polling: true,
	},
	"2026-07-28": {
		Modern: true, Annotations: true, Titles: true, OutputSchemas: true, AnyOutput: true, ToolMeta: true, ServerDescriptions: true,
		Audio: true, Completions: true, ResourceLinks: true, LastModified: true, ParamHeaders: true,
	},
}

func allFeatures() []mcp.Features {
	var all []mcp.Features
	for _, f := range revisions {
		all = append(all, f)
	}
	return all
}

const corpusDir = "../../../../shared/corpus"

// sampled is how many descriptor sets of real APIs a test takes.
const sampled = 4

// corpusPaths are the descriptor sets of real APIs. It skips the test where they are absent.
func corpusPaths(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(corpusDir + "/*.binpb")
	if err != nil || len(paths) == 0 {
		t.Skipf("no descriptor sets in %s", corpusDir)
	}
	return paths
}

// corpus loads descriptor sets of real APIs, each a source: some by the seed, or all with CORPUS=all in the environment. It
// skips the test where they are absent.
func corpus(t testing.TB, seed uint64) []catalog.Source {
	t.Helper()
	paths := corpusPaths(t)
	if os.Getenv("CORPUS") != "all" {
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		paths = paths[:min(len(paths), sampled)]
	}
	var sources []catalog.Source
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".binpb")
		sources = append(sources, catalog.Source{Backend: named(t, name), Set: load(t, descriptor.FileSet(path))})
	}
	return append(sources, catalog.Source{Backend: named(t, "twin"), Set: sources[0].Set})
}

func names(c *catalog.Catalog) []string {
	var list []string
	for _, tool := range c.Tools() {
		list = append(list, tool.Definition.Name)
	}
	return list
}

// cmpEmpty lets nil and empty slices be equal.
var cmpEmpty = cmpopts.EquateEmpty()

// fileProto is short for what descriptor.New takes.
type fileProto = descriptorpb.FileDescriptorProto

// fileOf returns a file of a set as data, for a test to spoil.
func fileOf(t testing.TB, set *descriptor.Set, path string) *fileProto {
	t.Helper()
	fd, err := set.Files().FindFileByPath(path)
	if err != nil {
		t.Fatal(err)
	}
	return protodesc.ToFileDescriptorProto(fd)
}

// writeProto writes x.proto to a directory of its own.
func writeProto(t testing.TB, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.proto"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
