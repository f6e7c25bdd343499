package schema_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// source compiles a file given as text.
func source(t testing.TB, text string) protoreflect.FileDescriptor {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.proto"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return compile(t, dir, "x.proto")
}

// fieldsOf writes n fields, each with a comment and a declaration made by format from its number.
func fieldsOf(n int, comment, format string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "// %s\n%s\n", comment, fmt.Sprintf(format, i))
	}
	return b.String()
}

const prose = "One sentence about the field that is long enough to count. Another that says more and is the first to go, with " +
	"the many details that such sentences have, of which none is needed to use the field."

const service = "\nservice S { rpc Do(M) returns (M); }"

// budgets are messages that are too large in different ways, and what must be left of them.
var budgets = []struct {
	name, text        string
	contain, notAtAll []string
	outputs           []string
}{
	{
		name:     "texts fit",
		text:     `message M { N n = 1; } message N {` + fieldsOf(20, prose, "string f%d = %[1]d;") + `}`,
		contain:  []string{"and is the first to go", `"f20"`},
		outputs:  []string{`"f20"`},
		notAtAll: []string{"More fields"},
	},
	{
		name:     "nested texts go before root texts",
		text:     `message M {` + fieldsOf(10, prose, "string r%d = %[1]d;") + `N n = 99; } message N {` + fieldsOf(90, prose, "string f%d = %[1]d;") + `}`,
		contain:  []string{"and is the first to go", `"f90":{"type":"string","description":"One sentence about the field that is long enough to count."}`},
		notAtAll: []string{"More fields", "N object"},
	},
	{
		name: "deepest first",
		text: `message M {` + fieldsOf(20, prose, "A a%d = %[1]d;") + `} message A {` + fieldsOf(8, prose, "B b%d = %[1]d;") +
			`} message B {` + fieldsOf(8, prose, "string c%d = %[1]d;") + `}`,
		contain:  []string{`"a20":{"type":"object","description":"One sentence`, `"b8":{"type":"object"`, "B object with c1, c2"},
		notAtAll: []string{"More fields", "A object"},
	},
	{
		name: "what is left is spent on texts",
		text: `message M { A a = 1; B b = 2; } message A {` + fieldsOf(120, prose, "string a%d = %[1]d;") +
			`} message B {` + fieldsOf(120, prose, "string b%d = %[1]d;") + `}`,
		contain: []string{`"a2":{"type":"string","description":"One sentence about the field that is long enough to count."}`, `"b120":{"type":"string"}`},
	},
	{
		name: "a tree that explodes",
		text: `message M {` + fieldsOf(17, prose, "M m%d = %[1]d;") + `}`,
		contain: []string{
			"Same fields as the enclosing M.", `"m17"`,
		},
		notAtAll: []string{"More fields"},
	},
	{
		name: "mutual recursion that explodes",
		text: `message M {` + fieldsOf(12, prose, "N n%d = %[1]d;") + `} message N {` + fieldsOf(12, prose, "O o%d = %[1]d;") +
			`} message O {` + fieldsOf(12, prose, "M m%d = %[1]d;") + `}`,
		contain: []string{`"n12"`, `"o12"`},
	},
	{
		name: "a root that is too wide keeps what is required",
		text: `import "google/api/field_behavior.proto"; message M {` + fieldsOf(1000, prose, "string f%d = %[1]d;") +
			` string needed = 2000 [(google.api.field_behavior) = REQUIRED]; }`,
		contain:  []string{"More fields are accepted", `"f1"`, `"needed"`, `"required":["needed"]`},
		notAtAll: []string{`"f1000"`},
		outputs:  []string{`"f1"`},
	},
	{
		name: "a nested message that is too wide",
		text: `message M { N n = 1; string s = 2; } message N {` + fieldsOf(1000, prose, "string f%d = %[1]d;") + `}`,
		contain: []string{
			"N object with f1, f2, f3, f4, f5, f6, f7, f8, f9, f10 and 990 more.", `"s"`,
		},
	},
	{
		name:     "an enum that is too long becomes words",
		text:     `enum E {` + fieldsOf(150, "x", "E%d = %[1]d;") + ` E0 = 0; } message M { E e = 1; map<string, E> by = 2; }`,
		contain:  []string{"One of the names of E: E1, E2, ", " more.", "Map of string to one of E1, "},
		notAtAll: []string{`"enum"`},
	},
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	for _, c := range budgets {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			syntax := `syntax = "proto3"; package x; `
			if strings.Contains(c.text, "enum E") {
				syntax = `syntax = "proto2"; package x; `
				c.text = strings.ReplaceAll(c.text, "{ E e", "{ optional E e")
			}
			m := methodsOf(source(t, syntax+c.text+service))[0]
			check(t, m)
			contains(t, schema.Input(m.Input(), schema.Portable), c.contain, c.notAtAll)
			contains(t, schema.Output(m.Output(), schema.Portable, nil), c.outputs, nil)
		})
	}
}

func contains(t *testing.T, got []byte, want, unwanted []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(string(got), w) {
			t.Errorf("no %q in\n%.3000s", w, got)
		}
	}
	for _, w := range unwanted {
		if strings.Contains(string(got), w) {
			t.Errorf("%q in\n%.3000s", w, got)
		}
	}
}

func TestParseProfile(t *testing.T) {
	t.Parallel()
	if p, err := schema.ParseProfile("portable"); err != nil || p != schema.Portable || p.String() != "portable" {
		t.Errorf("portable: %v, %v", p, err)
	}
	for _, name := range []string{"rich", "", "Portable", "strict"} {
		_, err := schema.ParseProfile(name)
		if err == nil || !strings.Contains(err.Error(), `"portable"`) || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("%q: the error %v does not name it and what there is", name, err)
		}
	}
	if got := schema.Rich.String() + " " + schema.Profile(9).String(); got != "rich Profile(9)" {
		t.Errorf("String = %q", got)
	}
}
