package bridge

import (
	"cmp"
	"log/slog"
	"slices"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// Severity says how much a finding weighs.
type Severity string

const (
	// SeverityError is what some MCP client or model provider refuses: the tool is withheld.
	SeverityError Severity = "error"
	// SeverityWarning is what makes a tool worse for a model, and withholds nothing.
	SeverityWarning Severity = "warning"
)

// LintReport says how usable tools are for models. Its JSON form is what `bridge lint -o json` prints.
type LintReport struct {
	// Findings are what is wrong: errors first, then by the names of the tools; those on the whole list come before those on
	// single tools. Never nil.
	Findings []Finding `json:"findings"`
	// Errors and Warnings count the findings.
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	// Tools is how many tools are offered, and Tokens what their definitions cost a model, estimated.
	Tools  int `json:"tools"`
	Tokens int `json:"tokens"`
}

// Finding is one thing that is wrong.
type Finding struct {
	// Severity is what it weighs.
	Severity Severity `json:"severity"`
	// Tool is the name of the tool; "" for the list as a whole, and for what is no tool.
	Tool string `json:"tool,omitempty"`
	// Method is the full name of the gRPC method, or what else is not offered; "" for the list as a whole.
	Method string `json:"method,omitempty"`
	// Backend is the name of the backend; "" for the list as a whole.
	Backend string `json:"backend,omitempty"`
	// Rule is the stable name of what was looked for, such as "array-without-items"; docs/lint.md has them all.
	Rule string `json:"rule"`
	// Where is the place in the tool's definition, such as "inputSchema.properties.book"; "" for all of it.
	Where string `json:"where,omitempty"`
	// Reason says what is wrong, and Mend what to do about it: sentences without a full stop.
	Reason string `json:"reason"`
	Mend   string `json:"mend"`
}

// Lint looks at the tools that a report is about, one by one and together, and at what could not become one. The report has
// to come from [Inspect] or [Bridge.Report]; of one that was read from JSON nothing can be said of the tools.
func Lint(report *Report) *LintReport {
	r := &LintReport{Findings: []Finding{}, Tools: len(report.Tools)}
	for _, o := range report.lacks {
		if l, known := lacks[o.Kind]; known {
			r.Findings = append(r.Findings, Finding{
				Severity: l.severity, Method: o.Method, Backend: o.Backend, Rule: l.rule, Reason: o.Reason, Mend: l.mend,
			})
		}
	}
	together := lint.Listing(definitions(report))
	if !report.Searching {
		r.add(&ToolReport{}, together[""])
	}
	for i := range report.Tools {
		t := &report.Tools[i]
		r.Tokens += t.Tokens
		if t.subject.Tool != nil {
			r.add(t, together[t.Name])
			r.add(t, lint.Tool(t.subject))
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	for _, f := range r.Findings {
		if f.Severity == SeverityError {
			r.Errors++
		} else {
			r.Warnings++
		}
	}
	return r
}

// lacks are the kinds of what is not offered that a linter has to tell of; the others are as somebody wants them.
var lacks = map[catalog.Kind]struct {
	severity   Severity
	rule, mend string
}{
	catalog.Withheld:  {SeverityError, "withheld", "do what the reason says, or hide the method"},
	catalog.Deficient: {SeverityWarning, "not-offered", "mend the descriptors, or hide the method"},
	catalog.Ignored:   {SeverityWarning, "option-ignored", "correct the option, or take it away"},
	catalog.Unmatched: {SeverityWarning, "nothing-matches", "correct the name or the pattern, or take it away"},
}

// add notes the findings on a tool.
func (r *LintReport) add(t *ToolReport, found []lint.Finding) {
	for _, f := range found {
		r.Findings = append(r.Findings, Finding{
			Severity: Severity(f.Severity.String()),
			Tool:     t.Name, Method: t.Method, Backend: t.Backend,
			Rule: f.Rule, Where: f.Where, Reason: f.Reason, Mend: f.Mend,
		})
	}
}

// definitions are those of the tools of a report.
func definitions(report *Report) []*mcp.Tool {
	var list []*mcp.Tool
	for _, t := range report.Tools {
		if t.subject.Tool != nil {
			list = append(list, t.subject.Tool)
		}
	}
	return list
}

// MaxListedTools is how many tools a list may have before models choose worse among them.
const MaxListedTools = lint.MaxTools

// Crowded says whether clients are shown more than [MaxListedTools] tools, and estimates how many tokens all of them cost a
// model before it has done anything. With [ModeSearch] they are shown three.
func (r *Report) Crowded() (tokens int, crowded bool) {
	for i := range r.Tools {
		tokens += r.Tools[i].Tokens
	}
	return tokens, !r.Searching && len(r.Tools) > MaxListedTools
}

// warnCrowded logs that there are more tools than models can choose from well.
func warnCrowded(log *slog.Logger, report *Report) {
	if tokens, crowded := report.Crowded(); crowded {
		log.Warn("models choose worse among so many tools: expose fewer, or use the mode search, which lists three",
			"tools", len(report.Tools), "tokens", tokens, "most", MaxListedTools)
	}
}
