package jsonrpc_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// wantError requires an error of the given code that says the given words.
func wantError(t *testing.T, err *jsonrpc.Error, code int, says string) {
	t.Helper()
	switch {
	case err == nil:
		t.Fatalf("no error, want code %d saying %q", code, says)
	case err.Code != code:
		t.Errorf("code %d (%s), want %d", err.Code, err.Message, code)
	case !strings.Contains(err.Message, says):
		t.Errorf("message %q does not say %q", err.Message, says)
	}
}

// TestCheckAccepts gives JSON of every kind, at its odd ends.
func TestCheckAccepts(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`null`, `true`, `false`, `0`, `-0`, `0.0`, `1e400`, `-1.5E+07`, `1e-999999999`, `""`, `[]`, `{}`, " [ ] ", "\t{\r\n}\n",
		`"\"\\\/\b\f\n\r\t\u0000\uD834\udd1e"`, `"é€😀` + "\u2028\u2029\x7f" + `"`, `"\ufffe\uffff"`, "\"\uFFFD\"", "\"\uFEFF\"",
		`{"":0," ":0,"a":0,"A":0,"a\u0000":0}`, `{"a":{"a":{"a":1}}}`, `[{"a":1},{"a":1}]`, `[[],[[]],{}]`,
		strings.Repeat("9", 64), `{"a":"b","b":"a"}`,
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			if err := jsonrpc.Check([]byte(in), jsonrpc.Limits{}); err != nil {
				t.Errorf("Check(%q) = %v", in, err)
			}
		})
	}
}

