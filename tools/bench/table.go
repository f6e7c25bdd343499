package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
)

// table is a table in Markdown.
type table struct{ bytes.Buffer }

// row writes a row.
func (t *table) row(cells ...string) { fmt.Fprintf(t, "| %s |\n", strings.Join(cells, " | ")) }

// head writes a row of names with the line below it.
func (t *table) head(cells ...string) {
	t.row(cells...)
	fmt.Fprintf(t, "|%s\n", strings.Repeat("---|", len(cells)))
}

// title begins a section.
func (t *table) title(text string) { fmt.Fprintf(t, "\n### %s\n\n", text) }

// write writes all tables.
func write(out io.Writer, s settings, about setting, calls, traces series) error {
	t := new(table)
	t.about(s, about)
	t.goals(calls)
	t.title("Ratios of the bridge, median of the rounds (least–greatest)")
	t.ratios(calls, s.clients, bridge, others)
	t.title("What they are ratios of, medians")
	t.absolute(calls, s.clients, targets)
	t.title(fmt.Sprintf("Tracing, c=%d: ratios to the bridge with %s", tracedClients, traceOff))
	for _, name := range traced[1:] {
		fmt.Fprintf(t, "%s:\n\n", name)
		t.ratios(traces, []int{tracedClients}, name, []string{traceOff})
		fmt.Fprintln(t)
	}
	t.absolute(traces, []int{tracedClients}, traced)
	_, err := t.WriteTo(out)
	return err
}

// about says where and when, and how much was measured.
func (t *table) about(s settings, about setting) {
	fmt.Fprintf(t, "%s on %s, %s, load average %s at the start", about.began.Format(time.DateOnly), about.cpu, about.version, about.load)
	if about.commit != "" {
		fmt.Fprintf(t, ", commit %s", about.commit)
	}
	cell := s.cell.String() + " (large " + (time.Duration(sizes[2].longer) * s.cell).String() + ")"
	if s.calls > 0 {
		cell = fmt.Sprintf("%d calls", s.calls)
	}
	fmt.Fprintf(t, ". Rounds: %d, of %s a cell; %s in all.\n", s.rounds, cell, about.took.Round(time.Second))
	for _, z := range sizes {
		if body, err := z.json(); err == nil {
			fmt.Fprintf(t, "\n- %s: %d bytes of JSON each way", z.name, len(body))
		}
	}
	fmt.Fprintln(t)
}

// goals writes what was to be reached, and whether it was.
func (t *table) goals(calls series) {
	t.title(fmt.Sprintf("Targets, c=%d", targetClients))
	t.head("against", "ratio of", "small", "medium", "large")
	for _, g := range goals {
		row := []string{g.against, g.metric.name}
		for i, z := range sizes {
			got := calls.ratio(cell{bridge, z.name, targetClients}, g.against, g.metric).median
			row = append(row, fmt.Sprintf("%s, %s: %s", digits(got), g.bound(i), verdict(got, g.limits[i], g.metric.more)))
		}
		t.row(row...)
	}
	row := []string{"–", "RSS itself"}
	for _, z := range sizes {
		got := calls.absolute(cell{bridge, z.name, targetClients}, rss).median
		row = append(row, fmt.Sprintf("%s, ≤ %s: %s", megabytes(got), megabytes(maxResident), verdict(got, maxResident, false)))
	}
	t.row(row...)
}

// ratios writes what name is relative to each of against.
func (t *table) ratios(from series, clients []int, name string, against []string) {
	t.metricsHead("against")
	for _, base := range against {
		eachCell(clients, func(z size, c int) {
			row := []string{base, z.name, fmt.Sprint(c)}
			for _, m := range metrics {
				row = append(row, from.ratio(cell{name, z.name, c}, base, m).String())
			}
			t.row(row...)
		})
	}
}

// absolute writes what each of names is by itself.
func (t *table) absolute(from series, clients []int, names []string) {
	t.metricsHead("")
	for _, name := range names {
		eachCell(clients, func(z size, c int) {
			row := []string{name, z.name, fmt.Sprint(c)}
			for _, m := range metrics {
				row = append(row, m.text(from.absolute(cell{name, z.name, c}, m).median))
			}
			t.row(row...)
		})
	}
}

// metricsHead is the head of a table with a column for each metric.
func (t *table) metricsHead(first string) {
	names := []string{first, "size", "c"}
	for _, m := range metrics {
		names = append(names, m.name)
	}
	t.head(names...)
}

// eachCell goes through sizes and numbers of clients.
func eachCell(clients []int, do func(z size, clients int)) {
	for _, z := range sizes {
		for _, c := range clients {
			do(z, c)
		}
	}
}
