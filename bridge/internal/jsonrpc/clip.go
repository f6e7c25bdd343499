package jsonrpc

import "unicode/utf8"

// maxEcho bounds, in bytes, how much of a peer's own text an error repeats.
const maxEcho = 128

// Echo returns what an error message repeats of a peer's own text, such as a
// name that is unknown: at most 128 bytes of it, cut as by [Clip].
func Echo(text string) string { return Clip(text, maxEcho) }

// Clip returns text if it has at most n bytes, and otherwise as much of its
// beginning, up to the edge of a character, as makes n bytes together with the
// "…" that then follows. n is at least 3, the length of that mark.
func Clip(text string, n int) string {
	const mark = "…"
	if len(text) <= n {
		return text
	}
	end := n - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
