package bridge

import (
	"cmp"
	"fmt"
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
// to come from [Inspect] or [Bridge.Report]: of one that is nil or was read from JSON, and of tools from there, it can count the
// tools and their tokens alone, and finds the error "report-incomplete" in place of what else it would have found. It does not
// change the report.
func Lint(report *Report) *LintReport {
	r := &LintReport{Findings: []Finding{}}
	if report == nil {
		report = &Report{}
	}
	r.Tools = len(report.Tools)
	r.addIncomplete(report)
	r.addLacks(report.lacks)
	var together map[string][]lint.Finding
	if !report.Searching {
		together = lint.Listing(definitions(report))
		r.add(&ToolReport{}, together[""])
	}
	for i := range report.Tools {
		t := &report.Tools[i]
		r.Tokens += t.Tokens
		if t.subject.Tool != nil {
			r.add(t, together[t.Name])
			r.add(t, lint.Tool(t.subject))
			r.addBroken(t)
			r.addReserved(t, report.Searching)
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

// ruleIncomplete is the name under which a report stands that does not have what is looked at.
const ruleIncomplete = "report-incomplete"

// addIncomplete notes that tools cannot be looked at: what nobody has looked at must not pass for what is good.
func (r *LintReport) addIncomplete(report *Report) {
	blank := 0
	for i := range report.Tools {
		if report.Tools[i].subject.Tool == nil {
			blank++
		}
	}
	if report.whole && blank == 0 {
		return
	}
	r.Findings = append(r.Findings, Finding{
		Severity: SeverityError, Rule: ruleIncomplete,
		Reason: fmt.Sprintf("of %d tools, %d cannot be looked at, nor can all that is not offered: "+
			"the report, or a part of it, was not made by Inspect or Bridge.Report, and its JSON does not have what is looked at",
			len(report.Tools), blank),
		Mend: "give Lint the report itself, and store what it returns",
	})
}

// addLacks notes what is not offered and has to be told of.
func (r *LintReport) addLacks(all []catalog.Omission) {
	for _, o := range all {
		if l, known := lacks[o.Kind]; known {
			r.Findings = append(r.Findings, Finding{
				Severity: l.severity, Method: o.Method, Backend: o.Backend, Rule: l.rule, Reason: o.Reason, Mend: l.mend,
			})
		}
	}
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

// ruleBroken is the name under which rules stand that do not compile, which takes too long for the linter of each tool.
const ruleBroken = "rule-broken"

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

// addBroken notes the rules on a tool's request that do not compile: requests are not held against these.
func (r *LintReport) addBroken(t *ToolReport) {
	if t.rules == nil {
		return
	}
	for _, words := range t.rules.Broken() {
		r.Findings = append(r.Findings, Finding{
			Severity: SeverityWarning, Rule: ruleBroken, Tool: t.Name, Method: t.Method, Backend: t.Backend,
			Reason: "a rule of buf.validate is not followed, because it is broken: " + words, Mend: "mend the rule in the .proto",
		})
	}
}

// ruleReserved is the name under which tools stand that are called like one of the three that [ModeSearch] lists.
const ruleReserved = "name-reserved"

// addReserved notes that a tool has a name which stands for another one in the list, where that has the three tools.
func (r *LintReport) addReserved(t *ToolReport, searching bool) {
	switch t.Name {
	case catalog.SearchMethods, catalog.DescribeMethod, catalog.CallMethod:
	default:
		return
	}
	if !searching {
		return
	}
	r.Findings = append(r.Findings, Finding{
		Severity: SeverityWarning, Rule: ruleReserved, Tool: t.Name, Method: t.Method, Backend: t.Backend, Where: "name",
		Reason: "the name is that of a tool of the mode search: models call that one where they mean this: " + t.Name,
		Mend:   "give it another one, by bridge.v1 or the configuration",
	})
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
