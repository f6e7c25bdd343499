package schema_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// richBudgets are messages that are too large in different ways, what must be left of them, and what is said to be cut.
var richBudgets = []struct {
	name, text        string
	contain, notAtAll []string
	cuts              []string
}{
	{
		name:     "texts fit",
		text:     `message M { N n = 1; } message N {` + fieldsOf(3, prose, "string f%d = %[1]d;") + `}`,
		contain:  []string{"and is the first to go", `"f3"`},
		notAtAll: []string{"More fields"},
	},
	{
		name: "sentences are no cut",
		text: `message M { N n = 1; } message N {` + fieldsOf(20, prose, "string f%d = %[1]d;") + `}`,
		contain: []string{
			`"f20":{"type":"string","description":"One sentence about the field that is long enough to count."}`,
		},
		notAtAll: []string{"and is the first to go"},
	},
	{
		name: "inner texts go before outer ones",
		text: `message M {` + fieldsOf(10, prose, "string r%d = %[1]d;") + `N n = 99; } message N {` +
			fieldsOf(90, prose, "string f%d = %[1]d;") + `}`,
		contain: []string{`"r10":{"type":"string","description":"One sentence`, `"f90":{"type":"string"}`},
		cuts:    []string{"texts of 1 type left out"},
	},
	{
		name: "what is used often stands once",
		text: `message M {` + fieldsOf(20, prose, "A a%d = %[1]d;") + `} message A {` + fieldsOf(8, prose, "B b%d = %[1]d;") +
			`} message B {` + fieldsOf(8, prose, "string c%d = %[1]d;") + `}`,
		contain: []string{`"a20":{"description":"One sentence`, `"$ref":"#/$defs/A"`, `"$ref":"#/$defs/B"`, `"c8"`},
	},
	{
		name: "long enums go before messages",
		text: `enum E { E0 = 0;` + fieldsOf(90, "x", "A_RATHER_LONG_NAME_OF_A_VALUE_%d = %[1]d;") + `} message M { ` +
			fieldsOf(130, "x", "N%[1]d n%[1]d = %[1]d;") + `E e = 300; }` +
			many(130, "message N# { string text = 1; }"),
		contain:  []string{`"n130":{"type":"object"`, "One of the names of E: E0, A_RATHER"},
		notAtAll: []string{`"enum"`, "More fields"},
		cuts:     []string{"texts of ", "enum lists shortened: E"},
	},
	{
		name: "deepest messages go first",
		text: `message M { A a = 1; B b = 2; }` + richChain("A", 20) + richChain("B", 20),
		contain: []string{
			`"a":{"type":"object"`, `"b":{"type":"object"`, `"description":"A`, ` object."`,
		},
		cuts: []string{"texts of ", "2 messages not expanded: B"},
	},
	{
		name: "a root that is too wide keeps what is required, and is open",
		text: `import "google/api/field_behavior.proto"; message M {` + fieldsOf(1000, prose, "string f%d = %[1]d;") +
			` string needed = 2000 [(google.api.field_behavior) = REQUIRED]; }`,
		contain:  []string{"More fields are accepted", `"f1"`, `"needed"`, `"required":["needed"]`},
		notAtAll: []string{`"f1000"`, "additionalProperties"},
		cuts:     []string{"texts of 1 type left out", "fields of the root left out"},
	},
	{
		name:    "a message that is too wide forgoes its own turn",
		text:    `message M { N n = 1; O o = 2; } message N {` + fieldsOf(1000, prose, "string f%d = %[1]d;") + `} message O { string s = 1; }`,
		contain: []string{"N object with f1, f2, f3, f4, f5, f6, f7, f8, f9, f10 and 990 more.", `"s"`},
		cuts:    []string{"1 message not expanded: N"},
	},
	{
		name:     "an enum that is too long becomes words",
		text:     `enum E { E0 = 0;` + fieldsOf(150, "x", "E%d = %[1]d;") + `} message M { E e = 1; map<string, E> by = 2; }`,
		contain:  []string{"One of the names of E: E0, E1, ", " more."},
		notAtAll: []string{`"enum"`},
	},
	{
		name:    "messages that stand too deep move out",
		text:    `message M { L1 next = 1; }` + many(12, "message L# { string name = 1; L+ next = 2; }") + `message L13 { }`,
		contain: []string{`"next":{"$ref":"#/$defs/L9"}`},
	},
}

// many repeats a declaration with # for the numbers from 1 to n and + for those that follow them.
func many(n int, declaration string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString(strings.NewReplacer("#", strconv.Itoa(i), "+", strconv.Itoa(i+1)).Replace(declaration))
	}
	return b.String()
}

// richChain declares messages each of which holds the next.
func richChain(name string, n int) string {
	var b strings.Builder
	for i := range n {
		this, next := fmt.Sprint(name, i), fmt.Sprint(name, i+1)
		if i == 0 {
			this = name
		}
		fmt.Fprintf(&b, "message %s { %s %s next = 99; }", this, fieldsOf(30, prose, "string f%d = %[1]d;"), next)
	}
	return b.String() + fmt.Sprintf("message %s%d {}", name, n)
}

func TestRichBudgets(t *testing.T) {
	t.Parallel()
	for _, c := range richBudgets {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			methods := methodsOf(source(t, `syntax = "proto3"; package x; `+c.text+service))
			m, g := methods[0], richGenerator(t, methods)
			checkRich(t, g, m, true)
			got := g.Input(m.Input())
			contains(t, got.JSON, c.contain, c.notAtAll)
			for _, want := range c.cuts {
				if !slices.ContainsFunc(got.Cuts, func(cut string) bool { return strings.Contains(cut, want) }) {
					t.Errorf("cuts %q, none of them %q", got.Cuts, want)
				}
			}
			if len(c.cuts) == 0 && len(got.Cuts) > 0 {
				t.Errorf("cuts %q, want none", got.Cuts)
			}
		})
	}
}

