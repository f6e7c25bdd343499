package catalog

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// CheckPattern refuses a pattern that could never match. The language is small: `*` stands for any run of characters,
// dots included and none as well, `?` for exactly one; letters, digits, `_` and `.` stand for themselves, letter case
// counting. There is nothing else: no classes, no escapes. A pattern is held against the whole of a full method name.
func CheckPattern(pattern string) error {
	if pattern == "" {
		return fmt.Errorf("pattern %q is empty: write * for every method", pattern)
	}
	if strings.Contains(pattern, "/") {
		return fmt.Errorf("pattern %q has a slash: full method names have dots only, as in library.v1.LibraryService.GetBook", pattern)
	}
	if i := strings.IndexFunc(pattern, foreign); i >= 0 {
		r, _ := utf8.DecodeRuneInString(pattern[i:])
		return fmt.Errorf("pattern %q has a %q: full method names have letters, digits, _ and dots; beside these there is only "+
			"* for any run of characters and ? for one", pattern, r)
	}
	return nil
}

// foreign says whether a character has no place in a pattern.
func foreign(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("_.*?", r)
}

// matches holds a checked pattern against a full name, byte for byte: neither has others than those of ASCII. What stands before
// a `*` is looked for once, as far in front as it can be, for no later place lets more of the rest match: the work grows with the
// name and with the longest run without a `*`, however many there are.
func matches(pattern, name string) bool {
	at, star, from := 0, -1, 0 // from is where in the name the run behind the last star is held
	for i := 0; i < len(name); {
		switch {
		case at < len(pattern) && pattern[at] == '*':
			star, from = at, i
			at++
		case at < len(pattern) && (pattern[at] == '?' || pattern[at] == name[i]):
			at++
			i++
		case star >= 0:
			from++
			at, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[at:], "*") == ""
}

// patterns are checked globs that remember which of them matched.
type patterns struct {
	globs []string
	used  []bool
}

func newPatterns(globs []string) *patterns { return &patterns{globs, make([]bool, len(globs))} }

// match returns the first glob that matches name, and marks all that do.
func (p *patterns) match(name string) (glob string, ok bool) {
	for i, g := range p.globs {
		if !matches(g, name) {
			continue
		}
		if !ok {
			glob, ok = g, true
		}
		p.used[i] = true
	}
	return glob, ok
}

// unused reports the globs that matched nothing: a misspelt one would otherwise offer too much, or nothing, in silence.
func (p *patterns) unused(kind string, source *Source) []Omission {
	var found []Omission
	for i, g := range p.globs {
		if p.used[i] {
			continue
		}
		reason := fmt.Sprintf("this %s pattern matches no method; it is held against full names, as in library.v1.LibraryService.GetBook", kind)
		found = append(found, Omission{Backend: source.Backend.Name(), Method: g, Reason: reason, Kind: Unmatched})
	}
	return found
}
