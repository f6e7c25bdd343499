package catalog

import (
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
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

// TestPatternsOfManyStars: a run of stars is one, and as many as fit into a filter cost no more than their characters.
func TestPatternsOfManyStars(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("a", 1<<16)
	for pattern, want := range map[string]bool{
		strings.Repeat("*", 256):               true,
		strings.Repeat("*a", 128):              true,
		strings.Repeat("*a", 127) + "*b":       false,
		strings.Repeat("**a?", 64) + "**":      true,
		"b" + strings.Repeat("*", 255):         false,
		strings.Repeat("*", 255) + "b":         false,
		strings.Repeat("a", 128) + "*****b***": false,
	} {
		if matches(pattern, name) != want {
			t.Errorf("%q: %t", pattern, !want)
		}
	}
}

// TestFilterOfServices: a filter is held against each service once, however many methods it has, and a longer one than may be
// against none.
func TestFilterOfServices(t *testing.T) {
	t.Parallel()
	s := selection{Query: Query{Service: "*.v1.*"}, services: map[protoreflect.FullName]bool{}}
	s.services["met.before.Service"] = true
	for service, want := range map[protoreflect.FullName]bool{"a.v1.S": true, "a.v2.S": false, "met.before.Service": true} {
		for range 2 {
			if s.names(service) != want {
				t.Errorf("%s: %t", service, !want)
			}
		}
	}
	if len(s.services) != 3 {
		t.Errorf("met are %v", s.services)
	}
	for n, want := range map[int]bool{MaxServiceFilter: true, MaxServiceFilter + 1: false} {
		if isService(strings.Repeat("*", n), "a.v1.S") != want {
			t.Errorf("%d bytes: %t", n, !want)
		}
	}
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
