package schema

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, sentence string
		room           int
		want           string
	}{
		{"fits", "Names the shelf (by its number).", 40, "Names the shelf (by its number)."},
		{"what stands in parentheses", "The time (on a best-effort basis) for which a book is lent.", 40, "The time for which a book is lent."},
		{"end of a clause", "The number of all books, counted over every branch and shelf.", 40, "The number of all books…"},
		{"a clause that is too short", "If set, every branch and every shelf is counted too.", 40, "If set, every branch and every shelf…"},
		{
			"before a conjunction",
			"Whether to look for the book in a cellar that is not open to readers.", 48,
			"Whether to look for the book in a cellar…",
		},
		{
			"a conjunction that is too early",
			"A policy that tells how long each reader may keep a book of the shelf.", 40,
			"A policy that tells how long…",
		},
		{
			"words that something follows",
			"Gets all the books that stand on each of the shelves in the house.", 44,
			"Gets all the books that stand…",
		},
		{
			"what the removal of parentheses lets appear", "A word on < (an aside)system> that goes on for longer than there is room.", 44,
			"A word on {system} that goes on for longer…",
		},
		{"other scripts", "Größe des ältesten Buches, über alle Regale gezählt und gewogen.", 40, "Größe des ältesten Buches…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := clause(c.sentence, c.room); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestShortened(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		room       int
		want       string
	}{
		{"fits", "Lends (for a while) a `book`.", 40, "Lends (for a while) a `book`."},
		{"parentheses", "Lends a book of the shelf (to whoever asks for it first).", 40, "Lends a book of the shelf…"},
		{"parentheses within", "Lends a book of the shelf (to (nearly) all who ask for it first).", 50, "Lends a book of the shelf…"},
		{"a sentence within", "Lends a book of the shelf (to all. Or none of those who ask for it).", 40, "Lends a book of the shelf…"},
		{"backticks", "Lends a book by its name, as in `shelves/front cover/books/1 of 2`.", 56, "Lends a book by its name…"},
		{"parentheses in backticks", "Calls `lend(` and whatever else there is on the shelf.", 40, "Calls `lend(` and whatever else there…"},
		{"too early", "Lends (to whoever asks for it first, or else to nobody at all).", 40, "Lends (to whoever asks for it first…"},
		{"ended before", "Lends (a book) of the shelf to whoever asks for it first.", 40, "Lends (a book) of the shelf to whoever…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := shortened(c.text, c.room); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestClauseKeepsToItsRoom holds for any text, and that a shortened one says that it is.
func TestClauseKeepsToItsRoom(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"the", "of", "a", "Größe", "(book)", "(", "shelf,", "that", ";", "…", "reader.", "if", "-", "when"})
	rapid.Check(t, func(t *rapid.T) {
		sentence := strings.Join(rapid.SliceOfN(word, 0, 30).Draw(t, "words"), " ")
		room := rapid.IntRange(8, 160).Draw(t, "room")
		if short := shortened(sentence, room); utf8.RuneCountInString(short) > room {
			t.Fatalf("%q has more than %d characters", short, room)
		}
		got := clause(sentence, room)
		if utf8.RuneCountInString(got) > room {
			t.Fatalf("%q has more than %d characters", got, room)
		}
		if whole := aside.ReplaceAllString(sentence, ""); got != sentence && got != whole && !strings.HasSuffix(got, "…") && !ended(got) {
			t.Fatalf("%q does not say that something follows it in %q", got, sentence)
		}
	})
}

func TestConditional(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"If a book is lent…":             true,
		"When it comes back…":            true,
		"If a book is lent, its reader…": false,
		"If a book is lent.":             false,
		"Books that are lent…":           false,
		"":                               false,
	} {
		if got := conditional(text); got != want {
			t.Errorf("conditional(%q) = %t", text, got)
		}
	}
}
