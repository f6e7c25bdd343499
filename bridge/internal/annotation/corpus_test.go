package annotation_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

const corpusDir = "../../../../shared/corpus"

// corpus loads the descriptor sets of real APIs, by name, with the extensions that types knows; it skips the test where they
// are absent.
func corpus(t testing.TB, types *protoregistry.Types) map[string]*protoregistry.Files {
	t.Helper()
	paths, err := filepath.Glob(corpusDir + "/*.binpb")
	if err != nil || len(paths) == 0 {
		t.Skipf("no descriptor sets in %s", corpusDir)
	}
	sets := map[string]*protoregistry.Files{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".binpb")
		sets[name] = corpusSet(t, name, types)
	}
	return sets
}

// corpusSet loads one of them.
func corpusSet(t testing.TB, name string, types *protoregistry.Types) *protoregistry.Files {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(corpusDir, name+".binpb"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no descriptor set %s in %s", name, corpusDir)
	}
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := (proto.UnmarshalOptions{Resolver: types}).Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// filesOf are the files of a set in the order of their paths.
func filesOf(files *protoregistry.Files) []protoreflect.FileDescriptor {
	var all []protoreflect.FileDescriptor
	files.RangeFiles(func(fd protoreflect.FileDescriptor) bool {
		all = append(all, fd)
		return true
	})
	slices.SortFunc(all, func(a, b protoreflect.FileDescriptor) int { return cmp.Compare(a.Path(), b.Path()) })
	return all
}

// tally counts what a reader finds in a set.
type tally struct {
	Fields, Described, Required, Resources, Constraints, Words, Titles, Hidden, Choices, MessageRules, Values, Methods, Hints int
}

func (n *tally) message(r *annotation.Reader, md protoreflect.MessageDescriptor) {
	n.MessageRules += len(r.Message(md).Constraints)
	for i := range md.Fields().Len() {
		n.field(r, md.Fields().Get(i))
	}
	for i := range md.Oneofs().Len() {
		n.Choices += count(r.Choice(md.Oneofs().Get(i)))
	}
	for i := range md.Messages().Len() {
		n.message(r, md.Messages().Get(i))
	}
	for i := range md.Enums().Len() {
		n.Values += len(r.Enum(md.Enums().Get(i)).Values)
	}
}

func (n *tally) field(r *annotation.Reader, fd protoreflect.FieldDescriptor) {
	f := r.Field(fd)
	n.Fields++
	n.Described += count(f.Description != "")
	n.Titles += count(f.Title != "")
	n.Required += count(f.Required)
	n.Resources += count(len(f.Resource) > 0)
	n.Constraints += count(f.Constraint != nil)
	n.Hidden += count(r.Hidden(fd) != "")
	if f.Constraint != nil {
		n.Words += len(f.Constraint.Words)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (n *tally) files(r *annotation.Reader, files *protoregistry.Files) {
	for _, fd := range filesOf(files) {
		for i := range fd.Messages().Len() {
			n.message(r, fd.Messages().Get(i))
		}
		for i := range fd.Enums().Len() {
			n.Values += len(r.Enum(fd.Enums().Get(i)).Values)
		}
		for i := range fd.Services().Len() {
			methods := fd.Services().Get(i).Methods()
			for j := range methods.Len() {
				n.Methods++
				n.Hints += count(r.Method(methods.Get(j)).Hints.ReadOnly != nil)
			}
		}
	}
}

// TestCorpus reads all there is in real APIs, with the extensions known and unknown, which must not make a difference; and
// finds in each what is known to be there.
func TestCorpus(t *testing.T) {
	t.Parallel()
	least := map[string]tally{
		"googleapis_aiplatform_v1":   {Resources: 350, Required: 300, Hints: 1},
		"googleapis_pubsub_v1":       {Resources: 40, Required: 30},
		"googleapis_infra":           {Resources: 150},
		"envoy":                      {Constraints: 500, Required: 100, Choices: 50},
		"openfga":                    {Constraints: 50},
		"buf_registry_protovalidate": {Constraints: 400, Required: 100, MessageRules: 1},
		"grpc_gateway_examples":      {Titles: 1},
	}
	unknown := corpus(t, new(protoregistry.Types))
	for name, files := range corpus(t, protoregistry.GlobalTypes) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var resolved, raw tally
			resolved.files(annotation.NewReader(files), files)
			raw.files(annotation.NewReader(unknown[name]), unknown[name])
			t.Logf("%+v", resolved)
			if diff := gocmp.Diff(resolved, raw); diff != "" {
				t.Errorf("the set reads differently with its extensions unknown (-resolved +unknown):\n%s", diff)
			}
			if lacking := short(resolved, least[name]); lacking != "" {
				t.Errorf("found too little: %s", lacking)
			}
		})
	}
}

// short says where got is below least.
func short(got, least tally) string {
	var lacking []string
	for _, c := range []struct {
		name       string
		got, least int
	}{
		{"resources", got.Resources, least.Resources},
		{"constraints", got.Constraints, least.Constraints},
		{"required", got.Required, least.Required},
		{"choices", got.Choices, least.Choices},
		{"rules of messages", got.MessageRules, least.MessageRules},
		{"titles", got.Titles, least.Titles},
		{"hints", got.Hints, least.Hints},
	} {
		if c.got < c.least {
			lacking = append(lacking, fmt.Sprintf("%d %s, at least %d expected", c.got, c.name, c.least))
		}
	}
	return strings.Join(lacking, "; ")
}

// TestReaderConcurrently has many read the same at once.
func TestReaderConcurrently(t *testing.T) {
	t.Parallel()
	files := corpusSet(t, "googleapis_pubsub_v1", protoregistry.GlobalTypes)
	reader := annotation.NewReader(files)
	tallies := make([]tally, 8)
	var wg sync.WaitGroup
	for i := range tallies {
		wg.Go(func() { tallies[i].files(reader, files) })
	}
	wg.Wait()
	for _, n := range tallies[1:] {
		if n != tallies[0] {
			t.Errorf("one read %+v, another %+v", tallies[0], n)
		}
	}
}

// BenchmarkReader reads all sets, each with a reader of its own; of descriptors that have been looked at before.
func BenchmarkReader(b *testing.B) {
	sets := corpus(b, protoregistry.GlobalTypes)
	b.ReportAllocs()
	for b.Loop() {
		for _, files := range sets {
			var n tally
			n.files(annotation.NewReader(files), files)
		}
	}
}
