package annotation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence returns the first sentence of a cleaned text with its full stop, or the whole first line where that has no
// sentence end; "" for "". A full stop inside an abbreviation (`e.g.`), a number or a name ends nothing. Where what a colon
// announces is left out, an ellipsis stands for the colon.
func Sentence(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if end := sentenceEnd(line); end > 0 {
		return line[:end]
	}
	return elided(line)
}

// colons are those that announce what follows them.
const colons = ":："

// announces says whether text ends in a colon.
func announces(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(colons, last)
}

// elided puts an ellipsis in the place of a colon that text ends in.
func elided(text string) string {
	if !announces(text) {
		return text
	}
	if text = strings.TrimRight(text, colons+" \n"); text == "" {
		return ""
	}
	return text + "…"
}

// sentenceEnd returns the offset just after the first sentence of a line, 0 when the line has no end of a sentence.
func sentenceEnd(line string) int {
	for i := range len(line) {
		if c := line[i]; c != '.' && c != '!' && c != '?' {
			continue
		}
		end := i + 1
		for end < len(line) && strings.IndexByte(`)"'`+"`", line[end]) >= 0 {
			end++
		}
		if endsHere(line, i, end) {
			return end
		}
	}
	return 0
}

func endsHere(line string, mark, end int) bool {
	if end == len(line) {
		return true
	}
	if line[end] != ' ' || line[mark] == '.' && abbreviation(line[:mark]) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(line[end+1:])
	return !unicode.IsLower(next)
}

// abbreviation says whether the text before a full stop ends in a word that is written with one.
func abbreviation(before string) bool {
	word := before[strings.LastIndexAny(before, " (")+1:]
	switch strings.ToLower(word) {
	case "e.g", "i.e", "vs", "cf", "approx", "incl", "resp", "a.k.a", "eg", "ie", "no", "fig", "sec":
		return true
	}
	return false
}

// Cut shortens a cleaned text to at most limit characters (Unicode code points): at the end of a sentence where that
// keeps at least a third of the limit, else after a word, with an ellipsis. It does not end in a colon, as [Sentence] does
// not. A limit below one gives "".
func Cut(text string, limit int) string {
	text = elided(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	if limit < 1 {
		return ""
	}
	if end := lastSentence(text[:prefix(text, limit+2)], prefix(text, limit)); utf8.RuneCountInString(text[:end]) >= max(limit/3, 1) {
		return text[:end]
	}
	word := text[:prefix(text, limit-1)]
	if at := strings.LastIndexAny(word, " \n"); at > 0 && at > len(word)/2 {
		word = word[:at]
	}
	return strings.TrimRight(word, " \n,;:(") + "…"
}

// prefix returns the length in bytes of the first n characters of text, or the whole length.
func prefix(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// lastSentence returns the offset after the last whole sentence or line of text that ends at or before limit bytes. Text
// has to reach two characters further than that, for what follows a full stop decides about it.
func lastSentence(text string, limit int) int {
	last := 0
	for start := 0; start < limit; {
		line, _, _ := strings.Cut(text[start:], "\n")
		end := sentenceEnd(line)
		if end == 0 {
			end = len(line)
		}
		if start+end > limit {
			break
		}
		if end > 0 && !announces(line[:end]) {
			last = start + end
		}
		start += end
		for start < len(text) && (text[start] == ' ' || text[start] == '\n') {
			start++
		}
		if start >= len(text) {
			break
		}
	}
	return last
}
