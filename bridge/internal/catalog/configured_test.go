package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// configured are the tools that a configuration speaks of.
type configured = map[string]*bridgev1.Tool

// TestConfiguration: what the configuration says of a tool stands above its option, field by field, and that above the rest.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", `
		message M { string id = 1; }
		service S {
			// Derived.
			rpc Get(M) returns (M) {
				option (google.api.http) = { get: "/v1/x" };
				option (bridge.v1.method).tool = { name: "opted" title: "Opted" description: "Opted." hints { open_world: true destructive: true } };
			}
			// Bare.
			rpc Bare(M) returns (M);
		}`)
	source.Tools = configured{
		"test.S.Get": {Title: "Configured", Hints: &bridgev1.Hints{ReadOnly: new(true)}},
		"test.S.Bare": {
			Name: "plain", Description: "Configured.", InputSchema: `{"type": "object", "properties": {}}`,
			Hints: &bridgev1.Hints{Idempotent: new(false)},
		},
	}
	c := compile(t, catalog.Options{}, source)
	silent(t, c)
	opted, plain := tool(t, c, "opted"), tool(t, c, "plain")
	got := []string{opted.Definition.Title, opted.Definition.Description, plain.Definition.Title, plain.Definition.Description}
	if diff := cmp.Diff([]string{"Configured", "Opted.", "Bare", "Configured."}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := mcp.Hints{ReadOnly: new(true), Destructive: new(false), Idempotent: new(true), OpenWorld: new(true)}
	if diff := cmp.Diff(want, opted.Definition.Hints); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if string(plain.Definition.InputSchema) != `{"type":"object","properties":{}}` || !plain.Subject.RawInput || opted.Subject.RawInput {
		t.Errorf("input schema %s", plain.Definition.InputSchema)
	}
	if source.Tools["test.S.Get"].GetName() != "" {
		t.Error("the configuration was changed")
	}
}

// TestConfiguredHints: of read_only and destructive, which exclude each other, the configuration's stands, whatever the option
// says.
func TestConfiguredHints(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", `message M {} service S { rpc Do(M) returns (M) { option (bridge.v1.method).tool.hints.read_only = true; } }`)
	source.Tools = configured{"test.S.Do": {Hints: &bridgev1.Hints{Destructive: new(true)}}}
	c := compile(t, catalog.Options{}, source)
	silent(t, c)
	if h := tool(t, c, "s_do").Definition.Hints; *h.ReadOnly || !*h.Destructive {
		t.Errorf("read only %t, destructive %t", *h.ReadOnly, *h.Destructive)
	}
}

// TestConfiguredToolBesideOthers: what the configuration speaks of as a tool is one, beside what it is by its option.
func TestConfiguredToolBesideOthers(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", `message M {} service S { rpc Do(M) returns (M) { option (bridge.v1.method).prompt = {}; } }`)
	if c := compile(t, catalog.Options{}, source); len(c.Tools()) != 0 {
		t.Errorf("tools %v", names(c))
	}
	source.Tools = configured{"test.S.Do": {}}
	if c := compile(t, catalog.Options{}, source); len(c.Tools()) != 1 || len(c.Prompts()) != 1 {
		t.Errorf("tools %v, omitted %v", names(c), c.Omitted())
	}
}

// TestConfiguredNames: a name of the configuration wins over one of an option, that over a derived one, whoever stands first.
func TestConfiguredNames(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", `
		message M {}
		service S {
			rpc A(M) returns (M) { option (bridge.v1.method).tool.name = "x"; }
			rpc B(M) returns (M);
			rpc C(M) returns (M);
			rpc D(M) returns (M);
		}`)
	source.Tools = configured{"test.S.B": {Name: "x"}, "test.S.C": {Name: "s_d"}}
	c := compile(t, catalog.Options{}, source)
	if diff := cmp.Diff([]string{"s_d", "test_s_d", "x"}, names(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if x := tool(t, c, "x"); x.Method.Name() != "B" {
		t.Errorf("x is %s", x.Method.FullName())
	}
	told(t, c, catalog.Deficient, "S.A: its tool is not offered", "the name x is that of test.S.B", "bridge.v1", "configuration")

	source.Tools = configured{"test.S.C": {Name: "x"}, "test.S.B": {Name: "x"}}
	c = compile(t, catalog.Options{}, source)
	told(t, c, catalog.Deficient, "S.C: its tool is not offered", "the name x is that of test.S.B")
}

// TestFaultsSayWhose: whoever wrote what is not followed is the one who can mend it.
func TestFaultsSayWhose(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Then more of it. ", 100)
	const text = `{ name: "a b" title: %q description: %q input_schema: "[]" }`
	opted := annotated(t, "b", `
		message M {}
		service S { rpc Do(M) returns (M) { option (bridge.v1.method).tool = `+fmt.Sprintf(text, long, long)+`; } }`)
	bare := annotated(t, "b", `message M {} service S { rpc Do(M) returns (M); }`)
	bare.Tools = configured{"test.S.Do": {Name: "a b", Title: long, Description: long, InputSchema: "[]"}}
	for whose, source := range map[string]catalog.Source{"its option": opted, "the configuration": bare} {
		c := compile(t, catalog.Options{}, source)
		tool(t, c, "s_do")
		told(t, c, catalog.Ignored, "derived name", "given for it by "+whose)
		told(t, c, catalog.Ignored, "the title is cut: that of "+whose)
		told(t, c, catalog.Ignored, "the description of the tool is cut: that of "+whose)
		told(t, c, catalog.Ignored, "the input_schema of "+whose+" is not sent")
	}
}

// TestConfigurationInVain: a name that no method has does nothing, and one of a method that is left out does not either; both
// are told, with what to do.
func TestConfigurationInVain(t *testing.T) {
	t.Parallel()
	source := library(t)
	source.Hide = []string{"*.DeleteBook"}
	source.Tools = configured{
		"library.v1.LibraryService.GetBook":    {Title: "Fetch"},
		"library.v1.LibraryService.DeleteBook": {Title: "Burn"},
		"library.v1.LibraryService.WatchBooks": {Title: "Look"},
		"library.v1.LibraryService.GetBok":     {},
		"/library.v1.LibraryService/GetBook":   {},
		"LibraryService.ListBooks":             {},
		"launch.Rockets":                       {},
		"library.v1.LibraryService.Nope":       {},
		"library.v1.LibrarService.GetBook":     {},
		"library.v1.LibraryService":            {},
	}
	c := compile(t, catalog.Options{}, source)
	for name, mend := range map[string]string{
		"library.v1.LibraryService.GetBok":   "did you mean library.v1.LibraryService.GetBook?",
		"/library.v1.LibraryService/GetBook": "did you mean library.v1.LibraryService.GetBook?",
		"LibraryService.ListBooks":           "did you mean library.v1.LibraryService.ListBooks?",
		"launch.Rockets":                     "write a full name",
		"library.v1.LibraryService.Nope":     "write a full name",
		"library.v1.LibrarService.GetBook":   "did you mean library.v1.LibraryService.GetBook?",
		"library.v1.LibraryService":          "it is a service",
	} {
		told(t, c, catalog.Unmatched, name+": ", "which no service on offer has", mend)
	}
	told(t, c, catalog.Ignored, "DeleteBook: what the configuration says of its tool does nothing: hidden by the pattern")
	if title := tool(t, c, "library_get_book").Definition.Title; title != "Fetch" {
		t.Errorf("the title is %q", title)
	}
}

// TestNoOutput leaves output schemas out, and changes nothing else.
func TestNoOutput(t *testing.T) {
	t.Parallel()
	source := library(t)
	with := tool(t, compile(t, catalog.Options{}, source), "library_get_book")
	source.NoOutput = true
	without := tool(t, compile(t, catalog.Options{}, source), "library_get_book")
	if with.Definition.OutputSchema == nil || without.Definition.OutputSchema != nil {
		t.Errorf("output schemas %s and %s", with.Definition.OutputSchema, without.Definition.OutputSchema)
	}
	if string(with.Definition.InputSchema) != string(without.Definition.InputSchema) {
		t.Errorf("input schema %s", without.Definition.InputSchema)
	}
}
