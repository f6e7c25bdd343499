package bridge_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/internal/lint"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// shopProto has something to find in each of its methods.
const shopProto = `syntax = "proto3";
package shop.v1;
import "bridge/v1/annotations.proto";
service ShopService {
  // Buys what lies in the basket, and empties it.
  rpc Buy(Order) returns (Receipt) {
    option idempotency_level = IDEMPOTENT;
    option (bridge.v1.method).tool.name = "shop_which_some_clients_cut_before_it_is_told_a";
  }
  // Looks up one thing by its code.
  rpc Look(Order) returns (Receipt) { option (bridge.v1.method).tool.name = "shop_which_some_clients_cut_before_it_is_told_b"; }
  // Shows what was bought last.
  rpc Show(Order) returns (Receipt) {
    option idempotency_level = NO_SIDE_EFFECTS;
    option (bridge.v1.method).close_stream_after = {};
  }
  // Waits for the bell.
  rpc Wait(Order) returns (Receipt) { option (bridge.v1.method).required_capabilities = "patience"; }
}
message Order {}
message Receipt { string access_token = 1; }
`

func inspectShop(t *testing.T, opts ...bridge.Option) *bridge.Report {
	t.Helper()
	report, err := bridge.Inspect(t.Context(), []bridge.Backend{{
		Name: "shop", Descriptors: noteFiles(t, shopProto), Hide: []string{"no.Such"},
		Tools: map[string]*bridgev1.Tool{"shop.v1.ShopService.Show": {Name: "s.how"}},
	}}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestLint: what is found stands under its tool and method, errors first, and what is not offered is found too.
func TestLint(t *testing.T) {
	t.Parallel()
	r := bridge.Lint(inspectShop(t))
	var got []string
	for _, f := range r.Findings {
		if f.Reason == "" || f.Mend == "" || f.Backend != "shop" {
			t.Errorf("finding %+v", f)
		}
		got = append(got,
			strings.Join([]string{string(f.Severity), strings.TrimPrefix(f.Method, "shop.v1.ShopService."), f.Tool, f.Rule, f.Where}, " "))
	}
	want := []string{
		"error Look  withheld ",
		"warning no.Such  nothing-matches ",
		"warning Show  option-ignored ",
		"warning Wait  not-offered ",
		"warning Show  option-ignored ",
		"warning Show shop_show secret-result outputSchema",
		"warning Buy shop_which_some_clients_cut_before_it_is_told_a name-long name",
		"warning Buy shop_which_some_clients_cut_before_it_is_told_a secret-result outputSchema",
	}
	order := slices.Clone(got[1:])
	slices.Sort(order)
	slices.Sort(want[1:])
	if diff := cmp.Diff(want, append(got[:1:1], order...)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if r.Errors != 1 || r.Warnings != 7 || r.Tools != 2 || r.Tokens < 100 {
		t.Errorf("%d errors, %d warnings, %d tools, %d tokens", r.Errors, r.Warnings, r.Tools, r.Tokens)
	}
}

// TestLintJSON: the JSON of a report is the contract of `bridge lint -o json`; it is the same each time, and has a list where
// nothing is found.
func TestLintJSON(t *testing.T) {
	t.Parallel()
	first, err := json.Marshal(bridge.Lint(inspectShop(t)))
	if err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(bridge.Lint(inspectShop(t)))
	if !bytes.Equal(first, again) {
		t.Errorf("a second run gives other bytes:\n%s\n%s", first, again)
	}
	if !strings.HasPrefix(string(first),
		`{"findings":[{"severity":"error","method":"shop.v1.ShopService.Look","backend":"shop","rule":"withheld","reason":"`) ||
		!regexp.MustCompile(`\],"errors":1,"warnings":7,"tools":2,"tokens":\d+\}$`).Match(first) {
		t.Errorf("JSON %s", first)
	}
	nothing, err := bridge.Inspect(t.Context(), []bridge.Backend{{
		Descriptors: noteFiles(t, ruledProto), Hide: []string{"*"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	empty, _ := json.Marshal(bridge.Lint(nothing))
	if string(empty) != `{"findings":[],"errors":0,"warnings":0,"tools":0,"tokens":0}` {
		t.Errorf("nothing: %s", empty)
	}
}

// ruledProto has one rule that does not compile beside one that does.
const ruledProto = `syntax = "proto3";
package ruled.v1;
import "buf/validate/validate.proto";
service RuledService {
  // Buys one thing, or several of a kind.
  rpc Buy(Order) returns (Order) { option idempotency_level = IDEMPOTENT; }
}
message Order {
  // How many.
  int32 count = 1 [(buf.validate.field).int32.gt = 0,
    (buf.validate.field).cel = {id: "even" message: "has to be even" expression: "thys % 2 == 0"}];
}
`

// TestLintBrokenRules: a rule that does not compile is found with its method, its field and the words of the compiler, unless the
// rules are left to the backend.
func TestLintBrokenRules(t *testing.T) {
	t.Parallel()
	for _, skip := range []bool{false, true} {
		report, err := bridge.Inspect(t.Context(), []bridge.Backend{{Descriptors: noteFiles(t, ruledProto), SkipRules: skip}})
		if err != nil {
			t.Fatal(err)
		}
		var found []bridge.Finding
		for _, f := range bridge.Lint(report).Findings {
			if f.Rule == "rule-broken" {
				found = append(found, f)
			}
		}
		if skip != (len(found) == 0) {
			t.Fatalf("rules left to the backend: %v, found %+v", skip, found)
		}
		for _, f := range found {
			if len(found) != 1 || f.Method != "ruled.v1.RuledService.Buy" || f.Severity != bridge.SeverityWarning ||
				!strings.Contains(f.Reason, "ruled.v1.Order.count: ") || !strings.Contains(f.Reason, "thys") {
				t.Errorf("found %+v", found)
			}
		}
	}
}

// TestListed: with the mode search a report says what clients are listed in place of the tools.
func TestListed(t *testing.T) {
	t.Parallel()
	tools, searching := inspectShop(t), inspectShop(t, bridge.WithMode(bridge.ModeSearch))
	if tools.Listed != 0 || tools.ListedTokens != 0 {
		t.Errorf("in the mode tools: %d, %d tokens", tools.Listed, tools.ListedTokens)
	}
	if searching.Listed != 3 || searching.ListedTokens < 300 || searching.ListedTokens > 3000 {
		t.Errorf("in the mode search: %d, %d tokens", searching.Listed, searching.ListedTokens)
	}
}

// manyProto declares so many methods.
func manyProto(n int) string {
	var b strings.Builder
	b.WriteString("syntax = \"proto3\"; package many.v1; message Nothing {} service ManyService {\n")
	for i := range n {
		b.WriteString("rpc Do" + string(rune('A'+i/26)) + string(rune('a'+i%26)) + "(Nothing) returns (Nothing);\n")
	}
	return b.String() + "}"
}

// TestCrowded: a list of more than 40 tools is told of when the catalog is compiled, and by the report; with the mode search
// there is no such list.
func TestCrowded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		tools int
		mode  bridge.Mode
		want  bool
	}{{"40", 40, bridge.ModeTools, false}, {"41", 41, bridge.ModeTools, true}, {"41 to be found", 41, bridge.ModeSearch, false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			b := newBridge(t, []bridge.Backend{{Conn: noConn{}, Descriptors: noteFiles(t, manyProto(tt.tools))}},
				bridge.WithMode(tt.mode), bridge.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			tokens, crowded := b.Report().Crowded()
			if crowded != tt.want || tokens < 10*tt.tools {
				t.Errorf("crowded %v, %d tokens", crowded, tokens)
			}
			if got := strings.Contains(log.String(), "models choose worse"); got != tt.want {
				t.Errorf("log:\n%s", log.String())
			}
			found := slices.ContainsFunc(bridge.Lint(b.Report()).Findings, func(f bridge.Finding) bool { return f.Rule == "too-many-tools" })
			if found != tt.want {
				t.Errorf("too-many-tools found: %v", found)
			}
		})
	}
}

// TestRulesAreDocumented: docs/lint.md has every rule there is in its table, and no other.
func TestRulesAreDocumented(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("lint.go")
	if err != nil {
		t.Fatal(err)
	}
	known := map[lint.Severity][]string{lint.Error: {"withheld", "report-incomplete"}}
	rule := regexp.MustCompile(`(?:\{SeverityWarning, |const rule(?:Broken|Reserved) = )"([a-z-]+)"`)
	for _, m := range rule.FindAllStringSubmatch(string(source), -1) {
		known[lint.Warning] = append(known[lint.Warning], m[1])
	}
	for _, r := range lint.Rules() {
		known[r.Severity] = append(known[r.Severity], r.ID)
	}
	failures, warnings, _ := strings.Cut(readDoc(t, "lint.md"), "\n## Warnings\n")
	for severity, text := range map[lint.Severity]string{lint.Error: failures, lint.Warning: warnings} {
		var told []string
		for _, row := range regexp.MustCompile("(?m)^(?:\\| (`.*?`) \\||(`[a-z-]+`) stands for)").FindAllStringSubmatch(text, -1) {
			for _, m := range regexp.MustCompile("`([a-z0-9-]+)`").FindAllStringSubmatch(row[1]+row[2], -1) {
				told = append(told, m[1])
			}
		}
		slices.Sort(told)
		slices.Sort(known[severity])
		if diff := cmp.Diff(known[severity], told); diff != "" {
			t.Errorf("%ss (-code +docs):\n%s", severity, diff)
		}
	}
}
