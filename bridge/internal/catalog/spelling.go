package catalog

import (
	"slices"
	"strings"
)

// spellings are the tools by how they can be written, so that a name that no tool has is not held against each of them.
type spellings struct {
	letters  map[string][]*Tool // by the letters of their names
	initials map[string][]*Tool // by the first letters of the words of their names
	methods  map[string][]*Tool // by the words of their methods' simple names
	full     map[string][]*Tool // by the first letters of the words of their methods' full names
}

// spell indexes tools.
func spell(tools []*Tool) *spellings {
	s := &spellings{letters: map[string][]*Tool{}, initials: map[string][]*Tool{}, methods: map[string][]*Tool{}, full: map[string][]*Tool{}}
	for _, t := range tools {
		name, method := words(t.Definition.Name), strings.Join(words(string(t.Method.Name())), " ")
		letters, first, full := strings.Join(name, ""), initials(name), initials(words(string(t.Method.FullName())))
		s.letters[letters] = append(s.letters[letters], t)
		s.initials[first] = append(s.initials[first], t)
		s.methods[method] = append(s.methods[method], t)
		s.full[full] = append(s.full[full], t)
	}
	return s
}

// initials are the first letters of words, which are not empty.
func initials(words []string) string {
	letters := make([]byte, len(words))
	for i, w := range words {
		letters[i] = w[0]
	}
	return string(letters)
}

// respelt returns the tools whose names have the letters of the given words, divided otherwise.
func (s *spellings) respelt(given []string) []*Tool {
	if len(given) == 0 {
		return nil
	}
	return s.letters[strings.Join(given, "")]
}

// tailOf returns the tools of whose full method names given are the last words, those of the method itself at least.
func (s *spellings) tailOf(given []string) []*Tool {
	var found []*Tool
	for from := range given {
		for _, t := range s.methods[strings.Join(given[from:], " ")] {
			full := words(string(t.Method.FullName()))
			if at := len(full) - len(given); at >= 0 && slices.Equal(full[at:], given) {
				found = append(found, t)
			}
		}
	}
	return found
}

// slipped returns the tools whose names have the given words, but for a slip in one or more of them. No slip is in the first
// letter of a word.
func (s *spellings) slipped(given []string) []*Tool {
	var found []*Tool
	for _, t := range s.initials[initials(given)] {
		if len(given) > 0 && slices.EqualFunc(given, words(t.Definition.Name), same) {
			found = append(found, t)
		}
	}
	return found
}

// same says whether one word can be meant by another.
func same(wrong, right string) bool { return wrong == right || slip(wrong, right) }

// slippedFull is [spellings.slipped] for full method names.
func (s *spellings) slippedFull(given []string) []*Tool {
	var found []*Tool
	for _, t := range s.full[initials(given)] {
		if slices.EqualFunc(given, words(string(t.Method.FullName())), same) {
			found = append(found, t)
		}
	}
	return found
}

// shortestSlip is the length, in bytes, up to which one letter makes another word: get and set, v1 and v2.
const shortestSlip = 3

// slip says whether a word, which is not empty, can be meant by another: one letter too many, too few or wrong, or two
// neighbours swapped, not at the start, where it makes an opposite (lock and unlock, import and export), and not from
// one verb to another.
func slip(wrong, right string) bool {
	if max(len(wrong), len(right)) <= shortestSlip || wrong[0] != right[0] || slices.Contains(verbs, wrong) {
		return false
	}
	wrong, right = differing(wrong, right)
	if strings.ContainsAny(wrong+right, "0123456789") {
		return false
	}
	swapped := len(wrong) == 2 && len(right) == 2 && wrong[0] == right[1] && wrong[1] == right[0]
	return swapped || len(wrong) <= 1 && len(right) <= 1
}

// differing returns what is left of two words without the start and the end that they share.
func differing(a, b string) (restOfA, restOfB string) {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// verbs are words of methods that are one letter from others: no slips, whatever they resemble.
var verbs = []string{
	"cast", "clean", "clear", "clone", "close", "copy", "count", "fail", "file", "fill", "find", "fire", "hide", "hire", "hold", "host",
	"join", "lend", "link", "list", "load", "lock", "look", "mark", "mask", "merge", "move", "parse", "patch", "pause", "play", "post",
	"print", "pull", "push", "read", "recover", "reject", "relay", "remote", "remove", "renew", "replay", "reply", "report", "request",
	"reset", "resize", "restart", "restore", "resume", "retry", "revert", "review", "revoke", "save", "seal", "select", "sell", "send",
	"show", "sign", "start", "stat", "stop", "swap", "tail", "take", "test", "turn", "unlink", "unload", "unlock", "update", "upgrade",
	"upload", "wait", "wipe", "write",
}
