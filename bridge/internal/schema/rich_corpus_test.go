package schema_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// TestRichCorpus holds the schemas of every method of real APIs against the rules of the profile, and those of a sample (all
// with CORPUS=all in the environment) against the meta-schemas.
func TestRichCorpus(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	all := os.Getenv("CORPUS") == "all"
	for name, methods := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 0))
			g := richGenerator(t, methods)
			var in, out, most, cut int
			for _, m := range methods {
				i, o := checkRich(t, g, m, all || rng.IntN(10) == 0)
				in, out, most = in+i, out+o, max(most, i)
				if len(g.Input(m.Input()).Cuts) > 0 {
					cut++
				}
			}
			t.Logf("%s, %d methods: %d bytes of input schemas (at most %d, %d cut), %d of output schemas", name, len(methods), in, most, cut, out)
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
