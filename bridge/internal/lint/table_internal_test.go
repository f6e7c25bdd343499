package lint

import (
	"slices"
	"testing"
)

// TestTablesAreSorted: what is looked up by halves has to be in order.
func TestTablesAreSorted(t *testing.T) {
	t.Parallel()
	for name, table := range map[string][]string{
		"abbreviations": abbreviations, "bearers": bearers, "listing": listing, "narrowing": narrowing,
	} {
		if !slices.IsSorted(table) || len(slices.Compact(slices.Clone(table))) < len(table) {
			t.Errorf("%s are not sorted", name)
		}
	}
}

// TestRulesAreWhole: each rule of the table has a name of its own, and errors come first.
func TestRulesAreWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i, r := range Rules() {
		if r.ID == "" || seen[r.ID] || i > 0 && r.Severity > rules[i-1].Severity {
			t.Errorf("rule %d is %+v", i, r)
		}
		seen[r.ID] = true
	}
}
