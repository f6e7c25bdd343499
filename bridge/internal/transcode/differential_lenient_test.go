package transcode_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// leniency is something that the codec takes and protojson does not.
type leniency struct {
	reason string
	// refused is what protojson says; a pattern.
	refused string
	// strict writes the value that protojson refuses as it would have it, "" where there is no way; not ok where this leniency
	// does not apply to it.
	strict func(value jsontext.Value, at int) (text string, ok bool)
}

// leniencies is all of them.
var leniencies = []leniency{
	{"models write objects and lists as strings", `unexpected token "|FieldMask`, func(v jsontext.Value, _ int) (string, bool) {
		text := strings.TrimSpace(unquoted(v))
		return text, strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
	}},
	{"models write names of enums in another letter case", `invalid value for enum`, func(v jsontext.Value, _ int) (string, bool) {
		text := strings.ToUpper(string(v))
		return text, v.Kind() == '"' && text != string(v)
	}},
	{"a call without arguments is one with none of its fields", `unexpected token null`, func(v jsontext.Value, at int) (string, bool) {
		return "{}", v.Kind() == 'n' && at == 0
	}},
	{"\"@type\" is no name that models are offered, but what they know", `missing "@type" field`, func(
		v jsontext.Value, _ int,
	) (string, bool) {
		text := strings.Replace(string(v), `"type_url"`, `"@type"`, 1)
		return text, text != string(v)
	}},
	{"models write field masks as field names", `FieldMask`, func(v jsontext.Value, _ int) (string, bool) {
		text := underscored.ReplaceAllStringFunc(string(v), func(s string) string { return strings.ToUpper(s[1:]) })
		return text, v.Kind() == '"' && text != string(v)
	}},
	{"names of fields with capitals in them, and \"*\", have no form in ProtoJSON", `FieldMask`, func(v jsontext.Value, _ int) (string, bool) {
		return "", capitals.Match(v)
	}},
	{"null is no list, of Values and NullValues as of all else", `unexpected token null`, func(v jsontext.Value, at int) (string, bool) {
		return "[]", v.Kind() == 'n' && at > 0
	}},
	{"models write field masks as lists", `unexpected token \[`, func(v jsontext.Value, _ int) (string, bool) {
		var paths []string
		if v.Kind() != '[' || jsonv2.Unmarshal(v, &paths) != nil {
			return "", false
		}
		return strconv.Quote(strings.Join(paths, ",")), true
	}},
}

var (
	underscored = regexp.MustCompile(`_[a-z]`)
	capitals    = regexp.MustCompile(`_[A-Z]|\*`)
)

func unquoted(v jsontext.Value) string {
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}

var position = regexp.MustCompile(`\(line 1:(\d+)\): (.*)`)