// TestRichOmits leaves out fields of the root, and of it alone: the same message further down keeps them.
func TestRichOmits(t *testing.T) {
	t.Parallel()
	methods := methodsOf(source(t, pages))
	picture := func(fd protoreflect.FieldDescriptor) bool { return fd.FullName() == "Page.picture" }
	got := richGenerator(t, methods).Output(methods[0].Output(), picture)
	const want = `{"type":"object","properties":{"title":{"type":"string"},"more":{"type":"array","items":{"$ref":"#/$defs/Page"}},` +
		`"pair":{"$ref":"#/$defs/Pair"}},"$defs":{"Page":{"type":"object","properties":{"title":{"type":"string"},` +
		`"picture":{"type":"object","properties":{"data":{"type":"string","contentEncoding":"base64"}}},` +
		`"more":{"type":"array","items":{"$ref":"#/$defs/Page"}},"pair":{"$ref":"#/$defs/Pair"}}},` +
		`"Pair":{"type":"object","properties":{"page":{"$ref":"#/$defs/Page"},` +
		`"picture":{"type":"object","properties":{"data":{"type":"string","contentEncoding":"base64"}}}}}}}`
	if diff := cmp.Diff(schema.Schema{JSON: []byte(want)}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRichHeaders: headers are for what stands in place. Clients look for none behind a reference.
func TestRichHeaders(t *testing.T) {
	t.Parallel()
	fd := source(t, routed+`
		message Shared { Wide from = 1; Wide to = 2; message Wide { Wide more = 1; string id = 2 [(bridge.v1.field).header = "Wide"]; } }`)
	g := richGenerator(t, nil)
	for _, tt := range []struct {
		message string
		params  string
		faults  int
	}{
		{"Good", "Region=region, shard=shardNumber (integer), X.dry_~=dry, Zone=where.zone, Weight=weight (integer), A=a", 0},
		{"Rec", "H=h", 0},
		{"Self", "Id=id", 0},
		{"Beside", "Zone=from.zone", 1},
		{"Shared", "", 1},
	} {
		t.Run(tt.message, func(t *testing.T) {
			t.Parallel()
			md := fd.Messages().ByName(protoreflect.Name(tt.message))
			annotated, params, faults := g.Headers(md, g.Input(md).JSON)
			if got := written(params); got != tt.params || len(faults) != tt.faults {
				t.Errorf("params %q, want %q; faults %q, want %d\n%s", got, tt.params, faults, tt.faults, annotated)
			}
		})
	}
}

const veiled = `
syntax = "proto3";
import "google/api/visibility.proto";
enum Open { NONE = 0; SOME = 1; }
enum Veiled { FEW = 0; MANY = 1; ALL = 2 [(google.api.value_visibility).restriction = "INTERNAL"]; }
message M {
	Open open = 1;
	Veiled veiled = 2;
	string hidden = 3 [(google.api.field_visibility).restriction = "INTERNAL"];
}
service S { rpc Do(M) returns (M); }`

// TestRichVisibility: what may not be seen is in no schema. A value of an enum that may not be seen can still come, so that
// the names of the others are no list of what can.
func TestRichVisibility(t *testing.T) {
	t.Parallel()
	methods := methodsOf(source(t, veiled))
	for _, tt := range []struct {
		name, input, output string
		labels              []string
	}{
		{
			"hidden",
			`"veiled":{"type":"string","enum":["FEW","MANY"]}},"additionalProperties":false}`,
			`"veiled":{"type":["string","integer"]}}}`,
			nil,
		},
		{
			"shown",
			`"veiled":{"type":"string","enum":["FEW","MANY","ALL"]},"hidden":{"type":"string"}},"additionalProperties":false}`,
			`"veiled":{"anyOf":[{"type":"string","enum":["FEW","MANY","ALL"]},{"type":"integer"}]},"hidden":{"type":"string"}}}`,
			[]string{"INTERNAL"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := richGenerator(t, methods, tt.labels...)
			const open = `{"type":"object","properties":{"open":{"type":"string","enum":["NONE","SOME"]},`
			if diff := cmp.Diff(open+tt.input, string(g.Input(methods[0].Input()).JSON)); diff != "" {
				t.Errorf("input (-want +got):\n%s", diff)
			}
			const either = `{"type":"object","properties":{"open":{"anyOf":[{"type":"string","enum":["NONE","SOME"]},{"type":"integer"}]},`
			if diff := cmp.Diff(either+tt.output, string(g.Output(methods[0].Output(), nil).JSON)); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRichServesManyAtOnce makes the schemas of one generator from several goroutines, and compares them with those of another.
func TestRichServesManyAtOnce(t *testing.T) {
	t.Parallel()
	methods := methodsOf(compile(t, "testdata/rich", "shared.proto"))
	methods = append(methods, methodsOf(compile(t, "testdata/rich", "constraints.proto"))...)
	shared, alone := richGenerator(t, methods), richGenerator(t, methods)
	want := make([]string, len(methods))
	for i, m := range methods {
		want[i] = string(alone.Input(m.Input()).JSON) + string(alone.Output(m.Output(), nil).JSON)
	}
	var wg sync.WaitGroup
	for first := range 8 {
		wg.Go(func() {
			for i := range methods {
				at := (first + i) % len(methods)
				m := methods[at]
				if got := string(shared.Input(m.Input()).JSON) + string(shared.Output(m.Output(), nil).JSON); got != want[at] {
					t.Errorf("%s: other schemas than alone", m.FullName())
				}
			}
		})
	}
	wg.Wait()
}
