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

// sentence is what a first sentence of prose is cut to where it is not told whole.
const sentence = "One sentence about the field that is long enough to count."

// budgets are messages that are too large in different ways, what must be left of them, and what is said to be cut.
var budgets = []struct {
	name, text        string
	contain, notAtAll []string
	cuts              []string
}{
	{
		name:    "whole texts where there is little to say",
		text:    `message M {` + fieldsOf(2, prose[:110], "string f%d = %[1]d;") + `}`,
		contain: []string{"and is the first to go"},
	},
	{
		name:     "first sentences",
		text:     `message M { N n = 1; } message N {` + fieldsOf(5, prose, "string f%d = %[1]d;") + `}`,
		contain:  []string{`"f5":{"type":"string","description":"` + sentence + `"}`},
		notAtAll: []string{"and is the first to go"},
	},
	{
		name:    "texts are trimmed",
		text:    `message M {` + fieldsOf(10, "Endless "+strings.Repeat("words that go on and on ", 20), "string f%d = %[1]d;") + `}`,
		contain: []string{`"f10":{"type":"string","description":"Endless words`},
		cuts:    []string{"texts trimmed to 120 characters"},
	},
	{
		name: "nested texts go before root texts",
		text: `message M { N n = 1; O o = 2; ` + fieldsOf(4, prose, "string r%d = 9%[1]d;") + `} message N {` +
			fieldsOf(40, prose, "string f%d = %[1]d;") +
			`} message O {}`,
		contain:  []string{`"r4":{"type":"string","description":"` + sentence + `"}`, `"f40":{"type":"string"}`},
		notAtAll: []string{"More fields", "N with"},
		cuts:     []string{"texts below depth 1 left out"},
	},
	{
		name: "deep texts go first",
		text: `message M { A a = 1; string s = 2; C c = 3; } message A {` + fieldsOf(6, prose, "string a%d = %[1]d;") +
			` B b = 20; } message B {` + fieldsOf(26, prose, "string b%d = %[1]d;") + `} message C {}`,
		contain: []string{`"a6":{"type":"string","description":"` + sentence + `"}`, `"b26":{"type":"string"}`},
		cuts:    []string{"texts below depth 2 left out"},
	},
	{
		name: "enums are shortened before depth is cut",
		text: `enum E { E0 = 0; ` + fieldsOf(90, "x", "A_LONG_NAME_%d = %[1]d;") +
			`} message M { string s = 1; N n = 2; O o = 3; } message N { E e = 1; E f = 2; } message O {}`,
		contain: []string{
			`"e":{"type":"string","description":"One of the names of E: E0, A_LONG_NAME_1, `,
		},
		notAtAll: []string{"N with"},
		cuts:     []string{"enum lists shortened: E (91 values)"},
	},
	{
		name: "deepest first",
		text: `message M {` + fieldsOf(12, prose, "A a%d = %[1]d;") + `} message A {` + fieldsOf(2, prose, "B b%d = %[1]d;") +
			`} message B {` + fieldsOf(10, prose, "string c%d = %[1]d;") + `}`,
		contain: []string{
			`"a1":{"type":"object","description":"One sentence`, `"b2":{"type":"object"`, "B with c1, c2", "A with b1, b2.",
		},
		notAtAll: []string{"More fields", `"c1"`},
		cuts:     []string{"texts below depth 1 left out", "messages not expanded: A, B"},
	},
	{
		name: "what a call needs has more room, and texts as the root has",
		text: `import "google/api/field_behavior.proto"; message M { N n = 1 [(google.api.field_behavior) = REQUIRED]; O o = 2; string s = 3; }` +
			` message N {` + fieldsOf(50, prose, "string f%d = %[1]d;") + `} message O {` + fieldsOf(50, prose, "string g%d = %[1]d;") + `}`,
		contain: []string{`"f50":{"type":"string","description":"` + sentence + `"}`, "O with g1, g2"},
		cuts:    []string{"1 message not expanded: O"},
	},
	{
		name: "small messages come first",
		text: `message M {` + fieldsOf(10, prose, "Large l%d = %[1]d;") + fieldsOf(10, prose, "Small s%d = 1%02[1]d;") + `} message Large {` +
			fieldsOf(40, prose, "string f%d = %[1]d;") + `} message Small { int32 least = 1; int32 most = 2; }`,
		contain: []string{
			`"s10":{"type":"object","description":"` + sentence + `","properties":{"least":{"type":"integer"},"most":{"type":"integer"}}}`,
			"Large with f1, f2",
		},
		cuts: []string{"10 messages not expanded: Large"},
	},
	{
		name: "a request of very many fields has more room, and texts with what is left",
		text: `message M { A a = 1; B b = 2; C c = 3; } message A {` + fieldsOf(50, prose, "string a%d = %[1]d;") + `} message B {` +
			fieldsOf(50, prose, "string b%d = %[1]d;") + `} message C {` + fieldsOf(50, prose, "string c%d = %[1]d;") + `}`,
		contain: []string{
			`"a50":{"type":"string","description":"One sentence about the field`, `"b50":{"type":"string"`, `"c50":{"type":"string"`,
		},
		cuts: []string{"texts trimmed to 48 characters"},
	},
	{
		name: "kinds of what cannot be expanded",
		text: `message M { map<string, N> by = 1; map<string, O> of = 2; } message N { string s = 1; bytes b = 2; repeated int32 l = 3;` +
			` map<string, bool> m = 4; O o = 5; } message O {` + fieldsOf(7, "", "bool b%d = %[1]d;") + `}`,
		contain: []string{
			"Map of string to N with s, b (base64 string), l (array of integer), m (map to boolean), o (object).",
			"Map of string to O with b1, b2, b3, b4, b5, b6, b7.",
		},
	},
	{
		name: "a tree that explodes",
		text: `message M {` + fieldsOf(17, prose, "M m%d = %[1]d;") + `}`,
		contain: []string{
			"Same fields as the enclosing M.", `"m17"`,
		},
		notAtAll: []string{"More fields"},
		cuts:     []string{"messages not expanded: M"},
	},
	{
		name: "mutual recursion that explodes",
		text: `message M {` + fieldsOf(12, prose, "N n%d = %[1]d;") + `} message N {` + fieldsOf(12, prose, "O o%d = %[1]d;") +
			`} message O {` + fieldsOf(12, prose, "M m%d = %[1]d;") + `}`,
		contain: []string{`"n12"`, "N with o1, o2, "},
		cuts:    []string{"12 messages not expanded: N"},
	},
	{
		name: "a root that is too wide keeps what is required",
		text: `import "google/api/field_behavior.proto"; message M {` + fieldsOf(1000, prose, "string f%d = %[1]d;") +
			` string needed = 2000 [(google.api.field_behavior) = REQUIRED]; }`,
		contain:  []string{"More fields are accepted", `"f1"`, `"needed"`, `"required":["needed"]`},
		notAtAll: []string{`"f1000"`},
		cuts:     []string{"fields of the root left out: f29"},
	},
	{
		name: "a nested message that is too wide",
		text: `message M { N n = 1; string s = 2; } message N {` + fieldsOf(1000, prose, "string f%d = %[1]d;") + `}`,
		contain: []string{
			"N with f1, f2, f3, f4, f5, f6, f7, f8, f9, f10 and 990 more.", `"s"`,
		},
		cuts: []string{"1 message not expanded: N"},
	},
	{
		name:     "an enum that is too long becomes words",
		text:     `enum E { E0 = 0; ` + fieldsOf(150, "x", "E%d = %[1]d;") + `} message M { E e = 1; map<string, E> by = 2; }`,
		contain:  []string{"One of the names of E: E0, E1, E2, ", " more.", "Map of string to one of E0, "},
		notAtAll: []string{`"enum"`},
		cuts:     []string{"enum lists shortened: E (151 values)"},
	},
	{
		name: "depth",
		text: `message M { A a = 1; string s = 2; } message A { B b = 1; string s = 2; }` +
			` message B { C c = 1; string s = 2; } message C { D d = 1; }` +
			` message D { E e = 1; } message E { F f = 1; } message F { string g = 1; string h = 2; }`,
		contain: []string{"F with g, h."},
		cuts:    []string{"messages below depth 5 not expanded: F"},
	},
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	for _, c := range budgets {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := portable(t, methodsOf(source(t, `syntax = "proto3"; package x; `+c.text+service)))[0]
			check(t, m)
			got := m.generator.Input(m.Input())
			contains(t, got.JSON, c.contain, c.notAtAll)
			contains(t, []byte(strings.Join(got.Cuts, "; ")), c.cuts, nil)
			if len(c.cuts) == 0 && len(c.contain) > 0 && got.Cuts != nil {
				t.Errorf("cuts %q", got.Cuts)
			}
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
	for _, name := range []string{"", "Portable", "strict"} {
		_, err := schema.ParseProfile(name)
		if err == nil || !strings.Contains(err.Error(), `"portable"`) || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("%q: the error %v does not name it and what there is", name, err)
		}
	}
	if got := schema.Rich.String() + " " + schema.Profile(9).String(); got != "rich Profile(9)" {
		t.Errorf("String = %q", got)
	}
}
