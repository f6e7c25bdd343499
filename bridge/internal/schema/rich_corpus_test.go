package schema_test

import "testing"

// TestRichCorpus holds the schemas of every method of real APIs against the rules of the profile.
func TestRichCorpus(t *testing.T) {
	t.Parallel()
	for name, methods := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := richGenerator(t, methods)
			for _, m := range methods {
				checkRich(t, g, m, false)
			}
		})
	}
}

// TestRichIsTheSameInAnyOrder: what a generator made before is of no consequence.
func TestRichIsTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	methods := corpus(t)["temporal_api"]
	g := richGenerator(t, methods)
	first := make([]string, len(methods))
	for i, m := range methods {
		first[i] = string(g.Input(m.Input()).JSON) + string(g.Output(m.Output(), nil).JSON)
	}
	other := richGenerator(t, methods)
	for i := len(methods) - 1; i >= 0; i-- {
		m := methods[i]
		if got := string(other.Input(m.Input()).JSON) + string(other.Output(m.Output(), nil).JSON); got != first[i] {
			t.Errorf("%s: other bytes in another order", m.FullName())
		}
	}
}

// BenchmarkRichCorpus makes both schemas of every method of the corpus once an iteration, with a generator for each API.
func BenchmarkRichCorpus(b *testing.B) {
	sets := corpus(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, methods := range sets {
			g := richGenerator(b, methods)
			for _, m := range methods {
				g.Input(m.Input())
				g.Output(m.Output(), nil)
			}
		}
	}
}
