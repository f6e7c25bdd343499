package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcpgrpc/bridge/bridge"
)

// printTable writes a report for people: tools, resources and prompts, then omissions, then how many there are.
func printTable(w io.Writer, r *bridge.Report) error {
	var t sheet
	for _, tool := range r.Tools {
		t.row("TOOL\tMETHOD\tREQUIRED\tHINTS\tSCHEMA",
			fmt.Sprintf("%s\t%s\t%s\t%s\t%d B", tool.Name, tool.Method, list(tool.Required), hints(&tool), tool.InputBytes))
	}
	for _, o := range r.Resources {
		watched := "-"
		if o.Watched {
			watched = "watched"
		}
		t.row("RESOURCE\tMETHOD\tCHANGES", fmt.Sprintf("%s\t%s\t%s", o.Address, o.Method, watched))
	}
	for _, p := range r.Prompts {
		t.row("PROMPT\tMETHOD\tARGUMENTS", fmt.Sprintf("%s\t%s\t%s", p.Name, p.Method, list(p.Arguments)))
	}
	for _, o := range r.Omitted {
		t.row("OMITTED\tREASON", fmt.Sprintf("%s\t%s", o.Method, patternFlags.Replace(o.Reason)))
	}
	if t.head == "" {
		fmt.Fprintln(&t.cells, "the descriptors declare no methods")
	}
	fmt.Fprintf(&t.cells, "\n%s, %d omitted\n", strings.Join(offered(r), ", "), len(r.Omitted))
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(tab, t.cells.String()); err != nil {
		return err
	}
	return tab.Flush()
}

// sheet is rows below heads, with a blank line between its parts.
type sheet struct {
	cells strings.Builder
	head  string // of the part that is being written
}

// row writes one row, and before the first of its part the head.
func (t *sheet) row(head, cells string) {
	if t.head != head {
		if t.head != "" {
			fmt.Fprintln(&t.cells)
		}
		fmt.Fprintln(&t.cells, head)
		t.head = head
	}
	fmt.Fprintln(&t.cells, cells)
}

// offered counts what is offered; of resources and prompts, which few services have, only where there are any.
func offered(r *bridge.Report) []string {
	counts := []string{count(len(r.Tools), "tool")}
	if n := len(r.Resources); n > 0 {
		counts = append(counts, count(n, "resource"))
	}
	if n := len(r.Prompts); n > 0 {
		counts = append(counts, count(n, "prompt"))
	}
	return counts
}

// patternFlags calls the patterns that reasons speak of by the names of their flags.
var patternFlags = strings.NewReplacer("expose pattern", "--expose pattern", "hide pattern", "--hide pattern")

// hints lists what the descriptors say about the effects of a tool.
func hints(t *bridge.ToolReport) string {
	var said []string
	for _, h := range []struct {
		value   *bool
		yes, no string
	}{
		{t.ReadOnly, "read-only", "writes"}, {t.Destructive, "destructive", "not destructive"}, {t.Idempotent, "idempotent", "not idempotent"},
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
	return strings.Join(slices.Clone(names), ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
