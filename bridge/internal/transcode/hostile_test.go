package transcode_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// many writes n times s, with commas.
func many(s string, n int) string { return strings.Repeat(s+",", n-1) + s }

// inString writes JSON as the JSON string that holds it.
func inString(text string) string { return strconv.Quote(text) }

// TestHeldJSONHasTheLimitsOfMessages puts into strings what no message may hold outside of them.
func TestHeldJSONHasTheLimitsOfMessages(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	const tokens = "more than 100000 JSON tokens"
	half := many(`[]`, 30_000)
	for _, at := range []struct{ name, arguments, reason string }{
		{"list", `{"listValue":` + inString(`[`+many(`[]`, 60_000)+`]`) + `}`, "JSON tokens"},
		{"messages", `{"children":` + inString(`[`+many(`{}`, 60_000)+`]`) + `}`, "JSON tokens"},
		{"scalars", `{"repeatedInt64":` + inString(`[`+many(`1`, 120_000)+`]`) + `}`, "JSON tokens"},
		{"field mask", `{"fieldMask":` + inString(`[`+many(`"a"`, 120_000)+`]`) + `}`, "JSON tokens"},
		{"any", `{"any":` + inString(`{"@type":"x/google.protobuf.ListValue","value":[`+many(`[]`, 60_000)+`]}`) + `}`, "JSON tokens"},
		{"whole arguments", inString(`{"listValue":[` + many(`[]`, 60_000) + `]}`), "JSON tokens"},
		{"string in a string", inString(`{"listValue":` + inString(`[`+many(`[]`, 60_000)+`]`) + `}`), "JSON tokens"},
		{"two strings", `{"listValue":` + inString(`[`+half+`]`) + `,"struct":` + inString(`{"a":[`+half+`]}`) + `}`, "JSON tokens"},
		{"a string and the rest", `{"listValue":[` + half + `],"struct":` + inString(`{"a":[`+half+`]}`) + `}`, "JSON tokens"},
		{"many strings", `{"children":[` + many(`"{}"`, 40_000) + `]}`, tokens},
		{"strings in the last token", `{"children":[` + many(`"{}"`, 33_333) + `]}`, tokens},
		{"not in a string", `{"listValue":[` + many(`[]`, 60_000) + `]}`, tokens},
		{"unread value", `{"children":[` + many(`{"child":null}`, 30_000) + `]}`, tokens},
		{"long number", `{"struct":` + inString(`{"a":`+strings.Repeat("1", 65)+`}`) + `}`, "more than 64 characters"},
		{"long number in a number's string", `{"singleDouble":"` + strings.Repeat("1", 65) + `"}`, "want a number"},
		{"long integer in a string", `{"singleInt32":"1.` + strings.Repeat("0", 65) + `"}`, "want an integer"},
		{"depth", `{"listValue":` + inString(strings.Repeat("[", 101)+strings.Repeat("]", 101)) + `}`, "100 deep"},
	} {
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			if fault := refused(t, c, at.arguments); !strings.Contains(fault.Error(), at.reason) {
				t.Errorf("fault %.300q, want one that says %q", fault.Error(), at.reason)
			}
		})
	}
}

// TestHeldJSONWithinTheLimits makes sure that what fits a message is not counted twice when it is read.
func TestHeldJSONWithinTheLimits(t *testing.T) {
	t.Parallel()
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	for name, arguments := range map[string]string{
		"list":            `{"listValue":[` + many(`[]`, 49_990) + `]}`,
		"list in string":  `{"listValue":` + inString(`[`+many(`[]`, 49_990)+`]`) + `}`,
		"whole arguments": inString(`{"listValue":[` + many(`[]`, 49_990) + `]}`),
		"any":             `{"any":{"@type":"x/echo.v1.Everything","struct":{"a":[` + many(`[]`, 49_980) + `]}}}`,
		"any in any": `{"any":{"@type":"x/google.protobuf.Any","value":{"@type":"x/google.protobuf.ListValue","value":[` + many(`[]`,
			49_980) + `]}}}`,
		"mask":        `{"fieldMask":` + inString(`[`+many(`"a"`, 99_990)+`]`) + `}`,
		"long number": `{"singleDouble":"` + strings.Repeat("1", 64) + `"}`,
		"depth":       `{"listValue":` + inString(strings.Repeat("[", 99)+strings.Repeat("]", 99)) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := c.AppendWire(nil, []byte(arguments)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMemoryPerToken bounds what the densest arguments that are accepted may allocate. It runs alone.
func TestMemoryPerToken(t *testing.T) {
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	if _, err := c.AppendWire(nil, []byte(`{"struct":{"a":[{}]},"children":[{"child":{}}]}`)); err != nil {
		t.Fatal(err)
	}
	const most = 450 // bytes
	for name, text := range map[string]struct {
		arguments string
		tokens    int
	}{
		"lists":              {`{"listValue":[` + many(`[]`, 49_000) + `]}`, 98_000},
		"objects":            {`{"listValue":[` + many(`{}`, 49_000) + `]}`, 98_000},
		"numbers":            {`{"listValue":[` + many(`1`, 98_000) + `]}`, 98_000},
		"lists in a string":  {`{"listValue":"[` + many(`[]`, 49_000) + `]"}`, 98_000},
		"messages":           {`{"children":[` + many(`{}`, 49_000) + `]}`, 98_000},
		"nested messages":    {`{"children":[` + many(`{"child":{}}`, 19_000) + `]}`, 95_000},
		"messages in string": {`{"children":[` + many(`"{}"`, 32_000) + `]}`, 96_000},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := c.AppendWire(nil, []byte(text.arguments))
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if each := int(after.TotalAlloc-before.TotalAlloc) / text.tokens; each > most {
				t.Errorf("%d bytes a token, want at most %d", each, most)
			}
		})
	}
}

func TestFieldMaskKeepsTheFieldsOwnName(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "google.protobuf.FieldMask", transcode.Options{})
	for given, want := range map[string]string{
		"foo_Bar": "foo_Bar", "UPPER_Case": "UPPER_Case", "a.foo_Bar.bazQux": "a.foo_Bar.baz_qux", "_lead": "_lead", "fooBar": "foo_bar",
		"x__y": "x__y",
	} {
		t.Run(given, func(t *testing.T) {
			t.Parallel()
			wire, err := c.AppendWire(nil, []byte(`{"value":"`+given+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			got := new(fieldmaskpb.FieldMask)
			if err := proto.Unmarshal(wire, got); err != nil {
				t.Fatal(err)
			}
			equal(t, &fieldmaskpb.FieldMask{Paths: []string{want}}, got)
		})
	}
}
