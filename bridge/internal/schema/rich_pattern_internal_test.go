package schema

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// patternCases are regular expressions of RE2 and what becomes of them, "" for words.
var patternCases = []struct{ pattern, want string }{
	{`^[a-z]+$`, `^[a-z]+$`},
	{`^projects/[^/]+/topics/[a-z0-9_-]{3,63}$`, `^projects/[^/]+/topics/[a-z0-9_-]{3,63}$`},
	{`^(?:a|b)*?(c)$`, `^(?:a|b)*?(c)$`},
	{`\d+\.\d{2,}`, `\d+\.\d{2,}`},
	{`\bword\b`, `\bword\b`},
	{`\-\_\@\"\/`, `-_@"\/`},
	{`[\w\-.]+[\@\]\[^]`, `[\w\-.]+[@\]\[^]`},
	{`[\w-]`, `[\w-]`},
	{`\x41[\x30-\x39]`, `\x41[\x30-\x39]`},
	{`größe…`, `größe…`},
	{`.*`, `.*`},
	{``, ``},
	{`(?i)abc`, ``},
	{`(?P<name>x)`, ``},
	{`(?<name>x)`, ``},
	{`\pL`, ``},
	{`[\p{Greek}]`, ``},
	{`[[:alpha:]]`, ``},
	{`\Aabc\z`, ``},
	{`\Qa.b\E`, ``},
	{`\C`, ``},
	{`\x{1F600}`, ``},
	{`\07`, ``},
	{`a{,3}`, ``},
	{`}`, ``},
	{`]`, ``},
	{`[]a]`, ``},
	{`[^]a]`, ``},
	{`^*`, ``},
	{`\b+`, ``},
	{`[\w-a]`, ``},
	{`a++`, ``},
	{`(`, ``},
	{`\a`, ``},
}

func TestECMAPattern(t *testing.T) {
	t.Parallel()
	for _, c := range patternCases {
		got, ok := ecmaPattern(c.pattern)
		if got != c.want || ok != (c.want != "" || c.pattern == "") {
			t.Errorf("%s: %q, %v, want %q", c.pattern, got, ok, c.want)
		}
	}
}

// TestECMAPatternMeansTheSame: what is kept of a pattern, escapes taken off, matches what the pattern matched.
func TestECMAPatternMeansTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`([a-c]|\\[-_@./dws]|\[[\^a-c-]{1,3}\\?[-\]d]{1,2}\]?|[*+?^$.|]|\(a\))*`).Draw(t, "pattern")
		got, ok := ecmaPattern(pattern)
		if !ok {
			t.Skip("told in words")
		}
		before, after := regexp.MustCompile(pattern), regexp.MustCompile(got)
		drawn := rapid.StringMatching(`[abc1 ._@/\\^-]*`).Draw(t, "text")
		for _, text := range []string{"", "a", "b-c", "a_b@c", "1./", "abc abc", `\`, "^$", drawn} {
			if before.MatchString(text) != after.MatchString(text) {
				t.Errorf("%s as %s: different for %q", pattern, got, text)
			}
		}
	})
}

// TestECMAPatternCompiles lets a JavaScript engine, where there is one, compile what is called portable.
func TestECMAPatternCompiles(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node in the path")
	}
	wild := rapid.StringMatching(
		`([a-c(){}\[\]]|\\[-_@./dwsb{}\[\]^]|\[\^?[a-c-]{1,3}\\?[-\]dw]{1,3}\]|[*+?^$.|,]|\{[0-9],?\}|\((\?:)?a\))*`)
	var patterns []string
	for i := range 300 {
		patterns = append(patterns, wild.Example(i))
	}
	for _, c := range patternCases {
		patterns = append(patterns, c.pattern)
	}
	var kept []string
	for _, p := range patterns {
		if got, ok := ecmaPattern(p); ok {
			kept = append(kept, got)
		}
	}
	list, err := json.Marshal(kept)
	if err != nil || len(kept) < 50 {
		t.Fatalf("%d patterns: %v", len(kept), err)
	}
	const script = `for (const p of JSON.parse(require('fs').readFileSync(0))) try { new RegExp(p, 'u') } catch (e) { console.log(e.message) }`
	run := exec.CommandContext(t.Context(), node, "-e", script)
	run.Stdin = strings.NewReader(string(list))
	if out, err := run.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
