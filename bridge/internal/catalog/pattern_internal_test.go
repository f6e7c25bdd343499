package catalog

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPatternsMeanWhatIsWritten holds matches against the two sentences of CheckPattern, written as a regular
// expression.
func TestPatternsMeanWhatIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab._*?]{1,12}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[ab._]{0,12}`).Draw(t, "name")
		if err := CheckPattern(pattern); err != nil {
			t.Fatal(err)
		}
		spelt := strings.NewReplacer("*", ".*", "?", ".", ".", `\.`).Replace(pattern)
		if want := regexp.MustCompile("^(?:" + spelt + ")$").MatchString(name); matches(pattern, name) != want {
			t.Fatalf("%q on %q: %t", pattern, name, !want)
		}
	})
}

// TestPatternsOfOtherCharacters: whatever is not in the language is refused, and by name.
func TestPatternsOfOtherCharacters(t *testing.T) {
	t.Parallel()
	for r := rune(0); r < 0x250; r++ {
		own := strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.*?", r)
		if err := CheckPattern("x" + string(r)); (err == nil) != own {
			t.Errorf("%q: %v", r, err)
		}
	}
}
