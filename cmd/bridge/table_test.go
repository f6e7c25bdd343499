package main

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
)

// TestCuts: what is left out stands behind the name of its schema, which is said once.
func TestCuts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		texts      []string
	}{
		{"nothing", "", nil},
		{"input", "cut from input: 7 messages not expanded: A, B and 5 more", []string{"inputSchema: 7 messages not expanded: A, B and 5 more"}},
		{"both", "cut from input: a, b; output: c, d", []string{"inputSchema: a", "inputSchema: b", "outputSchema: c", "outputSchema: d"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(cuts(tt.texts), "|"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestLintRowsAreSorted: rows are in the order of what they begin with, the methods, whatever the tools are called, and before
// those that are not shown are left out.
func TestLintRowsAreSorted(t *testing.T) {
	t.Parallel()
	r := &bridge.LintReport{}
	for _, method := range []string{"s.S.M", "s.S.C", "s.S.K", "s.S.B", "s.S.L", "s.S.D", "s.S.J", "s.S.A", "s.S.E"} {
		r.Findings = append(r.Findings, bridge.Finding{
			Severity: bridge.SeverityWarning, Tool: "t", Method: method, Rule: "over-budget", Mend: "shorten it",
			Reason: "something is left out: input: " + strings.ToLower(method[4:]),
		})
	}
	var out strings.Builder
	if err := printFindings(&out, r); err != nil {
		t.Fatal(err)
	}
	want := "    s.S.A  input: a\n    s.S.B  input: b\n    s.S.C  input: c\n    s.S.D  input: d\n    s.S.E  input: e\n" +
		"    s.S.J  input: j\n    s.S.K  input: k\n    s.S.L  input: l\n    and 1 more, which -o json has\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("got:\n%s\nwant in it:\n%s", out.String(), want)
	}
}

// TestOmittedOfWhichBackend: where there are several backends, the table says of which what is left out is.
func TestOmittedOfWhichBackend(t *testing.T) {
	t.Parallel()
	r := &bridge.Report{Omitted: []bridge.Omission{{Backend: "a", Method: "x.S.M", Reason: "why"}, {Method: "y", Reason: "else"}}}
	for want, tools := range map[string][]bridge.ToolReport{
		"OMITTED  REASON\nx.S.M    why\ny        else\n":                            nil,
		"OMITTED  BACKEND  REASON\nx.S.M    a        why\ny        -        else\n": {{Backend: "b"}},
	} {
		r.Tools = tools
		var out strings.Builder
		if err := printTable(&out, r, func(text string) string { return text }); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: got:\n%s\nwant in it:\n%s", err, out.String(), want)
		}
	}
}
