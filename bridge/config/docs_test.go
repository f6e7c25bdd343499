package config_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/config"
)

var update = flag.Bool("update", false, "write what is expected")

const docs = "../../docs/config.md"

// marker stands before the part of docs that is written by TestKeys.
const marker = "-run TestKeys -update -->\n"

func readDocs(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// example is one configuration of docs/config.md.
type example struct{ name, text string }

// examples are those of docs/config.md, by the headings above them.
func examples(t testing.TB) []example {
	t.Helper()
	var list []example
	heading := ""
	for _, m := range regexp.MustCompile("(?ms)^#+ ([^\n]*)$|^```yaml\n(.*?)^```$").FindAllStringSubmatch(readDocs(t), -1) {
		if m[1] != "" {
			heading = m[1]
			continue
		}
		list = append(list, example{fmt.Sprintf("%02d %s", len(list), heading), m[2]})
	}
	if len(list) < 18 {
		t.Fatalf("%d examples", len(list))
	}
	return list
}

// home is a directory with the files that the examples name.
func home(t *testing.T) string {
	t.Helper()
	a := newAuthority(t)
	dir := t.TempDir()
	put := func(name, from string) {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("certs/ca.pem", a.file("ca.pem"))
	put("certs/bridge.pem", a.file("ca.pem"))
	put("certs/bridge.key", a.file("ca.key"))
	put("secrets/api-key", write(t, "hunter2\n"))
	put("secrets/state-key", write(t, strings.Repeat("0123456789abcdef", 4)+"\n"))
	put("library.binpb", librarySet)
	put("protos/library/v1/library.proto", "../../proto/library/v1/library.proto")
	return dir
}

// TestExamples: each example of docs/config.md is read, and dialled, in a directory that is not that of the process.
func TestExamples(t *testing.T) {
	t.Setenv("LIBRARY_TOKEN", "Bearer hunter2")
	t.Setenv("COLLECTOR_KEY", "hunter2")
	t.Setenv("OLD_STATE_KEY", strings.Repeat("fedcba9876543210", 4))
	dir := home(t)
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			path := filepath.Join(dir, "bridge.yaml")
			if err := os.WriteFile(path, []byte(e.text), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := config.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			setup, err := config.Dial(c)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { setup.Close() })
			if _, err := config.ResolveHeaders(c.GetTelemetry().GetOtlp().GetHeaders()); err != nil {
				t.Error(err)
			}
			for _, b := range c.GetBackends() {
				if b.GetName() == "from-a-set" {
					if set, err := setup.Backends[2].Descriptors.Load(t.Context()); err != nil || len(set.Services()) != 1 {
						t.Errorf("set %v, error %v", set, err)
					}
				}
			}
		})
	}
}

// TestEveryKeyIsInTheExamples: there is no field without an example, but for the few that explain themselves.
func TestEveryKeyIsInTheExamples(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, e := range examples(t) {
		all.WriteString(e.text)
	}
	for _, md := range messages(t) {
		for i := range md.Fields().Len() {
			name := string(md.Fields().Get(i).Name())
			if md.FullName() == "bridge.v1.Hints" || name == "input_schema" || regexp.MustCompile(`\b`+name+`:`).MatchString(all.String()) {
				continue
			}
			t.Errorf("no example has %s of %s", name, md.Name())
		}
	}
}

// messages are those of a configuration, each after the one that it is first used in.
func messages(t testing.TB) []protoreflect.MessageDescriptor {
	t.Helper()
	_, root, err := config.Describe()
	if err != nil {
		t.Fatal(err)
	}
	list := []protoreflect.MessageDescriptor{root}
	seen := map[protoreflect.FullName]bool{root.FullName(): true, "google.protobuf.Duration": true}
	for i := 0; i < len(list); i++ {
		for j := range list[i].Fields().Len() {
			fd := list[i].Fields().Get(j)
			if fd.IsMap() {
				fd = fd.MapValue()
			}
			if md := fd.Message(); md != nil && !seen[md.FullName()] {
				seen[md.FullName()] = true
				list = append(list, md)
			}
		}
	}
	return list
}

// TestKeys holds the tables of docs/config.md against the comments of the descriptors.
func TestKeys(t *testing.T) {
	t.Parallel()
	var tables strings.Builder
	for _, md := range messages(t) {
		if md.Fields().Len() == 0 {
			continue
		}
		fmt.Fprintf(&tables, "\n### %s\n\n%s\n\n| Key | Value | Meaning |\n|---|---|---|\n", md.Name(), comment(md))
		for i := range md.Fields().Len() {
			fd := md.Fields().Get(i)
			fmt.Fprintf(&tables, "| `%s` | %s | %s |\n", fd.Name(), kind(fd), strings.ReplaceAll(comment(fd), "|", `\|`))
		}
	}
	text := readDocs(t)
	hand, written, found := strings.Cut(text, marker)
	switch {
	case !found:
		t.Fatal("the marker is missing")
	case *update:
		if err := os.WriteFile(docs, []byte(hand+marker+tables.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	case written != tables.String():
		t.Errorf("the tables of %s are not what config.proto says: run this test with -update", docs)
	}
}

// comment is what stands before a declaration, on one line.
func comment(d protoreflect.Descriptor) string {
	return strings.Join(strings.Fields(d.ParentFile().SourceLocations().ByDescriptor(d).LeadingComments), " ")
}

// kind says in a word or a link what a field holds.
func kind(fd protoreflect.FieldDescriptor) string {
	switch {
	case fd.IsMap():
		return "mapping of names to " + kind(fd.MapValue())
	case fd.IsList():
		return "list of " + single(fd)
	}
	return single(fd)
}

func single(fd protoreflect.FieldDescriptor) string {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		switch md := fd.Message(); {
		case md.FullName() == "google.protobuf.Duration":
			return "duration"
		case md.Fields().Len() == 0:
			return "`{}`"
		default:
			return fmt.Sprintf("[%s](#%s)", md.Name(), strings.ToLower(string(md.Name())))
		}
	case protoreflect.EnumKind:
		var names []string
		for i := 1; i < fd.Enum().Values().Len(); i++ {
			names = append(names, "`"+string(fd.Enum().Values().Get(i).Name())+"`")
		}
		return strings.Join(names, ", ")
	case protoreflect.StringKind:
		return "text"
	case protoreflect.BoolKind:
		return "bool"
	case protoreflect.DoubleKind:
		return "number"
	}
	return "integer"
}
