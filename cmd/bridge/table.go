package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcpgrpc/bridge/bridge"
)

// printTable writes a report for people: tools, resources and prompts, then what is left out, then how many there are and what
// they cost.
func printTable(w io.Writer, r *bridge.Report, say func(string) string) error {
	var t sheet
	t.part("TOOL\tMETHOD\tREQUIRED\tHINTS\tINPUT\tOUTPUT\tTOKENS", toolRows(r.Tools))
	t.part("RESOURCE\tMETHOD\tCHANGES", resourceRows(r.Resources))
	t.part("PROMPT\tMETHOD\tARGUMENTS", promptRows(r.Prompts))
	column, cell := backendColumn(r)
	t.part("OMITTED"+column+"\tREASON", omissionRows(r.Omitted, cell, say))
	t.part("IGNORED"+column+"\tREASON", omissionRows(r.Ignored, cell, say))
	if t.cells.Len() == 0 {
		fmt.Fprintln(&t.cells, "the descriptors declare no methods")
	}
	if tokens, crowded := r.Crowded(); crowded {
		fmt.Fprintf(&t.cells, "\nwarning: above %d tools models choose worse, and these cost about %d tokens: "+
			"%s\n", bridge.MaxListedTools, tokens, say(fewer))
	}
	fmt.Fprintf(&t.cells, "\n%s\n", strings.Join(counts(r), ", ")+costs(r))
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(tab, t.cells.String()); err != nil {
		return err
	}
	return tab.Flush()
}

// fewer is the mend for too many tools.
const fewer = "offer fewer with expose and hide, or set mode: MODE_SEARCH"

// row is the cells of one line, and what there is to note beside them, "" for nothing.
type row struct{ cells, note string }

// sheet is parts with a blank line between them.
type sheet struct {
	cells strings.Builder
}

// part writes a head and the rows below it; nothing where there are none. Few methods have anything to note, and the column
// is there only where one has.
func (t *sheet) part(head string, rows []row) {
	if len(rows) == 0 {
		return
	}
	if t.cells.Len() > 0 {
		fmt.Fprintln(&t.cells)
	}
	noted := slices.ContainsFunc(rows, func(r row) bool { return r.note != "" })
	for _, r := range append([]row{{head, "NOTES"}}, rows...) {
		if noted {
			r.cells += "\t" + cmp.Or(r.note, "-")
		}
		fmt.Fprintln(&t.cells, r.cells)
	}
}

func toolRows(tools []bridge.ToolReport) []row {
	var rows []row
	for _, t := range tools {
		cells := fmt.Sprintf("%s\t%s\t%s\t%s\t%d B\t%s\t%d", t.Name, t.Method, list(t.Required), hints(&t),
			t.InputBytes, outputSize(t.OutputBytes), t.Tokens)
		rows = append(rows, row{cells, strings.Join(slices.Concat(outcome(&t), demands(t.Demands), cuts(t.Cuts)), ", ")})
	}
	return rows
}

func outputSize(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d B", n)
}

func resourceRows(resources []bridge.ResourceReport) []row {
	var rows []row
	for _, r := range resources {
		changes := "-"
		if r.Watched {
			changes = "by " + r.Watch[strings.LastIndexByte(r.Watch, '.')+1:] // of the same service
		}
		rows = append(rows, row{fmt.Sprintf("%s\t%s\t%s", r.Address, r.Method, changes), strings.Join(demands(r.Demands), ", ")})
	}
	return rows
}

func promptRows(prompts []bridge.PromptReport) []row {
	var rows []row
	for _, p := range prompts {
		arguments := slices.Clone(p.Arguments)
		for i, a := range arguments {
			if slices.Contains(p.Required, a) {
				arguments[i] += " (required)"
			}
		}
		rows = append(rows, row{fmt.Sprintf("%s\t%s\t%s", p.Name, p.Method, list(arguments)), strings.Join(demands(p.Demands), ", ")})
	}
	return rows
}

