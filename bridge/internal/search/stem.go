package search

import (
	"strings"
	"unicode/utf8"
)

// stem takes the endings of English inflection off a word in lower case, and -ion, which makes the noun of a verb, so that
// the forms of a word meet: delete, deletes, deleted, deleting and deletion are all delet. It is light: it would rather leave
// two forms apart than have two words meet. What is no English in ASCII stays as it is, but for endings that look alike.
func stem(word string) string {
	if known, ok := irregular[word]; ok {
		word = known
	}
	if len(word) <= 3 {
		return word
	}
	word = singular(word)
	for _, ending := range []string{"ing", "ied", "ed", "ion"} {
		if rest, ok := strings.CutSuffix(word, ending); ok {
			word = uninflected(rest, ending, word)
			break
		}
	}
	if len(word) > 3 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}

// irregular are plurals and pasts without an ending of the rule.
var irregular = map[string]string{
	"indices": "index", "indexes": "index", "vertices": "vertex", "matrices": "matrix", "corpora": "corpus", "children": "child",
	"people": "person", "aliases": "alias", "statuses": "status", "buses": "bus", "analyses": "analysis", "series": "series",
	"sent": "send", "made": "make", "found": "find", "ran": "run", "wrote": "write", "written": "write", "got": "get", "gave": "give",
	"given": "give", "took": "take", "taken": "take", "kept": "keep", "held": "hold", "left": "leave", "lost": "lose", "built": "build",
	"begun": "begin", "began": "begin", "chosen": "choose", "hidden": "hide", "shown": "show", "known": "know", "bought": "buy",
	"sold": "sell", "paid": "pay", "changing": "change", "using": "use", "used": "use", "uses": "use",
}

// singular takes the ending of a plural, or of a third person, off.
func singular(word string) string {
	switch {
	case !strings.HasSuffix(word, "s"), strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"), strings.HasSuffix(word, "is"):
		return word
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return strings.TrimSuffix(word, "ies") + "y"
	}
	for _, ending := range []string{"sses", "shes", "ches", "xes", "zes"} {
		if strings.HasSuffix(word, ending) {
			return strings.TrimSuffix(word, "es")
		}
	}
	return strings.TrimSuffix(word, "s")
}

// isPlural says whether a word has the ending of a plural, which is also that of a third person.
func isPlural(word string) bool { return len(word) > 3 && singular(word) != word }

// uninflected returns what is left of a word without its ending, or the word, where too little is left to be one.
func uninflected(rest, ending, word string) string {
	switch {
	case !strings.ContainsAny(rest, "aeiouy"), len(rest) < 3, ending == "ion" && (len(rest) < 4 || !strings.HasSuffix(rest, "t")):
		return word
	case ending == "ied":
		return rest + "y"
	case strings.HasSuffix(rest, "e") && ending == "ed": // agreed
		return rest + "e"
	}
	if n := len(rest); n > 3 && rest[n-1] < utf8.RuneSelf && rest[n-1] == rest[n-2] && !keepsDouble(rest[n-1]) {
		return rest[:n-1] // stopped, running
	}
	return rest
}

// keepsDouble says whether a letter that stands twice at the end of a word is so without an ending: call, pass, buzz, see.
func keepsDouble(letter byte) bool { return strings.IndexByte("lszaeiou", letter) >= 0 }
