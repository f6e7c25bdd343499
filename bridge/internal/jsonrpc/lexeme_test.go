package jsonrpc_test

import (
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

func TestNumberLength(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "-": 0, "a": 0, "+1": 0, ".5": 0, "1.": 0, "1e": 0, "1e+": 0, "-.1": 0, "-a": 0,
		"0": 1, "01": 1, "-0": 2, "12,": 2, "1.50]": 4, "-1.5e-10 ": 8, "1E5}": 3, "7x": 1,
	} {
		if got := jsonrpc.NumberLength([]byte(text)); got != want {
			t.Errorf("%q begins with a number of %d bytes, want %d", text, got, want)
		}
	}
}

func TestPlainLength(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "abc": 3, `abcdefghijk"`: 11, `abcdefgh\n`: 8, "abc\x1f": 3, "abcdefghiü": 9, "\xff": 0, "a\x7fb": 3,
	} {
		if got := jsonrpc.PlainLength([]byte(text)); got != want {
			t.Errorf("%q begins with %d plain bytes, want %d", text, got, want)
		}
	}
}

func TestUnescape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		r    rune
		size int
	}{
		`\n"`: {'\n', 2}, `\/`: {'/', 2}, `\u0041b`: {'A', 6}, `\ud83d\ude00`: {'😀', 12}, `\b`: {'\b', 2},
		`\`: {}, `\x`: {}, `\u00`: {}, `\ud83d`: {}, `\ud83dxxxxxx`: {}, `\ude00\ud83d`: {}, `a`: {}, "": {},
	} {
		if r, size := jsonrpc.Unescape([]byte(text)); r != want.r || size != want.size {
			t.Errorf("%q opens with %q of %d bytes, want %q of %d", text, r, size, want.r, want.size)
		}
	}
}
