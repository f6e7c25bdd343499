package schema

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// aside is what stands in parentheses.
var aside = regexp.MustCompile(` \([^()]*\)`)

// A sentence may end without what follows one of these, if it has a good part of its room by then. The more a pause is one
// for readers, the less that has to be.
var (
	pauses   = []string{", ", "; ", ": ", " – ", " - "}
	conjunct = []string{" that ", " which ", " where ", " when ", " if ", " because ", " so that ", " unless ", " before ", " after "}
)

// clause shortens a sentence to a room: without what stands in parentheses, then at the end of a clause, else after a word
// that something can end in.
func clause(sentence string, room int) string {
	if utf8.RuneCountInString(sentence) > room {
		sentence = recleaned(aside.ReplaceAllString(sentence, ""), sentence)
	}
	if utf8.RuneCountInString(sentence) <= room {
		return sentence
	}
	text, cut := strings.CutSuffix(shortened(sentence, room), "…")
	if !cut {
		return text
	}
	end := max(lastOf(text, pauses, room*2/5), lastOf(text, conjunct, room*3/4))
	if end > 0 {
		text = text[:end]
	}
	return hanging(text) + "…"
}

// lastOf returns where the last of some words stands in text, 0 for nowhere after the least number of characters.
func lastOf(text string, words []string, least int) int {
	last := 0
	for _, w := range words {
		last = max(last, strings.LastIndex(text, w))
	}
	if utf8.RuneCountInString(text[:last]) < least {
		return 0
	}
	return last
}

// leading are words that something follows.
var leading = map[string]bool{
	"a": true, "an": true, "the": true, "of": true, "to": true, "for": true, "in": true, "on": true, "by": true, "with": true,
	"from": true, "at": true, "as": true, "and": true, "or": true, "this": true, "that": true, "which": true, "when": true,
	"where": true, "if": true, "is": true, "are": true, "be": true, "its": true, "will": true, "can": true, "like": true,
	"whether": true, "used": true, "into": true, "your": true, "each": true, "it": true,
}

// hanging takes words off the end that something follows.
func hanging(text string) string {
	for {
		at := strings.LastIndexByte(text, ' ')
		if at < 0 || !leading[strings.ToLower(text[at+1:])] {
			return strings.TrimRight(text, ",;:(")
		}
		text = text[:at]
	}
}

// conditional says whether all that is left of a sentence is the condition with which it opens.
func conditional(text string) bool {
	if !strings.HasSuffix(text, "…") || strings.Contains(text, ", ") {
		return false
	}
	opening, _, _ := strings.Cut(text, " ")
	switch opening {
	case "If", "When", "For", "In", "Once", "Where", "Unless":
		return true
	}
	return false
}
