package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// words yields the words of a text in lower case: runs of letters and digits, those of identifiers one by one. A single
// letter is none, for it is what is left of a contraction. In the scripts of East Asia, which have no blanks, each character
// is a word.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			start := strings.IndexFunc(text, isLetter)
			if start < 0 {
				return
			}
			text = text[start:]
			end := runLength(text)
			if !split(text[:end], yield) {
				return
			}
			text = text[end:]
		}
	}
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// firstIdeograph is the first character of the scripts in which each is a word.
const firstIdeograph = '\u2E80'

// runLength returns the length of the run of letters that text opens with: one letter where each is a word.
func runLength(text string) int {
	for i, r := range text {
		switch {
		case r >= firstIdeograph && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			if i == 0 {
				return utf8.RuneLen(r)
			}
			return i
		case !isLetter(r):
			return i
		}
	}
	return len(text)
}

// split yields the words of a run of letters, and says whether more are wanted.
func split(run string, yield func(string) bool) bool {
	if len(run) == 1 && (run[0] < '0' || run[0] > '9') {
		return true
	}
	if strings.IndexFunc(run[1:], unicode.IsUpper) < 0 || strings.IndexFunc(run, notASCII) >= 0 {
		return yield(strings.ToLower(run))
	}
	for _, word := range annotation.Words(run) {
		if len(word) > 1 && !yield(strings.ToLower(word)) {
			return false
		}
	}
	return true
}

func notASCII(r rune) bool { return r >= utf8.RuneSelf }
