package jsonrpc_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// TestClip cuts texts at, before and within a character.
func TestClip(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		n          int
		want       string
	}{
		{"short", "abc", 5, "abc"},
		{"as long as may be", "abcde", 5, "abcde"},
		{"one byte more", "abcdef", 5, "ab…"},
		{"as long as may be, in bytes", "éé", 4, "éé"},
		{"within a character", "aéé", 4, "a…"},
		{"before a character", "aaéé", 5, "aa…"},
		{"room for the mark alone", "abcdef", 3, "…"},
		{"not UTF-8", "\x80\x80\x80\x80\x80", 4, "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := jsonrpc.Clip(tt.text, tt.n); got != tt.want {
				t.Errorf("Clip(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
			}
		})
	}
}

// TestClipAny holds for any text: it stays within the bound, stays UTF-8, and
// is a beginning.
func TestClipAny(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, n := rapid.String().Draw(t, "text"), rapid.IntRange(3, 40).Draw(t, "n")
		got := jsonrpc.Clip(text, n)
		if len(got) > n || !utf8.ValidString(got) || got != text && !strings.HasPrefix(text, strings.TrimSuffix(got, "…")) {
			t.Fatalf("Clip(%q, %d) = %q", text, n, got)
		}
		if got != text && len(text) <= n {
			t.Fatalf("Clip(%q, %d) = %q, which was not needed", text, n, got)
		}
	})
}

// TestEcho repeats 128 bytes at most.
func TestEcho(t *testing.T) {
	t.Parallel()
	if got := jsonrpc.Echo(strings.Repeat("é", 64)); got != strings.Repeat("é", 64) {
		t.Errorf("128 bytes became %q", got)
	}
	if got := jsonrpc.Echo(strings.Repeat("é", 65)); got != strings.Repeat("é", 62)+"…" {
		t.Errorf("130 bytes became %q", got)
	}
}
