package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpgrpc/bridge/bridge"
)

func newLint() *cobra.Command {
	var t target
	output := "table"
	cmd := &cobra.Command{
		Use:   "lint --config file | --backend host:port | --descriptor-set file | --proto file [flags]",
		Short: "Show what is wrong with the tools for clients, model providers and models, and how to mend it",
		Long: `Show what is wrong with the tools for clients, model providers and models, and how to mend it. With --descriptor-set or --proto,
or a file of --config that names such, no backend is needed.

An error is what some client or provider refuses, be it with all other tools: such a tool is withheld, the exit code is 1 and the
last line on stderr "bridge: 1 error found" or so, which tells it from a failure to look, of the same exit code. A warning is what
only makes a tool worse. A backend of several that cannot be read is named there as well, with the same exit code, and the others are
looked at. Findings of one rule stand together, the first of them with their methods; the JSON has all.`,
		Example: `  bridge lint --backend localhost:50051 --plaintext
  bridge lint --proto-path proto --proto library/v1/library.proto -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			report, err := inspect(cmd, &t)
			if report == nil {
				return err
			}
			return errors.Join(printLint(cmd.OutOrStdout(), bridge.Lint(report), output, wording(cmd)), err)
		},
	}
	t.register(cmd)
	cmd.Flags().VarP((*nonempty)(&output), "output", "o", "`form` of the report: table or json")
	return cmd
}

// inWords has what was found said in the words that its reader thinks in.
func inWords(r *bridge.LintReport, say func(string) string) *bridge.LintReport {
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Reason, f.Mend = say(f.Reason), say(f.Mend)
	}
	return r
}

// printLint writes what was found. Errors among it are an error.
func printLint(w io.Writer, r *bridge.LintReport, output string, say func(string) string) error {
	write := func(w io.Writer, r *bridge.LintReport) error { return printFindings(w, inWords(r, say)) }
	if output == "json" {
		write = func(w io.Writer, r *bridge.LintReport) error { return printJSON(w, r) }
	}
	if err := write(w, r); err != nil {
		return err
	}
	if r.Errors > 0 {
		return fmt.Errorf("%s found", count(r.Errors, "error"))
	}
	return nil
}

// printFindings writes what was found for people: rule by rule, then how much there is.
func printFindings(w io.Writer, r *bridge.LintReport) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, g := range grouped(r.Findings) {
		g.print(tab)
	}
	summary := fmt.Sprintf("%s, about %d tokens", count(r.Tools, "tool"), r.Tokens)
	if r.Errors+r.Warnings == 0 {
		fmt.Fprintf(tab, "%s: nothing to find fault with\n", summary)
	} else {
		fmt.Fprintf(tab, "%s: %s, %s\n", summary, count(r.Errors, "error"), count(r.Warnings, "warning"))
	}
	return tab.Flush()
}

// group is the findings of one rule.
type group []bridge.Finding

// grouped brings the findings of each rule together: errors first, then in the order of how many there are, most first.
func grouped(findings []bridge.Finding) []group {
	var groups []group
	place := map[string]int{}
	for _, f := range findings {
		i, known := place[f.Rule]
		if !known {
			i = len(groups)
			place[f.Rule], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		if bySeverity := strings.Compare(string(a[0].Severity), string(b[0].Severity)); bySeverity != 0 {
			return bySeverity
		}
		return len(b) - len(a)
	})
	return groups
}

// maxRows is how many warnings of one rule are shown.
const maxRows = 8

// print writes one group: what is the same in all its findings once, then a row for each, where it says more than that.
func (g group) print(w io.Writer) {
	reason, mend := g.same(general), g.same(func(f bridge.Finding) string { return f.Mend })
	fmt.Fprintf(w, "%s: %s (%d)\n", strings.ToUpper(string(g[0].Severity)), g[0].Rule, len(g))
	if reason != "" {
		fmt.Fprintf(w, "  %s\n", reason)
	}
	if mend != "" {
		fmt.Fprintf(w, "  mend: %s\n", mend)
	}
	shown := g.sorted()
	if g[0].Severity == bridge.SeverityWarning && len(g) > maxRows {
		shown = shown[:maxRows]
	}
	for _, f := range shown {
		if cells := cells(f, reason != "", mend != ""); cells != "" {
			fmt.Fprintf(w, "    %s\n", cells)
		}
	}
	if more := len(g) - len(shown); more > 0 {
		fmt.Fprintf(w, "    and %d more, which -o json has\n", more)
	}
	fmt.Fprintln(w)
}

// sorted returns the findings in the order of what rows begin with, the methods; those of one method stay as they are.
func (g group) sorted() group {
	rows := slices.Clone(g)
	slices.SortStableFunc(rows, func(a, b bridge.Finding) int { return strings.Compare(a.Method, b.Method) })
	return rows
}

// same returns what part says of all findings; "" where it says different things.
func (g group) same(part func(bridge.Finding) string) string {
	first := part(g[0])
	if slices.ContainsFunc(g, func(f bridge.Finding) bool { return part(f) != first }) {
		return ""
	}
	return first
}

// general is the part of a reason that stands before what is particular to a tool; "" where there is no tool.
func general(f bridge.Finding) string {
	if f.Tool == "" && f.Method != "" {
		return ""
	}
	reason, _, _ := strings.Cut(f.Reason, ": ")
	return reason
}

// cells are what a row says of one finding beyond what was said of all.
func cells(f bridge.Finding, reasonTold, mendTold bool) string {
	reason := f.Reason
	if reasonTold {
		_, reason, _ = strings.Cut(reason, ": ")
	} else if f.Where != "" {
		reason = f.Where + ": " + reason
	}
	texts := []string{f.Method, reason}
	if !mendTold {
		texts = append(texts, "mend: "+f.Mend)
	}
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\t")
}
