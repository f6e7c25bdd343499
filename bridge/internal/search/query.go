package search

import (
	"slices"
	"strings"
)

// most is how many words of a query are read.
const most = 24

// term is a word of a query. aside says that it comes after a preposition, and so is about where, when or whose the wanted
// thing is.
type term struct {
	word  string
	aside bool
}

// parse returns the words of a query without stop words and repetitions; with them where there are no others. A verb of two
// words is that of one word which means the same.
func parse(query string) []term {
	all := read(query)
	var said []term
	aside := false
	for _, t := range all {
		aside = aside || len(said) > 1 && prepositions[t.word]
		if !stopWords[t.word] && !slices.ContainsFunc(said, func(o term) bool { return o.word == t.word }) {
			said = append(said, term{t.word, aside})
		}
	}
	if len(said) == 0 {
		return slices.Compact(all)
	}
	return said
}

// read returns the words of a query, as many as are read.
func read(query string) []term {
	var all []term
	for word := range words(query) {
		if len(all) == most {
			break
		}
		if n := len(all); n > 0 {
			if meant := phrases[stem(all[n-1].word)+" "+word]; meant != "" {
				all[n-1].word = meant
				continue
			}
		}
		all = append(all, term{word: word})
	}
	return all
}

// group is a word of a query with all that can stand for it.
type group struct {
	members []member
	// worth is how much the word counts beside the others.
	worth float32
	// plural says that it was asked for in the plural.
	plural bool
}

// member is a word of the index that stands for one of a query, and how surely.
type member struct {
	word  int32
	share float32
}

// The shares of words that are not the one that was asked for, but mean the same, begin with it, or are it but for a slip;
// and the worth of a word that only says what sort of answer, or of thing, is wanted, of a verb that many methods have, and the
// part of it that a word has which is said aside.
const (
	shareSynonym = 0.65
	sharePrefix  = 0.6
	shareSlip    = 0.7
	shareJoined  = 0.9
	worthHint    = 0.25
	worthVerb    = 0.8
	worthAside   = 0.6
)

// groups looks the words of a query up.
func (x *Index) groups(asked []term) []group {
	asked = x.divided(asked)
	list := make([]group, 0, len(asked))
	for i, t := range asked {
		g := group{members: x.meant(t.word), worth: t.worth(), plural: isPlural(t.word)}
		if i+1 < len(asked) {
			g.members = x.include(g.members, t.word+asked[i+1].word, shareJoined)
		}
		if i > 0 {
			g.members = x.include(g.members, asked[i-1].word+t.word, shareJoined)
		}
		if len(g.members) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// worth is how much a word counts beside the others.
func (t term) worth() float32 {
	worth := float32(1)
	switch {
	case hints[t.word] || questions[t.word]:
		worth = worthHint
	case intents[stem(t.word)] != 0:
		worth = worthVerb
	}
	if t.aside {
		worth *= worthAside
	}
	return worth
}

// meant returns what stands for a word. Only for one that the index does not have, and of which it has no synonym either, is
// anything guessed.
func (x *Index) meant(word string) []member {
	members := x.include(nil, word, 1)
	for _, other := range synonyms[stem(word)] {
		members = x.include(members, other, shareSynonym)
	}
	if len(members) > 0 {
		return members
	}
	if members = x.beginning(word); len(members) > 0 {
		return members
	}
	return x.slipped(word)
}

// has says whether the index has a word or a synonym of it.
func (x *Index) has(word string) bool {
	known := func(word string) bool { _, ok := x.words[stem(word)]; return ok }
	return known(word) || slices.ContainsFunc(synonyms[stem(word)], known)
}

// include adds a word if the index has it and it is not among the members.
func (x *Index) include(members []member, word string, share float32) []member {
	n, ok := x.words[stem(word)]
	if !ok || slices.ContainsFunc(members, func(m member) bool { return m.word == n }) {
		return members
	}
	return append(members, member{n, share})
}

// shortestHalf is the length, in bytes, of the shortest word that is found inside another.
const shortestHalf = 3

// divided returns the words with those divided that the index does not have and that are two of its words: what is one word to
// the one who asks may be two here.
func (x *Index) divided(asked []term) []term {
	list := make([]term, 0, len(asked))
	for _, t := range asked {
		for _, word := range x.halves(t.word) {
			list = append(list, term{word, t.aside})
		}
	}
	return list
}

// halves returns the two words that a word is made of, or the word.
func (x *Index) halves(word string) []string {
	if x.has(word) {
		return []string{word}
	}
	for i := shortestHalf; i <= len(word)-shortestHalf; i++ {
		_, left := x.words[stem(word[:i])]
		_, right := x.words[stem(word[i:])]
		if left && right {
			return []string{word[:i], word[i:]}
		}
	}
	return []string{word}
}

// The shortest beginning of a word that is looked up, in bytes, and how many words with it are taken.
const (
	shortestPrefix = 3
	mostPrefixed   = 24
)

// beginning returns the words that begin with an incomplete one.
func (x *Index) beginning(word string) []member {
	if len(word) < shortestPrefix {
		return nil
	}
	var members []member
	for i, _ := slices.BinarySearch(x.sorted, word); i < len(x.sorted) && len(members) < mostPrefixed; i++ {
		if len(x.sorted[i]) < len(word) || x.sorted[i][:len(word)] != word {
			break
		}
		members = append(members, member{x.words[x.sorted[i]], sharePrefix})
	}
	return members
}

// The shortest word in which a slip is looked for, in bytes, and how many words it is taken for.
const (
	shortestSlip = 4
	mostSlipped  = 8
)

// slipped returns the words that differ by one slip of the pen: a letter too many, too few or wrong, or two neighbours
// swapped. The first letter is taken to be right, so that no more than the words with it are compared. The reverse of a known
// word (unload) is no slip: what comes close to it (upload) is not what was meant.
func (x *Index) slipped(word string) []member {
	var members []member
	if len(word) < shortestSlip {
		return nil
	}
	if rest, ok := strings.CutPrefix(word, "un"); ok && x.has(rest) {
		return nil
	}
	wrong := stem(word)
	for i, _ := slices.BinarySearch(x.sorted, wrong[:1]); i < len(x.sorted) && len(members) < mostSlipped; i++ {
		right := x.sorted[i]
		if right[0] != wrong[0] {
			break
		}
		if isSlip(wrong, right) || isSlip(word, right) {
			members = append(members, member{x.words[right], shareSlip})
		}
	}
	return members
}

// isSlip says whether two words, which are not empty, differ by one slip.
func isSlip(a, b string) bool {
	if len(b) < shortestSlip-1 || len(a) > len(b)+1 || len(b) > len(a)+1 {
		return false
	}
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return swapped || len(a) <= 1 && len(b) <= 1
}
