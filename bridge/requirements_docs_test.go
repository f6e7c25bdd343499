package bridge_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// readDoc reads a file of the documentation.
func readDoc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// offers are what each example of docs/annotations.md makes of its methods, by the example's service, as names of tools,
// addresses of resources and names of prompts.
var offers = map[string][]string{
	"ShelfService":   {"move_book"},
	"SearchService":  {"search_search"},
	"AccountService": {"account_get_balance"},
	"NoteService":    {"note://welcome", "note://{folder}/{id}"},
	"LimitService":   {"config://limits"},
	"PromptService":  {"review_book"},
	"CoverService":   {"cover_get_cover", "cover_download"},
	"OrderService":   {"order_list_orders"},
	"SummaryService": {"summary_summarise"},
	"PluginService":  {"plugin_install"},
	"ScanService":    {"scan_scan_shelf"},
}

// TestAnnotationExamples: each example of docs/annotations.md compiles and is offered as it is, with no fault found.
func TestAnnotationExamples(t *testing.T) {
	t.Parallel()
	examples := regexp.MustCompile("(?s)```proto\n(.*?)```").FindAllStringSubmatch(readDoc(t, "annotations.md"), -1)
	if len(examples) != len(offers)+1 {
		t.Fatalf("%d examples, want %d", len(examples), len(offers)+1)
	}
	for _, example := range examples[1:] {
		service := regexp.MustCompile(`service (\w+)`).FindStringSubmatch(example[1])[1]
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			report, err := bridge.Inspect(t.Context(), []bridge.Backend{{Descriptors: noteFiles(t, examples[0][1]+example[1])}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(offers[service])), offered(report)); diff != "" {
				t.Errorf("offered (-want +got):\n%s", diff)
			}
			for _, o := range slices.Concat(report.Omitted, report.Ignored) {
				if !strings.Contains(o.Method, "CloseAccount") {
					t.Errorf("%s: %s", o.Method, o.Reason)
				}
			}
		})
	}
}

// offered returns the names and addresses of all that a report says is offered, sorted.
func offered(r *bridge.Report) []string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	for _, o := range r.Resources {
		names = append(names, o.Address)
	}
	for _, p := range r.Prompts {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

// TestAnnotationExampleShows: what the examples promise of their tools is what clients are shown.
func TestAnnotationExampleShows(t *testing.T) {
	t.Parallel()
	text := readDoc(t, "annotations.md")
	examples := regexp.MustCompile("(?s)```proto\n(.*?)```").FindAllStringSubmatch(text, -1)
	for service, parts := range map[string][]string{
		"ShelfService":  {`"title":"Move a book"`, `"idempotentHint":true`, `"destructiveHint":false`, "where there is room"},
		"SearchService": {`"minLength":3`},
		"OrderService":  {`"x-mcp-header":"Region"`},
		"CoverService":  {`"artist"`},
	} {
		i := slices.IndexFunc(examples, func(e []string) bool { return strings.Contains(e[1], "service "+service) })
		report, err := bridge.Inspect(t.Context(), []bridge.Backend{{Descriptors: noteFiles(t, examples[0][1]+examples[i][1])}})
		if err != nil {
			t.Fatal(err)
		}
		shown, err := json.Marshal(report.Tools)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if !strings.Contains(string(shown), part) {
				t.Errorf("%s lacks %s: %s", service, part, shown)
			}
		}
	}
}

// TestOptionNumbers: the table of docs/annotations.md has all options, with their numbers.
func TestOptionNumbers(t *testing.T) {
	t.Parallel()
	var want []string
	file := bridgev1.File_bridge_v1_annotations_proto
	for _, name := range []protoreflect.Name{
		"ServiceOptions", "MethodOptions", "Stream", "Tool", "Hints", "Resource", "Prompt", "FieldOptions",
	} {
		fields := file.Messages().ByName(name).Fields()
		for i := range fields.Len() {
			want = append(want, fmt.Sprintf("| %s | %s | %d |", name, fields.Get(i).Name(), fields.Get(i).Number()))
		}
	}
	text := readDoc(t, "annotations.md")
	got := regexp.MustCompile(`(?m)^\| \w+ \| \w+ \| \d+ \|$`).FindAllString(text, -1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	for i := range file.Extensions().Len() {
		if number := fmt.Sprint(file.Extensions().Get(i).Number()); !strings.Contains(text, "number "+number) {
			t.Errorf("the number %s of the extension is not named", number)
		}
	}
}

// TestProtocolMethods: the table of docs/protocol.md is what each revision has, on both transports.
func TestProtocolMethods(t *testing.T) {
	t.Parallel()
	rows := regexp.MustCompile(`(?m)^\| ([a-z/A-Z]+) \| (yes|–) \| (yes|–) \|$`).FindAllStringSubmatch(readDoc(t, "protocol.md"), -1)
	if len(rows) != 18 {
		t.Fatalf("the table has %d methods", len(rows))
	}
	s := newStage(t)
	for _, version := range revisions {
		for _, row := range rows {
			method, has := row[1], row[2]
			if version == modern {
				has = row[3]
			}
			for transport, c := range map[string]talker{"http": s.http(t, version), "stdio": s.stdio(t, version)} {
				m := c.ask(t, method, `{"uri":"note://welcome"}`)
				if missing := m.Error != nil && m.Error.Code == -32601; missing == (has == "yes") {
					t.Errorf("%s %s %s: %+v", version, transport, method, m.Error)
				}
			}
		}
	}
}