// refusals are all the ways in which text is not strict JSON: what is refused,
// and where and why.
var refusals = []struct{ name, in, says string }{
	{"nothing", "", "at byte 0: no JSON value"},
	{"only space", " \n ", "at byte 3: no JSON value"},
	{"byte order mark", "\xef\xbb\xbf{}", "at byte 0: a byte order mark"},
	{"UTF-16", "\xff\xfe{\x00}\x00", "at byte 0: invalid UTF-8"},
	{"trailing brace", `{}}`, "at byte 2: data after the JSON value"},
	{"trailing value", `{} {}`, "at byte 3: data after the JSON value"},
	{"trailing NUL", "{}\x00", "at byte 2: data after the JSON value"},
	{"number run together", `01`, "at byte 1: data after the JSON value"},
	{"comment", `{/**/}`, `at byte 1: "/" where a member name`},
	{"NBSP as space", "[1,\u00a01]", `at byte 3: "` + "\u00a0" + `" where a JSON value`},
	{"form feed as space", "[\f1]", `"\u000c" where a JSON value`},

	{"NaN", `NaN`, `"N" where a JSON value`},
	{"Infinity", `-Infinity`, "at byte 1: \"I\" where a digit"},
	{"True", `[True]`, `"T" where a JSON value`},
	{"nul", `nul`, "a word that is none of"},
	{"trua", `trua`, "a word that is none of"},
	{"fals", `[fals]`, "a word that is none of"},
	{"nulll", `nulll`, "data after the JSON value"},
	{"undefined", `[undefined]`, `"u" where a JSON value`},

	{"plus sign", `+1`, `"+" where a JSON value`},
	{"minus alone", `-`, "the end of the text where a digit"},
	{"point first", `.5`, `"." where a JSON value`},
	{"point last", `[1.]`, `at byte 3: "]" where a digit`},
	{"exponent without digits", `1e+`, "the end of the text where a digit"},
	{"hexadecimal", `[0x10]`, `"x" where ',' or ']'`},
	{"leading zero", `[-012]`, `at byte 3: "1" where ',' or ']'`},
	{"number of 65 characters", strings.Repeat("9", 65), "at byte 0: a number of more than 64 characters"},
	{"long fraction", "[0." + strings.Repeat("0", 63) + "]", "at byte 1: a number of more than 64 characters"},

	{"string cut off", `"abc`, "at byte 4: the end of the text inside a string"},
	{"string ends in a backslash", `"abc\`, "at byte 4: an escape"},
	{"single quotes", `'a'`, `"'" where a JSON value`},
	{"newline in a string", "\"a\nb\"", "at byte 2: an unescaped control character"},
	{"NUL in a string", "\"a\x00b\"", "at byte 2: an unescaped control character"},
	{"unknown escape", `"\x41"`, "at byte 1: an escape"},
	{"escaped newline", "\"\\\n\"", "at byte 1: an escape"},
	{"short unicode escape", `"\u12"`, "at byte 1: an escape"},
	{"wrong unicode escape", `"\u00g0"`, "at byte 1: an escape"},
	{"signed unicode escape", `"\u+123"`, "at byte 1: an escape"},
	{"lone high surrogate", `"\ud800"`, "half a surrogate pair"},
	{"lone low surrogate", `"\udc00"`, "half a surrogate pair"},
	{"high surrogate twice", `"\ud800\ud800"`, "half a surrogate pair"},
	{"surrogates swapped", `"\udc00\ud800"`, "half a surrogate pair"},
	{"high surrogate and letter", `"\ud800x"`, "half a surrogate pair"},
	{"high surrogate and escape", `"\ud800\n"`, "half a surrogate pair"},
	{"high surrogate, low cut off", `"\ud800\udc0"`, "half a surrogate pair"},
	{"lone continuation byte", "\"\x80\"", "at byte 1: invalid UTF-8"},
	{"sequence cut off", "\"long enough \xe2\x82\"", "at byte 13: invalid UTF-8"},
	{"overlong", "\"\xc0\xaf\"", "invalid UTF-8"},
	{"encoded surrogate", "\"\xed\xa0\x80\"", "invalid UTF-8"},
	{"beyond U+10FFFF", "\"\xf4\x90\x80\x80\"", "invalid UTF-8"},
	{"invalid UTF-8 in a name", "{\"a\xff\":1}", "at byte 3: invalid UTF-8"},
	{"lone surrogate in a name", `{"\ud800":1}`, "half a surrogate pair"},

	{"array cut off", `[1`, "the end of the text where ',' or ']'"},
	{"array opened only", `[`, "the end of the text where a JSON value"},
	{"array closed as object", `[1}`, `"}" where ',' or ']'`},
	{"comma last in array", `[1,]`, `"]" where a JSON value`},
	{"comma first in array", `[,1]`, `"," where a JSON value`},
	{"two commas", `[1,,2]`, `"," where a JSON value`},
	{"no comma in array", `[1 2]`, `"2" where ',' or ']'`},
	{"colon in array", `[1:2]`, `":" where ',' or ']'`},
	{"object opened only", `{`, "the end of the text where a member name"},
	{"object cut off", `{"a":1`, "the end of the text where ',' or '}'"},
	{"object closed as array", `{"a":1]`, `"]" where ',' or '}'`},
	{"comma last in object", `{"a":1,}`, `"}" where a member name`},
	{"no colon", `{"a" 1}`, `"1" where ':'`},
	{"no value", `{"a":}`, `"}" where a JSON value`},
	{"name without quotes", `{a:1}`, `"a" where a member name`},
	{"name a number", `{1:1}`, `"1" where a member name`},

	{"duplicate name", `{"a":1,"b":2,"a":3}`, `at byte 13: the name "a" a second time`},
	{"duplicate empty name", `{"":1,"":1}`, `the name "" a second time`},
	{"duplicate by escape", `{"ab":1,"\u0061b":1}`, `at byte 8: the name "\u0061b" a second time`},
	{"duplicate by escape of one letter", `{"\u0061":1,"a":1}`, `the name "a" a second time`},
	{"duplicate by two spellings", `{"\u00e9":1,"é":1}`, `the name "é" a second time`},
	{"duplicate by a surrogate pair", `{"😀":1,"\ud83d\ude00":1}`, `a second time`},
	{"duplicate NUL", `{"a\u0000":1,"a\u0000":1}`, `a second time`},
	{"duplicate below", `{"a":[{"b":{"c":1,"d":{"x":0},"c":1}}]}`, `the name "c" a second time`},
	{"duplicate of a long name", `{"` + strings.Repeat("é", 50) + `":1,"` + strings.Repeat("é", 50) + `":1}`, "…"},
}

// TestCheckRefuses gives each refusal to Check, and inside a request to Decode.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantError(t, jsonrpc.Check([]byte(tt.in), jsonrpc.Limits{}), jsonrpc.CodeParse, tt.says)

			inside := `{"jsonrpc":"2.0","id":1,"method":"m","params":{"v":` + tt.in + `}}`
			if _, err := jsonrpc.Decode([]byte(inside), jsonrpc.Limits{}); err == nil || err.Code != jsonrpc.CodeParse {
				t.Errorf("Decode(%q) = %v, want code %d", inside, err, jsonrpc.CodeParse)
			}
		})
	}
}

// TestCheckFindsFaultsAnywhere puts each fault at each place of a string that is
// read several bytes at a time.
func TestCheckFindsFaultsAnywhere(t *testing.T) {
	t.Parallel()
	for fault, says := range map[string]string{
		"\x00": "control", "\x1f": "control", "\xff": "invalid UTF-8", "\xe2\x82": "invalid UTF-8", `\x`: "an escape", `\ud800`: "half",
	} {
		for at := range 20 {
			in := `"` + strings.Repeat("~", at) + fault + strings.Repeat(" ", 20-at) + `"`
			err := jsonrpc.Check([]byte(in), jsonrpc.Limits{})
			wantError(t, err, jsonrpc.CodeParse, fmt.Sprintf("at byte %d: ", at+1))
			wantError(t, err, jsonrpc.CodeParse, says)
		}
	}
}

// TestCheckMessagesAreShort makes an error quote a name of a megabyte.
func TestCheckMessagesAreShort(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 1<<20)
	err := jsonrpc.Check(fmt.Appendf(nil, `{"%s":1,"%s":1}`, name, name), jsonrpc.Limits{})
	wantError(t, err, jsonrpc.CodeParse, "a second time")
	if len(err.Message) > 200 {
		t.Errorf("message has %d bytes", len(err.Message))
	}
}

// TestLimits gives texts at each limit, and one over it.
func TestLimits(t *testing.T) {
	t.Parallel()
	arrays := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	objects := func(depth int) string { return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth) }
	ones := func(n int) string { return "[1" + strings.Repeat(",1", n-1) + "]" }
	tests := []struct {
		name, in string
		limits   jsonrpc.Limits
		says     string // "" when within
	}{
		{"arrays at the default depth", arrays(100), jsonrpc.Limits{}, ""},
		{"arrays over the default depth", arrays(101), jsonrpc.Limits{}, "more than 100 deep"},
		{"objects at the default depth", objects(100), jsonrpc.DefaultLimits, ""},
		{"objects over the default depth", objects(101), jsonrpc.DefaultLimits, "more than 100 deep"},
		{"many at one depth", "[" + strings.Repeat("[],", 500) + "[]]", jsonrpc.Limits{Depth: 2}, ""},
		{"own depth", arrays(3), jsonrpc.Limits{Depth: 2}, "more than 2 deep"},
		{"depth not closed", strings.Repeat("[", 1<<20), jsonrpc.Limits{}, "more than 100 deep"},
		{"depth without limit", strings.Repeat("[", 1<<20), jsonrpc.Limits{Depth: math.MaxInt, Tokens: math.MaxInt}, "more than 10000 deep"},
		{"negative means default", arrays(101), jsonrpc.Limits{Depth: -1, Tokens: -1}, "more than 100 deep"},
		{"default tokens", ones(99_998), jsonrpc.Limits{}, ""},
		{"over default tokens", ones(99_999), jsonrpc.Limits{}, "more than 100000 JSON tokens"},
		{"names and brackets are tokens", `{"a":[null]}`, jsonrpc.Limits{Tokens: 6}, ""},
		{"over own tokens at the end", `{"a":[null]}`, jsonrpc.Limits{Tokens: 5}, "more than 5 JSON tokens"},
		{"over own tokens at a name", `{"a":1}`, jsonrpc.Limits{Tokens: 1}, "more than 1 JSON tokens"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := jsonrpc.Check([]byte(tt.in), tt.limits)
			if tt.says != "" {
				wantError(t, err, jsonrpc.CodeInvalidRequest, tt.says)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEnvelopeTakesNoDepth: what [jsonrpc.Check] admits may be a member of params.
func TestEnvelopeTakesNoDepth(t *testing.T) {
	t.Parallel()
	for depth, says := range map[int]string{98: "", 99: "", 100: "", 101: "more than 102 deep"} {
		arguments := strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
		if err := jsonrpc.Check([]byte(arguments), jsonrpc.Limits{}); (err == nil) != (says == "") {
			t.Errorf("Check at %d: %v", depth, err)
		}
		_, err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"t","arguments":`+arguments+`}}`),
			jsonrpc.Limits{})
		if says != "" {
			wantError(t, err, jsonrpc.CodeInvalidRequest, says)
		} else if err != nil {
			t.Errorf("Decode at %d: %v", depth, err)
		}
	}
}

// TestLimitKeepsTheID answers a request over a limit with its id.
func TestLimitKeepsTheID(t *testing.T) {
	t.Parallel()
	msg, err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":9,"method":"m","params":{"a":[[]]}}`), jsonrpc.Limits{Depth: 1})
	wantError(t, err, jsonrpc.CodeInvalidRequest, "more than 3 deep")
	if msg.ID != jsonrpc.IntID(9) {
		t.Errorf("id %q, want 9", msg.ID)
	}
}
