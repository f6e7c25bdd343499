package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcpgrpc/bridge/bridge"
)

// printTable writes a report for people: tools, then omissions, then how many there are.
func printTable(w io.Writer, r *bridge.Report) error {
	var cells strings.Builder
	if len(r.Tools) > 0 {
		fmt.Fprintln(&cells, "TOOL\tMETHOD\tREQUIRED\tHINTS\tSCHEMA")
	}
	for _, t := range r.Tools {
		fmt.Fprintf(&cells, "%s\t%s\t%s\t%s\t%d B\n", t.Name, t.Method, list(t.Required), hints(&t), t.InputBytes)
	}
	if len(r.Omitted) > 0 {
		fmt.Fprintf(&cells, "%sOMITTED\tREASON\n", strings.Repeat("\n", min(len(r.Tools), 1)))
	}
	for _, o := range r.Omitted {
		fmt.Fprintf(&cells, "%s\t%s\n", o.Method, patternFlags.Replace(o.Reason))
	}
	if cells.Len() == 0 {
		fmt.Fprintln(&cells, "the descriptors declare no methods")
	}
	fmt.Fprintf(&cells, "\n%s, %d omitted\n", count(len(r.Tools), "tool"), len(r.Omitted))
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(tab, cells.String()); err != nil {
		return err
	}
	return tab.Flush()
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
