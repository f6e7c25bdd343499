package bridge_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/schemas.md")

// trimmed are the bytes that the input schemas of all methods of an API took in an earlier measurement of how small they can be
// made: shared messages in $defs, one sentence of at most 200 characters from each comment, and neither output-only nor
// deprecated fields.
var trimmed = map[string]int{
	"googleapis_pubsub_v1":     31_000,
	"googleapis_bigquery":      133_000,
	"googleapis_aiplatform_v1": 585_000,
	"temporal_api":             313_000,
	"envoy":                    310_000,
}

// volume is how much an API's tools take.
type volume struct {
	name                string
	methods, offered    int
	input, output       int // bytes of the schemas of all methods
	maxInput, maxOutput int
	list                int // bytes of the definitions of the tools offered
	cut                 int // tools of which something is left out to keep to the bounds
}

func (v *volume) add(w volume) {
	v.methods, v.offered = v.methods+w.methods, v.offered+w.offered
	v.input, v.output, v.list = v.input+w.input, v.output+w.output, v.list+w.list
	v.maxInput, v.maxOutput = max(v.maxInput, w.maxInput), max(v.maxOutput, w.maxOutput)
	v.cut += w.cut
}

// TestCorpusTable: the tables of docs/schemas.md are what the schemas are, and the input schemas of the portable profile are
// smaller than those of the earlier measurement. With -update, the tables are written.
func TestCorpusTable(t *testing.T) {
	t.Parallel()
	apis := corpus(t)
	text := readDoc(t, "schemas.md")
	for _, p := range corpusProfiles {
		var rows []volume
		for _, a := range apis {
			rows = append(rows, measure(t, a, p))
		}
		for _, r := range rows {
			if bound, ok := trimmed[r.name]; ok && p == schema.Portable && r.input >= bound {
				t.Errorf("%s: the input schemas have %d bytes, at least as many as the %d of the earlier measurement", r.name, r.input, bound)
			}
		}
		table := markdown(rows)
		t.Logf("%v\n%s", p, table)
		text = between(t, text, p.String(), table)
	}
	if *update {
		if err := os.WriteFile("../docs/schemas.md", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if text != readDoc(t, "schemas.md") {
		t.Error("the tables in docs/schemas.md are those of another version: run go test ./bridge -run TestCorpusTable -update")
	}
}

// measure looks at the schemas of all methods, streaming ones included, and at the tools that are offered.
func measure(t *testing.T, a *api, p schema.Profile) volume {
	t.Helper()
	c := compileCatalog(t, corpusSources(t, p, a)...)
	v := volume{name: a.name, methods: len(a.methods), offered: len(c.Tools())}
	for _, m := range a.methods {
		input, output := schemasOf(a.generators[p], m)
		v.add(volume{input: len(input.JSON), output: len(output.JSON), maxInput: len(input.JSON), maxOutput: len(output.JSON)})
	}
	for _, tool := range c.Tools() {
		v.list += definitionBytes(tool)
		if len(tool.Cuts) > 0 {
			v.cut++
		}
	}
	return v
}

func definitionBytes(tool *catalog.Tool) int {
	return len(tool.Definition.AppendJSON(nil, lifecycle.AllFeatures()[0]))
}

// markdown writes the table of one profile. Tokens are a quarter of the bytes.
func markdown(rows []volume) string {
	var b strings.Builder
	b.WriteString("| API | Methods | Offered | Input | Largest | Output | Largest | Cut | Tokens | Earlier | Of it |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	all := volume{name: "all"}
	for _, r := range rows {
		all.add(r)
	}
	for _, r := range append(rows, all) {
		earlier, share := "", ""
		if bound, ok := trimmed[r.name]; ok {
			earlier, share = grouped(bound), fmt.Sprintf("%d %%", 100*r.input/bound)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %d | %s | %s | %s |\n", r.name, grouped(r.methods), grouped(r.offered),
			grouped(r.input), grouped(r.maxInput), grouped(r.output), grouped(r.maxOutput), r.cut, grouped((r.list+3)/4), earlier, share)
	}
	return b.String()
}

// grouped writes a number with commas.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// between puts a text between the markers of its name.
func between(t *testing.T, doc, name, text string) string {
	t.Helper()
	begin, end := "<!-- table "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, ok := strings.Cut(doc, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("docs/schemas.md lacks the markers %s and %s", begin, end)
	}
	return before + begin + text + end + after
}
