package interaction_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/ask"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// sorted is what has come of answers, in a few words.
type sorted struct {
	Given, Missing, Faults []string
}

func words(s *interaction.Sorted) sorted {
	got := sorted{Faults: s.Faults}
	for _, g := range s.Given {
		got.Given = append(got.Given, g.GetKey())
	}
	for i := range s.Missing {
		m := &s.Missing[i]
		got.Missing = append(got.Missing, strings.TrimSuffix(m.Key+": "+m.Fault, ": "))
	}
	return got
}

// TestSort: answers that do not fit are missing like those that were not given, and say why. What was not asked for is passed
// over, and told where something is missing.
func TestSort(t *testing.T) {
	t.Parallel()
	requests, err := interaction.Read(asked(ask.Roots("a"), ask.Roots("b"), ask.Form("c", "m", ask.Bool("ok", ask.Required()))))
	if err != nil {
		t.Fatal(err)
	}
	const roots, declined = `{"roots":[]}`, `{"action":"decline"}`
	for name, c := range map[string]struct {
		kept    []*bridgev1.InputResponse
		answers string
		want    sorted
	}{
		"none":    {nil, ``, sorted{Missing: []string{"a", "b", "c"}}},
		"all":     {nil, `{"c":` + declined + `,"b":` + roots + `,"a":` + roots + `,"z":{}}`, sorted{Given: []string{"a", "b", "c"}}},
		"partial": {nil, `{"b":` + roots + `}`, sorted{Given: []string{"b"}, Missing: []string{"a", "c"}}},
		"unfit": {nil, `{"c":{"action":"accept","content":{"ok":1}},"a":` + roots + `}`, sorted{
			[]string{"a"}, []string{"b", `c: "ok" must be true or false`}, []string{`the answer to "c": "ok" must be true or false`},
		}},
		"another key": {nil, `{"C":` + declined + `,"a":` + roots + `,"b":` + roots + `}`, sorted{
			[]string{"a", "b"}, []string{"c"}, []string{`the answer to "C": there is no request with this key`},
		}},
		"the rest": {[]*bridgev1.InputResponse{{Key: "b"}}, `{"c":` + declined + `,"a":` + roots + `}`, sorted{Given: []string{"a", "b", "c"}}},
		"once more": {[]*bridgev1.InputResponse{{Key: "b"}}, `{"b":` + declined + `}`, sorted{
			Given: []string{"b"}, Missing: []string{"a", "c"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := interaction.Sort(requests, c.kept, []byte(c.answers))
			if diff := cmp.Diff(c.want, words(&got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSortTooMuch: answers that could not come back with the others are asked for together with them, and then taken; as many
// strange keys as one likes make a short text.
func TestSortTooMuch(t *testing.T) {
	t.Parallel()
	requests, err := interaction.Read(asked(ask.Form("a", "m", ask.String("s")), ask.Form("b", "m", ask.String("s")), ask.Roots("c")))
	if err != nil {
		t.Fatal(err)
	}
	long := fmt.Sprintf(`{"action":"accept","content":{"s":%q}}`, strings.Repeat("x", 200<<10))
	first := interaction.Sort(requests, nil, []byte(`{"a":`+long+`,"b":`+long+`}`))
	got := words(&first)
	if !cmp.Equal(got.Given, []string{"a"}) || len(got.Missing) != 2 || !strings.Contains(got.Missing[0], "too much to be kept") || got.Missing[1] != "c" {
		t.Errorf("at first %q", got)
	}
	again := interaction.Sort(requests, first.Given, []byte(`{"b":`+long+`,"c":{"roots":[]}}`))
	if got := words(&again); !cmp.Equal(got, sorted{Given: []string{"a", "b", "c"}}) {
		t.Errorf("then %q", got)
	}
	var strange []string
	for i := range 1000 {
		strange = append(strange, fmt.Sprintf(`"k%d":{}`, i))
	}
	if s := interaction.Sort(requests, nil, []byte("{"+strings.Join(strange, ",")+"}")); len(s.Faults) > 10 {
		t.Errorf("%d faults", len(s.Faults))
	}
}

// TestAskedAgain: who is asked once more is told why, in no more than a few words.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	for _, r := range []*bridgev1.InputRequest{ask.Form("k", "Sure?", ask.Bool("ok")), ask.URL("k", "Sure?", "https://example.com/")} {
		request := one(t, r)
		request.Fault = `"ok" must be true or false`
		if params := string(request.Params(mcp.Features{})); !strings.Contains(params, `"The answer before was not taken: \"ok\" must be true or false.\n\nSure?"`) {
			t.Errorf("asks %s", params)
		}
		request.Fault = strings.Repeat("é", 10_000)
		if params := request.Params(mcp.Features{}); len(params) > 2000 {
			t.Errorf("asks with %d bytes", len(params))
		}
	}
}
