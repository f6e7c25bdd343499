package search

import "strings"

// trait is what a method is, whatever is asked.
type trait struct {
	intent     intent
	superseded bool
	streams    bool
}

// factor is what the traits of a document make of its score for a query that asks for some sort of effect.
func (t trait) factor(asked intent) float32 {
	factor := float32(1)
	if t.superseded {
		factor -= superseded
	}
	if t.streams {
		factor -= streamed
	}
	switch {
	case asked == 0 || t.intent == 0:
		return factor
	case asked == t.intent:
		return factor * (1 + fitting)
	}
	return factor * (1 - contrary)
}

// intent is the sort of effect that a verb has; 0 if it is of none, or of several.
type intent int

// intentOf returns that of the verb of a method's name, which is its first word or, where the thing is named before, the last.
func intentOf(method string) intent {
	var first, last string
	for word := range words(method) {
		if first == "" {
			first = word
		}
		last = word
	}
	if found := intents[stem(first)]; found != 0 {
		return found
	}
	return intents[stem(last)]
}

// intentOfQuery returns that of the word that a query opens with.
func intentOfQuery(asked []term) intent { return intents[stem(asked[0].word)] }

// isSuperseded says whether a method is deprecated, or of an alpha or beta version of its package.
func isSuperseded(d *Document) bool {
	if strings.HasPrefix(d.Description, "Deprecated") {
		return true
	}
	for part := range strings.SplitSeq(d.Method, ".") {
		if isVersion(part) && (strings.Contains(part, "alpha") || strings.Contains(part, "beta")) {
			return true
		}
	}
	return false
}

// isVersion says whether a part of a package's name is that of a version: v1, v1beta2.
func isVersion(part string) bool {
	return len(part) > 1 && part[0] == 'v' && part[1] >= '0' && part[1] <= '9'
}
