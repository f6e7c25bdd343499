package backend

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// ellipsis marks a text that was cut.
const ellipsis = "…"

// terminalSequence matches the ANSI sequences that colour and move text in terminals.
var terminalSequence = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)?")

// clean makes foreign text fit to be shown to a model on one line of at most limit bytes: valid UTF-8, white space
// collapsed (a line break could otherwise forge a line of ours), and without terminal sequences, what [invisible] names
// and the markup of [neutral].
func clean(s string, limit int) string {
	s = neutral(strip(cut(s, maxReadText)))
	s = strings.Join(strings.Fields(s), " ")
	return cut(s, limit)
}

// maxReadText bounds how much of a foreign text is looked at: 32 KiB, far more than is shown of any.
const maxReadText = 32 << 10

// neutral takes the markup out of a text by which it could pose as somebody's orders to the model, as
// [annotation.Clean] does, and leaves texts without any as they are.
func neutral(s string) string {
	if !strings.ContainsAny(s, "<\uff1c\ufe64[&") {
		return s
	}
	if plain := strings.ContainsAny(html.UnescapeString(s), "<\uff1c\ufe64"); !plain && !strings.Contains(s, "INST]") {
		return s
	}
	return annotation.Clean(s)
}

// strip removes invisible characters and terminal sequences and repairs UTF-8, and keeps everything else in place.
func strip(s string) string {
	if strings.ContainsRune(s, '\x1b') {
		s = terminalSequence.ReplaceAllString(s, "")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case invisible(r):
			return -1
		}
		return r // strings.Map makes U+FFFD of invalid bytes
	}, s)
}

// invisible reports characters that change how text is read without being seen: controls, bidirectional and zero-width
// format characters, tag characters and further code points that are ignored by default, private use and surrogates.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Other_Default_Ignorable_Code_Point) ||
		r >= 0xE0000 && r <= 0xE0FFF
}

// cut shortens s to at most limit bytes at a character's border.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len(ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}

// byteSize writes a number of bytes as people do: "4 MiB", "1.5 KiB", "17 B".
func byteSize(n int) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	size, unit := float64(n), 0
	for size >= 1024 && unit < len(units)-1 {
		size /= 1024
		unit++
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", size), ".0") + " " + units[unit]
}
