package bridge_test

import (
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestCorpusSchemas: schemas of both profiles are schemas by the meta-schemas of draft-07 and 2020-12, and compile: those of a
// sample of methods, or of all with CORPUS=all in the environment.
func TestCorpusSchemas(t *testing.T) {
	t.Parallel()
	rng := newSeed(t)
	for _, a := range corpus(t) {
		first, step := 0, 1
		if !wholeCorpus() {
			step = 12
			first = rng.IntN(min(step, len(a.methods)))
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			compiled := 0
			for i := first; i < len(a.methods); i += step {
				compiled += compileAll(t, subject{a, a.methods[i]})
			}
			t.Logf("%d schemas compiled in two dialects", compiled)
		})
	}
}

// compileAll compiles the four schemas of a method in both dialects and returns how many schemas there are.
func compileAll(t *testing.T, s subject) (schemas int) {
	t.Helper()
	for _, p := range corpusProfiles {
		g := s.generators[p]
		for side, raw := range map[string][]byte{"input": g.Input(s.method.Input()).JSON, "output": g.Output(s.method.Output(), nil).JSON} {
			for _, draft := range []*jsonschema.Draft{jsonschema.Draft7, jsonschema.Draft2020} {
				if _, err := compileSchema(raw, draft); err != nil {
					t.Errorf("%s: the %s schema of profile %v is none of %v: %v\n%.2000s", s, side, p, draft, err, raw)
				}
			}
			schemas++
		}
	}
	return schemas
}
