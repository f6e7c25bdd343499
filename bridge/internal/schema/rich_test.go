package schema_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// richGenerator makes schemas of the rich profile for the methods of a set; labels are those of visibility.
func richGenerator(t testing.TB, methods []protoreflect.MethodDescriptor, labels ...string) *schema.Generator {
	t.Helper()
	return schema.New(readerOf(t, methods, labels...), schema.Rich)
}

// richGolden writes the schemas of a file's methods as one JSON document for people to read.
func richGolden(t *testing.T, fd protoreflect.FileDescriptor) []byte {
	t.Helper()
	g := richGenerator(t, methodsOf(fd))
	doc := []byte{'{'}
	for i, m := range methodsOf(fd) {
		if i > 0 {
			doc = append(doc, ',')
		}
		doc = append(doc, `"`+string(m.Name())+`":{"input":`...)
		doc = append(doc, g.Input(m.Input()).JSON...)
		doc = append(doc, `,"output":`...)
		doc = append(doc, g.Output(m.Output(), nil).JSON...)
		doc = append(doc, '}')
	}
	value := jsontext.Value(append(doc, '}'))
	if err := value.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatalf("%s: %v\n%s", fd.Path(), err, doc)
	}
	return append(value, '\n')
}

// richSources are the files that have golden schemas of the rich profile: those of the portable one, and its own.
func richSources(t *testing.T) []string {
	t.Helper()
	var sources []string
	for _, pattern := range []string{"testdata/*.proto", "testdata/rich/*.proto"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		sources = append(sources, found...)
	}
	return sources
}

func TestRichGolden(t *testing.T) {
	t.Parallel()
	for _, source := range richSources(t) {
		name := filepath.Base(source)
		t.Run(strings.TrimSuffix(name, ".proto"), func(t *testing.T) {
			t.Parallel()
			fd := compile(t, filepath.Dir(source), name)
			got := richGolden(t, fd)
			path := filepath.Join("testdata", "rich", strings.TrimSuffix(name, ".proto")+".schema.json")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v: run go test with -update and read what it writes", err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
			if !bytes.Equal(got, richGolden(t, fd)) {
				t.Error("a second run gives other bytes")
			}
		})
	}
}

func TestParseRichProfile(t *testing.T) {
	t.Parallel()
	if p, err := schema.ParseProfile("rich"); err != nil || p != schema.Rich || p.String() != "rich" {
		t.Errorf("rich: %v, %v", p, err)
	}
}
