package jsonrpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// spell writes text as a JSON string literal, each character plain or escaped
// as drawn.
func spell(t *rapid.T, text string) string {
	const digits = "0123456789abcdefABCDEF"
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		plain := string(jsonrpc.AppendString(nil, string(r)))
		plain = plain[1 : len(plain)-1]
		if r > 0xFFFF || rapid.Bool().Draw(t, "plain") {
			out.WriteString(plain)
			continue
		}
		out.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			out.WriteByte(digits[r>>shift&0xF])
		}
	}
	out.WriteByte('"')
	return out.String()
}

// TestAppendString writes single strings, byte for byte.
func TestAppendString(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"empty", "", `""`},
		{"plain", "tools/call", `"tools/call"`},
		{"quotes and backslashes", `a"b\c`, `"a\"b\\c"`},
		{"short escapes", "\n\r\t", `"\n\r\t"`},
		{"other control characters", "\x00\b\f\x1b\x1f", `"\u0000\u0008\u000c\u001b\u001f"`},
		{"not escaped", "\x7f</script>&\u2028\u2029é😀", `"` + "\x7f</script>&\u2028\u2029é😀" + `"`},
		{"invalid UTF-8", "a\xffb\xe2\x82c\xed\xa0\x80", `"a` + "\uFFFDb\uFFFD\uFFFDc\uFFFD\uFFFD\uFFFD" + `"`},
		{"replacement character itself", "\uFFFD", `"` + "\uFFFD" + `"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(jsonrpc.AppendString([]byte("x="), tt.in)); got != "x="+tt.want {
				t.Errorf("got %s, want x=%s", got, tt.want)
			}
		})
	}
}

// TestAppendStringProperty compares with encoding/json, which reads the literal
// back, and which replaces invalid UTF-8 in the same way.
func TestAppendStringProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "string")
		literal := jsonrpc.AppendString(nil, text)
		theirs, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		if err := json.Unmarshal(theirs, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(literal, &got); err != nil || got != want {
			t.Fatalf("%q reads back as %q, %v; want %q", literal, got, err, want)
		}
		if ours, ok := jsonrpc.Unquote(literal); !ok || ours != want {
			t.Fatalf("Unquote(%q) = %q, %v; want %q", literal, ours, ok, want)
		}
	})
}

// TestAppendQuotedProperty escapes valid text and reads it back.
func TestAppendQuotedProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "times"))
		quoted := jsonrpc.AppendQuoted([]byte("x"), []byte(text))
		if got, ok := jsonrpc.Unquote(quoted[1:]); !ok || got != text {
			t.Fatalf("Unquote(%q) = %q, %v", quoted, got, ok)
		}
		cut := len(text) / 2
		parts := jsonrpc.AppendEscaped(jsonrpc.AppendEscaped([]byte(`x"`), []byte(text[:cut])), []byte(text[cut:]))
		if string(parts)+`"` != string(quoted) {
			t.Fatalf("in parts %q, at once %q", parts, quoted)
		}
	})
}

// TestAppendQuotedText writes a result's text block.
func TestAppendQuotedText(t *testing.T) {
	t.Parallel()
	const text = "{\n\t\"title\": \"Ged \\\"Sparrowhawk\\\"\", \"n\": 1}"
	const want = `"{\n\t\"title\": \"Ged \\\"Sparrowhawk\\\"\", \"n\": 1}"`
	if got := string(jsonrpc.AppendQuoted(nil, []byte(text))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	control := strings.Repeat("\x01", 1000)
	if got := string(jsonrpc.AppendQuoted(nil, []byte(control))); got != `"`+strings.Repeat(`\u0001`, 1000)+`"` {
		t.Errorf("control characters are quoted as %s", got)
	}
	if got := string(jsonrpc.AppendQuoted(nil, nil)); got != `""` {
		t.Errorf("nothing is quoted as %s", got)
	}
}

// TestUnquote reads literals of every spelling.
func TestUnquote(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in, want string
		ok       bool
	}{
		{`""`, "", true},
		{`"abc"`, "abc", true},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", true},
		{`"\u0041\u00E9\u20aC\ud83D\uDe00!"`, "Aé€😀!", true},
		{"\"\uFFFD\\ufffd\"", "\uFFFD\uFFFD", true},
		{``, "", false},
		{`"`, "", false},
		{`"a`, "", false},
		{`"a" `, "", false},
		{` "a"`, "", false},
		{`"a"b"`, "", false},
		{`7`, "", false},
		{`null`, "", false},
		{`["a"]`, "", false},
		{`"\ud800"`, "", false},
		{`"\q"`, "", false},
		{"\"\xff\"", "", false},
		{"\"\n\"", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			if got, ok := jsonrpc.Unquote([]byte(tt.in)); got != tt.want || ok != tt.ok {
				t.Errorf("Unquote(%q) = %q, %v; want %q, %v", tt.in, got, ok, tt.want, tt.ok)
			}
		})
	}
}

// TestUnquoteProperty reads any spelling of any text.
func TestUnquoteProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		literal := spell(t, text)
		if got, ok := jsonrpc.Unquote([]byte(literal)); !ok || got != text {
			t.Fatalf("Unquote(%s) = %q, %v; want %q", literal, got, ok, text)
		}
	})
}
