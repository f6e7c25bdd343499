package bridge_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestLintOfIncompleteReports: a report that has lost what is looked at is an error, whatever else is known of it, and no panic.
func TestLintOfIncompleteReports(t *testing.T) {
	t.Parallel()
	whole := inspectShop(t)
	data, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	var read bridge.Report
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	mixed := *whole
	mixed.Tools = append(mixed.Tools[:1:1], read.Tools[0])
	good := bridge.Lint(whole)
	for _, tt := range []struct {
		name          string
		report        *bridge.Report
		tools, others int
	}{
		{"nil", nil, 0, 0}, {"empty", &bridge.Report{}, 0, 0}, {"read", &read, 2, 0}, {"mixed", &mixed, 2, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := bridge.Lint(tt.report)
			if len(r.Findings) <= tt.others || r.Errors == 0 || r.Tools != tt.tools {
				t.Fatalf("%d errors, %d tools, findings %+v", r.Errors, r.Tools, r.Findings)
			}
			first := r.Findings[0]
			if first.Rule != "report-incomplete" || first.Severity != bridge.SeverityError || first.Mend == "" {
				t.Errorf("found first %+v", first)
			}
			if tt.report == &read && r.Tokens != good.Tokens {
				t.Errorf("%d tokens, want %d", r.Tokens, good.Tokens)
			}
		})
	}
}

// TestReservedNames: in search mode a tool that is named as one of the three is found with its method, and is called by that name
// through call_method.
func TestReservedNames(t *testing.T) {
	t.Parallel()
	pinned := map[string]*bridgev1.Tool{
		"library.v1.LibraryService.GetBook":    {Name: "call_method"},
		"library.v1.LibraryService.ListBooks":  {Name: "search_methods"},
		"library.v1.LibraryService.CreateBook": {Name: "describe_method"},
	}
	backends := []bridge.Backend{{Conn: startServices(t), Tools: pinned}}
	for _, mode := range []bridge.Mode{bridge.ModeTools, bridge.ModeSearch} {
		got := map[string]string{}
		for _, f := range bridge.Lint(newBridge(t, backends, bridge.WithMode(mode)).Report()).Findings {
			if f.Rule == "name-reserved" {
				got[f.Method] = f.Tool
			}
		}
		want := map[string]string{}
		for method, tool := range pinned {
			if mode == bridge.ModeSearch {
				want[method] = tool.GetName()
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("mode %s (-want +got):\n%s", mode, diff)
		}
	}
	b := newBridge(t, backends, bridge.WithMode(bridge.ModeSearch))
	for _, name := range []string{"call_method", "library.v1.LibraryService.GetBook"} {
		r, err := b.Call(t.Context(), "call_method", []byte(`{"name":"`+name+`","arguments":{"name":"books/dune"}}`))
		if err != nil || r.IsError || !strings.Contains(r.Text, "Dune") {
			t.Errorf("%s: error %v, result %+v", name, err, r)
		}
	}
}

// TestNilArguments: a nil option and a nil context are errors that say so.
func TestNilArguments(t *testing.T) {
	t.Parallel()
	backends := []bridge.Backend{{Conn: startServices(t)}}
	const want = "option 2 of 2 is nil: leave it out"
	if _, err := bridge.New(t.Context(), backends, bridge.WithMaxCalls(1), nil); err == nil || err.Error() != want {
		t.Errorf("New: error %v", err)
	}
	if _, err := bridge.Inspect(t.Context(), backends, bridge.WithMaxCalls(1), nil); err == nil || err.Error() != want {
		t.Errorf("Inspect: error %v", err)
	}
	var none context.Context
	_, err := newBridge(t, backends).Call(none, "library_get_book", nil)
	if err == nil || !strings.Contains(err.Error(), "the context is nil") {
		t.Errorf("Call: error %v", err)
	}
}

// TestSearchModeWithoutOutputSchemas: the option holds for the three tools as for others.
func TestSearchModeWithoutOutputSchemas(t *testing.T) {
	t.Parallel()
	backends := []bridge.Backend{{Conn: startServices(t)}}
	for _, opts := range [][]bridge.Option{nil, {bridge.WithoutOutputSchemas()}} {
		b := newBridge(t, backends, append(opts, bridge.WithMode(bridge.ModeSearch))...)
		for tool, err := range officialClient(t, b).Tools(t.Context(), nil) {
			want := opts == nil && tool.Name != "call_method"
			if err != nil || want != (tool.OutputSchema != nil) {
				t.Errorf("error %v, %s has an output schema: %t", err, tool.Name, !want)
			}
		}
	}
}