// backendColumn returns the head and the cells of a column for backends, which is there only where there are several.
func backendColumn(r *bridge.Report) (head string, cell func(backend string) string) {
	backends := map[string]bool{}
	for _, t := range r.Tools {
		backends[t.Backend] = true
	}
	for _, o := range r.Resources {
		backends[o.Backend] = true
	}
	for _, p := range r.Prompts {
		backends[p.Backend] = true
	}
	for _, o := range slices.Concat(r.Omitted, r.Ignored) {
		backends[o.Backend] = true
	}
	if delete(backends, ""); len(backends) < 2 {
		return "", func(string) string { return "" }
	}
	return "\tBACKEND", func(backend string) string { return "\t" + cmp.Or(backend, "-") }
}

func omissionRows(omissions []bridge.Omission, backend, say func(string) string) []row {
	var rows []row
	for _, o := range omissions {
		rows = append(rows, row{cells: o.Method + backend(o.Backend) + "\t" + say(o.Reason)})
	}
	return rows
}

// outcome notes what is special about the calls of a tool and their results.
func outcome(t *bridge.ToolReport) []string {
	var notes []string
	switch {
	case t.Content && t.Data:
		notes = append(notes, "data and content")
	case t.Content:
		notes = append(notes, "content")
	}
	if len(t.Headers) > 0 {
		notes = append(notes, "header "+strings.Join(t.Headers, " and "))
	}
	if t.CloseStreamAfter > 0 {
		notes = append(notes, fmt.Sprintf("closes its stream after %v", t.CloseStreamAfter))
	}
	return notes
}

// demands notes what the options ask, of whatever sort the offer is.
func demands(d bridge.Demands) []string {
	var notes []string
	if len(d.RequiredCapabilities) > 0 {
		notes = append(notes, "needs "+strings.Join(d.RequiredCapabilities, " and "))
	}
	if d.ReloadAfter {
		notes = append(notes, "reloads")
	}
	return notes
}

// cuts notes what the schemas leave out, with the name of each schema once.
func cuts(texts []string) []string {
	var notes []string
	for _, side := range []struct{ schema, name string }{{"inputSchema: ", "input: "}, {"outputSchema: ", "output: "}} {
		var cut []string
		for _, text := range texts {
			if rest, of := strings.CutPrefix(text, side.schema); of {
				cut = append(cut, rest)
			}
		}
		if cut != nil {
			notes = append(notes, side.name+strings.Join(cut, ", "))
		}
	}
	if notes == nil {
		return nil
	}
	return []string{"cut from " + strings.Join(notes, "; ")}
}

// costs adds up what the tools take of a model's context; "" for no tools.
func costs(r *bridge.Report) string {
	if len(r.Tools) == 0 {
		return ""
	}
	in, out := 0, 0
	for i := range r.Tools {
		in, out = in+r.Tools[i].InputBytes, out+r.Tools[i].OutputBytes
	}
	tokens, _ := r.Crowded()
	text := fmt.Sprintf("; %d B of input schemas, %d B of output schemas, about %d tokens in all", in, out, tokens)
	if r.Searching {
		text += fmt.Sprintf("; clients list %s, about %d tokens, and see of these what they search for",
			count(r.Listed, "tool"), r.ListedTokens)
	}
	return text
}

// counts says how much is offered and how much is not; of what few services have, only where there is any.
func counts(r *bridge.Report) []string {
	texts := []string{count(len(r.Tools), "tool")}
	if n := len(r.Resources); n > 0 {
		texts = append(texts, count(n, "resource"))
	}
	if n := len(r.Prompts); n > 0 {
		texts = append(texts, count(n, "prompt"))
	}
	texts = append(texts, fmt.Sprintf("%d omitted", len(r.Omitted)))
	if n := len(r.Ignored); n > 0 {
		texts = append(texts, count(n, "option")+" ignored")
	}
	return texts
}

// hints lists what the descriptors say about the effects of a tool.
func hints(t *bridge.ToolReport) string {
	var said []string
	for _, h := range []struct {
		value   *bool
		yes, no string
	}{
		{t.ReadOnly, "read-only", "writes"},
		{t.Destructive, "destructive", "not destructive"},
		{t.Idempotent, "idempotent", "not idempotent"},
		{t.OpenWorld, "open world", "closed world"},
	} {
		switch {
		case h.value == nil:
		case *h.value:
			said = append(said, h.yes)
		default:
			said = append(said, h.no)
		}
	}
	return list(said)
}

// list joins names, and writes a dash where there are none.
func list(names []string) string {
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