// refusal splits an error of protojson's about one line into where in the text it is and what it says.
func refusal(t rapid.TB, text string, err error) (at int, reason string) {
	t.Helper()
	found := position.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\u00a0", " "))
	if found == nil {
		return 0, err.Error()
	}
	column, _ := strconv.Atoi(found[1])
	for range column - 1 {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at, found[2]
}

// strictly writes text as protojson takes it, by the leniencies, each in one place at a time. It returns what text means, nil
// where protojson has no form of it.
func strictly(t rapid.TB, md protoreflect.MessageDescriptor, types transcode.Resolver, text string) *dynamicpb.Message {
	t.Helper()
	given := text
	if strings.TrimSpace(text) == "" { // a call without arguments
		text = "{}"
	}
again:
	for range 10 {
		m := dynamicpb.NewMessage(md)
		err := protojson.UnmarshalOptions{Resolver: types}.Unmarshal([]byte(text), m)
		if err == nil {
			return m
		}
		at, reason := refusal(t, text, err)
		value, _ := jsontext.NewDecoder(strings.NewReader(text[at:])).ReadValue()
		for _, l := range leniencies {
			if strict, ok := l.strict(value, at); ok && regexp.MustCompile(l.refused).MatchString(reason) {
				if strict == "" {
					return nil
				}
				text = text[:at] + strict + text[at+len(value):]
				continue again
			}
		}
		t.Fatalf("the codec takes %s, of which protojson refuses %s at %s: %s", given, text, value, reason)
	}
	t.Fatalf("the codec takes %s, protojson nothing like it", given)
	return nil
}

// exchanged is text with one of its values exchanged.
func exchanged(t *rapid.T, text string, junk []string) string {
	at := rapid.SampledFrom(valueOffsets([]byte(text))).Draw(t, "at")
	old, err := jsontext.NewDecoder(strings.NewReader(text[at:])).ReadValue()
	if err != nil {
		t.Fatal(err)
	}
	return text[:at] + rapid.SampledFrom(junk).Draw(t, "junk") + text[at+len(old):]
}

// spliced is text with a few bytes exchanged.
func spliced(t *rapid.T, text string) string {
	bits := []string{
		"", " ", ",", ":", "{", "}", "[", "]", `"`, `\`, "null", "0", "1", "-", "+", "e3", ".0", "_", "A", "z", "\x00", "\xff", "é", `\u0041`,
		`\ud800`, `\/`,
	}
	from := rapid.IntRange(0, len(text)).Draw(t, "from")
	to := min(len(text), from+rapid.IntRange(0, 3).Draw(t, "length"))
	return text[:from] + rapid.SampledFrom(bits).Draw(t, "bit") + text[to:]
}

// What the codec accepts of arguments that something was done to, protojson accepts with the same meaning, but for the leniencies.
func TestDifferentialLeniencies(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	messages := maker{types: types, payloads: payloads}.messages(md)
	junk := []string{
		`null`, `0`, `-0`, `1.0`, `1e1`, `"1e1"`, `"0x1"`, `" 1"`, `"1 "`, `"+1"`, `"01"`, `1.5`, `"1.5"`, `1e400`, `-1e-400`, `""`, `" "`,
		`true`, `"true"`, `"True"`,
		`{}`, `[]`, `"{}"`, `"[]"`, `" {} "`, `"{\"a\":1}"`, `"[1,2]"`, `"[\"1\"]"`, `"NaN"`, `"nan"`, `"Infinity"`, `"inf"`, `"1s"`, `"-1.5s"`,
		`"1S"`, `"+.5s"`, `"AQI"`, `"AQI="`, `"-_8"`,
		`"COLOR_RED"`, `"color_red"`, `"Color_Red"`, `"RED"`, `"singleInt32"`, `"single_int32"`, `["single_int32","any"]`, `"a,b"`, `"a, b"`,
		`"a..b"`, `"*"`, `"a.*"`, `"_a"`, `["a_B","*"]`,
		`[null]`, `[[]]`, `[{}]`, `{"a":null}`, `{"":1}`, `{"1":1}`, `{"01":1}`, `{"true":1}`, `{"@type":"x/echo.v1.Nested"}`,
		`{"type_url":"x/echo.v1.Nested"}`,
		`{"type_url":"echo.v1.Nested","@type":""}`, `{"value":"1s","@type":"google.protobuf.Duration"}`, `"2024-01-02T03:04:05Z"`,
		`"2024-01-02t03:04:05z"`, `"2024-01-02T03:04:05,5Z"`,
		`"2024-01-02T24:00:00Z"`, `"\u0000"`, `"\ud800"`, `"{\"@type\":\"x/echo.v1.Nested\"}"`,
	}
	rapid.Check(t, func(t *rapid.T) {
		text, err := oracle(messages.Draw(t, "message"), types, false)
		if err != nil {
			t.Fatal(err)
		}
		damaged := exchanged(t, text, junk)
		if rapid.Bool().Draw(t, "bits") {
			damaged = spliced(t, text)
		}
		wire, err := c.AppendWire(nil, []byte(damaged))
		if err != nil {
			return
		}
		got, want := dynamicpb.NewMessage(md), strictly(t, md, types, damaged)
		if want == nil {
			return
		}
		if err := (proto.UnmarshalOptions{Resolver: types}).Unmarshal(wire, got); err != nil {
			t.Fatal(err)
		}
		complete(t, want, types)
		complete(t, got, types)
		if !proto.Equal(want, got) {
			t.Fatalf("%s means %v to the codec, %v to protojson", damaged, got, want)
		}
	})
}
