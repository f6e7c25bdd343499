package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// TestDefinitions is what becomes of testdata/library.proto, schemas aside.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	meta := func(method string) []byte {
		return []byte(`{"io.github.mcpgrpc.bridge/method":"library.v1.` + method + `"}`)
	}
	readOnly := mcp.Hints{ReadOnly: new(true), Destructive: new(false), Idempotent: new(true)}
	want := []mcp.Tool{
		{
			Name: "admin_reset", Title: "Reset", Meta: meta("AdminService.Reset"),
			Description: "Calls library.v1.AdminService.Reset. Takes no arguments. Returns nothing.",
		}, {
			Name: "library_chat", Title: "Chat", Meta: meta("LibraryService.Chat"),
			Description: "Calls library.v1.LibraryService.Chat. Takes messages (required), a list; each has name, title. Returns a list of Book.",
		}, {
			Name: "library_delete_book", Title: "Delete book", Meta: meta("LibraryService.DeleteBook"),
			Description: "Deprecated. Calls library.v1.LibraryService.DeleteBook. Takes name (required), readMask. Returns nothing.",
			Hints:       mcp.Hints{Destructive: new(true), Idempotent: new(true)},
		}, {
			Name: "library_get_book", Title: "Gets a book", Meta: meta("LibraryService.GetBook"),
			Description: "Gets a book. NOT_FOUND when there is none.", Hints: readOnly,
		}, {
			Name: "library_import_books", Title: "Import books", Meta: meta("LibraryService.ImportBooks"),
			Description: "Calls library.v1.LibraryService.ImportBooks. Takes messages (required), a list; each has name, title. Returns nothing.",
		}, {
			Name: "library_list_books", Title: "List books", Meta: meta("LibraryService.ListBooks"), Hints: readOnly,
			Description: "Calls library.v1.LibraryService.ListBooks. Takes pageSize, pageToken, filter, fieldMask, limit. " +
				"Returns ListBooksResponse.",
		}, {
			Name: "library_now", Title: "Now", Meta: meta("LibraryService.Now"),
			Description: "Calls library.v1.LibraryService.Now. Takes no arguments. Returns Timestamp.",
		}, {
			Name: "library_update_book", Title: "Changes a book", Meta: meta("LibraryService.UpdateBook"),
			Description: "Changes a book.",
		}, {
			Name: "library_wait", Title: "Wait", Meta: meta("LibraryService.Wait"),
			Description: "Calls library.v1.LibraryService.Wait. Takes value (an RFC 3339 time). Returns nothing.",
		}, {
			Name: "library_watch_books", Title: "Watch books", Meta: meta("LibraryService.WatchBooks"),
			Description: "Calls library.v1.LibraryService.WatchBooks. Takes pageSize, pageToken, filter, fieldMask, limit. " +
				"Returns a list of Book.",
		},
	}
	var got []mcp.Tool
	for _, tool := range compile(t, catalog.Options{}, library(t)).Tools() {
		got = append(got, tool.Definition)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(mcp.Tool{}, "InputSchema", "OutputSchema")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestToolsAreComplete(t *testing.T) {
	t.Parallel()
	source := library(t)
	c := compile(t, catalog.Options{}, source)
	narrowing := map[string][]string{
		"library_delete_book": {"readMask"},
		"library_get_book":    {"readMask"},
		"library_list_books":  {"pageSize", "fieldMask"},
		"library_watch_books": {"pageSize", "fieldMask"},
	}
	for _, tool := range c.Tools() {
		name := tool.Definition.Name
		if found, ok := c.Tool(name); !ok || found != tool {
			t.Errorf("Tool(%q) is another", name)
		}
		if tool.Backend != source.Backend || tool.Codec == nil || tool.Method == nil {
			t.Errorf("%s lacks something: %+v", name, tool)
		}
		if diff := cmp.Diff(narrowing[name], tool.Narrowing); diff != "" {
			t.Errorf("narrowing of %s (-want +got):\n%s", name, diff)
		}
	}
	if _, ok := c.Tool("library_burn_book"); ok {
		t.Error("a tool that is not there is found")
	}
}

func TestLongCommentIsCut(t *testing.T) {
	t.Parallel()
	set := load(t, descriptor.Files([]string{writeProto(t, `
		syntax = "proto3";
		message M {}
		service S {
			// Does it. `+strings.Repeat("Then more of it. ", 200)+`
			rpc Do(M) returns (M);
			// deprecated: use Do.
			rpc Old(M) returns (M) { option deprecated = true; }
		}`)}, []string{"x.proto"}))
	tools := compile(t, catalog.Options{}, catalog.Source{Backend: named(t, "b"), Set: set}).Tools()
	if d := tools[0].Definition.Description; len(d) > 1024 || len(d) < 900 || !strings.HasSuffix(d, "of it.") {
		t.Errorf("%d characters: %q", len(d), d)
	}
	if d := tools[1].Definition.Description; d != "deprecated: use Do." {
		t.Errorf("a comment that says so is told again: %q", d)
	}
}

func TestOmissions(t *testing.T) {
	t.Parallel()
	want := []catalog.Omission{
		{
			Backend: "library", Method: "grpc.health.v1.Health.Check",
			Reason: "part of the server's own machinery; offered by an expose pattern that begins with grpc., beside others for what else " +
				"is to be offered",
		},
	}
	got := compile(t, catalog.Options{}, library(t, "infrastructure.proto")).Omitted()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestProblemsOfDescriptorsAreOmissions: each is told of once, a file under the services that it costs.
func TestProblemsOfDescriptorsAreOmissions(t *testing.T) {
	t.Parallel()
	source := library(t)
	file := fileOf(t, source.Set, "library.proto")
	file.Dependency = append(file.Dependency, "absent.proto")
	file.MessageType[0].Field[0].TypeName = new(".absent.Type")
	file.MessageType[0].Field[0].Type = nil
	set, err := descriptor.New([]*fileProto{file, fileOf(t, library(t, "infrastructure.proto").Set, "infrastructure.proto")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	source.Set, source.Expose = set, []string{"*", "grpc.*"}
	c := compile(t, catalog.Options{}, source)
	if diff := cmp.Diff([]string{"health_check"}, names(c)); diff != "" {
		t.Errorf("what can be offered (-want +got):\n%s", diff)
	}
	services := set.Problems()
	if len(services) != 3 || services[0].Name != "library.proto" || len(c.Omitted()) != 2 {
		t.Fatalf("problems are %v, omitted %v", services, c.Omitted())
	}
	for i, p := range services[1:] {
		if diff := cmp.Diff(catalog.Omission{Backend: "library", Method: p.Name, Reason: p.Reason, Kind: catalog.Deficient},
			c.Omitted()[i]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestEmptyCatalog(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{Features: allFeatures()})
	page, next, err := c.Page(mcp.ListTools, revisions["2025-06-18"], "")
	if err != nil || string(page) != "[]" || next != "" {
		t.Errorf("page %s, next %q, error %v", page, next, err)
	}
	if len(c.Tools()) != 0 || len(c.Omitted()) != 0 || c.Digest() == "" || c.Nearest("x") != "" {
		t.Error("something is in it")
	}
}
