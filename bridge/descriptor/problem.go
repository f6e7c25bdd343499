package descriptor

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problem says what a [Set] lacks and why: one line for whoever runs the bridge.
type Problem struct {
	// Name is the path of a file, the full name of a service, or "comments" for the text of an [Overlay].
	Name string
	// Reason is one sentence without a full stop, at most some 500 bytes, free of control characters although parts of
	// it may be a server's own words.
	Reason string
}

// maxReason is the longest text, in bytes, that is taken over from elsewhere.
const maxReason = 512

func newProblem(name, reason string) Problem {
	return Problem{Name: plain(name), Reason: plain(reason)}
}

// sortedProblems orders by name, then reason, and drops repetitions.
func sortedProblems(problems []Problem) []Problem {
	sorted := slices.SortedFunc(slices.Values(problems), func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Reason, b.Reason))
	})
	return slices.Compact(sorted)
}

// plain makes one printable line of a text that others wrote. It also undoes protobuf-go's habit of starting errors
// with "proto:" and a space that is, depending on the build, a no-break space: two builds of one program have to agree
// on a digest.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
	text = strings.TrimPrefix(strings.TrimSpace(text), "proto: ")
	if len(text) <= maxReason {
		return text
	}
	cut := maxReason
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
