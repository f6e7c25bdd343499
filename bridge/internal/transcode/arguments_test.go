package transcode_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// No arguments can be said in many ways.
func TestEmptyArguments(t *testing.T) {
	t.Parallel()
	w := features(t)
	for _, name := range []string{
		"t3.All", "google.protobuf.Empty", "google.protobuf.Timestamp", "google.protobuf.Value", "google.protobuf.Any",
	} {
		c := w.codec(t, fullName(name), transcode.Options{})
		for _, arguments := range []string{"", " \r\n\t ", "null", " null ", "{}", " { } "} {
			wire, err := c.AppendWire([]byte("before"), []byte(arguments))
			if err != nil || string(wire) != "before" {
				t.Errorf("%s from %q: %q, %v; want nothing appended", name, arguments, wire, err)
			}
		}
		if wire, err := c.AppendWire(nil, nil); err != nil || len(wire) != 0 {
			t.Errorf("%s from nil: %q, %v; want nothing", name, wire, err)
		}
	}
}

// A request whose JSON is not an object is wrapped; bare it is accepted as well.
func TestWrappedArguments(t *testing.T) {
	t.Parallel()
	w := features(t)
	tests := []struct{ message, arguments, result string }{
		{"google.protobuf.Timestamp", `{"value":"2026-01-31T10:30:00Z"}`, `{"result":"2026-01-31T10:30:00Z"}`},
		{"google.protobuf.Timestamp", `"2026-01-31T10:30:00Z"`, `{"result":"2026-01-31T10:30:00Z"}`},
		{"google.protobuf.Timestamp", `{"value":null}`, `{"result":"1970-01-01T00:00:00Z"}`},
		{"google.protobuf.Timestamp", `"{\"value\":\"2026-01-31T10:30:00Z\"}"`, `{"result":"2026-01-31T10:30:00Z"}`},
		{"google.protobuf.Int64Value", `{"value":9007199254740993}`, `{"result":"9007199254740993"}`},
		{"google.protobuf.Int64Value", `9007199254740993`, `{"result":"9007199254740993"}`},
		{"google.protobuf.StringValue", `{"value":"a"}`, `{"result":"a"}`},
		{"google.protobuf.StringValue", `"{\"value\":\"a\"}"`, `{"result":"a"}`},
		{"google.protobuf.StringValue", `"{\"value\":\"a\",\"b\":1}"`, `{"result":"{\"value\":\"a\",\"b\":1}"}`},
		{"google.protobuf.ListValue", `[1,"a"]`, `{"result":[1,"a"]}`},
		{"google.protobuf.ListValue", `{"value":"[1]"}`, `{"result":[1]}`},
		{"google.protobuf.Value", `{"value":{"value":1}}`, `{"result":{"value":1}}`},
		{"google.protobuf.Value", `{"value":null}`, `{"result":null}`},
		{"google.protobuf.Value", `true`, `{"result":true}`},
		{"google.protobuf.FieldMask", `{"value":["a_b"]}`, `{"result":"aB"}`},
		{"google.protobuf.Struct", `{"value":1}`, `{"value":1}`},
		{"google.protobuf.Any", `{"type_url":"x/t3.Sub","n":1}`, `{"@type":"x/t3.Sub","n":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.message+" "+tt.arguments, func(t *testing.T) {
			t.Parallel()
			got, warnings := roundTrip(t, w.codec(t, fullName(tt.message), transcode.Options{}), tt.arguments)
			if got != tt.result || warnings != nil {
				t.Errorf("result %s, warnings %q; want %s", got, warnings, tt.result)
			}
		})
	}
}

// Models write objects and lists as strings; what such a string holds is taken where it can only be meant so.
func TestStringsThatHoldJSON(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "t3.All", transcode.Options{})
	accepted := map[string]string{
		`"{\"fInt32\":1}"`:                            `{"fInt32":1}`,
		`{"sub":"{\"n\":1}"}`:                         `{"sub":{"n":1}}`,
		`{"sub":" {\"n\":1} "}`:                       `{"sub":{"n":1}}`,
		`{"rInt32":"[1,2]"}`:                          `{"rInt32":[1,2]}`,
		`{"rString":"[\"a\"]"}`:                       `{"rString":["a"]}`,
		`{"rSub":"[{\"n\":1}]"}`:                      `{"rSub":[{"n":1}]}`,
		`{"rSub":["{\"n\":1}"]}`:                      `{"rSub":[{"n":1}]}`,
		`{"mString":"{\"a\":1}"}`:                     `{"mString":{"a":1}}`,
		`{"mSub":{"a":"{\"n\":1}"}}`:                  `{"mSub":{"a":{"n":1}}}`,
		`{"struct":"{\"a\":1}"}`:                      `{"struct":{"a":1}}`,
		`{"listValue":"[1]"}`:                         `{"listValue":[1]}`,
		`"{\"all\":\"{\\\"sub\\\":{\\\"n\\\":1}}\"}"`: `{"all":{"sub":{"n":1}}}`,
		`{"fString":"{\"n\":1}"}`:                     `{"fString":"{\"n\":1}"}`,
		`{"rString":["[1]"]}`:                         `{"rString":["[1]"]}`,
	}
	for arguments, want := range accepted {
		if got, _ := roundTrip(t, c, arguments); got != want {
			t.Errorf("%s came back as %s, want %s", arguments, got, want)
		}
	}
	for _, arguments := range []string{
		`{"sub":"{n:1}"}`, `{"sub":"[1]"}`, `{"sub":"null"}`, `{"sub":""}`, `{"sub":"{\"n\":1} x"}`, `{"sub":"{\"n\":1,\"n\":2}"}`,
		`{"rInt32":"1,2"}`, `{"rInt32":"{}"}`, `{"rInt32":"[1"}`, `{"mString":"a=1"}`, `"[]"`, `""`, `"null"`, `{"sub":"\"{}\""}`,
	} {
		refused(t, c, arguments)
	}
}

// argumentErrors are arguments of messages, and what is wrong with them.
var argumentErrors = []struct{ name, message, arguments, want string }{
	{"unknown, near", "t3.All", `{"fint32":1}`, `unknown argument "fint32"; did you mean "fInt32"?`},
	{"unknown, nested", "t3.All", `{"sub":{"fullname":1}}`, `sub: unknown argument "fullname"; did you mean "fullName"?`},
	{"unknown, far", "t3.All", `{"sub":{"colour":1}}`, `sub: unknown argument "colour"; there are: n, fullName`},
	{"unknown, none exist", "google.protobuf.Empty", `{"a":1}`, `unknown argument "a"; there are no arguments here`},
	{"unknown extension", "t2.Old", `{"[t2.none]":1}`, `unknown extension "[t2.none]"`},
	{"wrong kind", "t3.All", `{"sub":{"n":"abc"}}`, `sub.n: want an integer, got the string "abc"`},
	{"wrong kind in a list", "t3.All", `{"rSub":[{},{},{"n":true}]}`, `rSub[2].n: want an integer, got true`},
	{"wrong kind in a map", "t3.All", `{"mSub":{"a b":{"n":[]}}}`, `mSub["a b"].n: want an integer, got an array`},
	{"wrong kind inside a string", "t3.All", `{"rSub":"[{\"n\":{}}]"}`, `rSub[0].n: want an integer, got an object`},
	{"wrong kind in an Any", "t3.All", `{"rAny":[{"@type":"x/t3.Sub","n":"x"}]}`, `rAny[0].n: want an integer, got the string "x"`},
	{"out of range", "t3.All", `{"fInt32":3e9}`, `fInt32: want an integer from -2147483648 to 2147483647, got the number 3e9`},
	{"negative", "t3.All", `{"fUint64":"-1"}`, `fUint64: want an integer from 0 to 18446744073709551615, got the string "-1"`},
	{"fraction", "t3.All", `{"fInt64":1.5}`, `fInt64: want an integer from -9223372036854775808 to 9223372036854775807, got the number 1.5`},
	{"number in a string field", "t3.All", `{"fString":12}`, `fString: want a string, got the number 12; put it in quotes`},
	{"quoted bool", "t3.All", `{"fBool":"true"}`, `fBool: want true or false, got the string "true"; write it without quotes`},
	{"float", "t3.All", `{"fFloat":1e39}`, `fFloat: want a number that fits 32 bits, got the number 1e39`},
	{"bytes", "t3.All", `{"fBytes":"?"}`, `fBytes: want a base64 string, got the string "?"; encode the bytes, as in "aGVsbG8=" for hello`},
	{"scalar for a list", "t3.All", `{"rString":"go"}`, `rString: want a list, got the string "go"; wrap it in [ ]`},
	{"object for a list", "t3.All", `{"rSub":{"n":1}}`, `rSub: want a list, got an object; wrap it in [ ]`},
	{"null in a list", "t3.All", `{"rInt32":[1,null]}`, `rInt32[1]: want an integer, got null`},
	{
		"enum, near", "t3.All", `{"fColor":"COLOR_GREE"}`,
		`fColor: want one of COLOR_UNSPECIFIED, COLOR_RED, COLOR_CRIMSON, COLOR_GREEN, got the string "COLOR_GREE"; did you mean "COLOR_GREEN"?`,
	},
	{
		"enum without prefix", "t3.All", `{"fColor":"red"}`,
		`fColor: want one of COLOR_UNSPECIFIED, COLOR_RED, COLOR_CRIMSON, COLOR_GREEN, got the string "red"; did you mean "COLOR_RED"?`,
	},
	{
		"enum, far", "t3.All", `{"rColor":["blue"]}`,
		`rColor[0]: want one of COLOR_UNSPECIFIED, COLOR_RED, COLOR_CRIMSON, COLOR_GREEN, got the string "blue"`,
	},
	{
		"enum, not a name", "t3.All", `{"fColor":true}`,
		`fColor: want one of COLOR_UNSPECIFIED, COLOR_RED, COLOR_CRIMSON, COLOR_GREEN, got true`,
	},
	{
		"the name of a oneof", "t3.All", `{"choice":{"cString":"a"}}`,
		`unknown argument "choice"; it is a choice: set one of cString, cInt32, cSub, cValue, cNull`,
	},
	{
		"oneof", "t3.All", `{"cString":"a","c_int32":1}`,
		`"cString" and "c_int32" exclude each other; set only one of: cString, cInt32, cSub, cValue, cNull`,
	},
	{
		"two spellings", "t3.All", `{"sub":{"fullName":"a","full_name":"b"}}`,
		`sub: "fullName" and "full_name" are the same argument; give it once`,
	},
	{
		"timestamp", "t3.All", `{"timestamp":"yesterday"}`,
		`timestamp: want a timestamp such as "2026-01-31T10:30:00Z", got the string "yesterday"`,
	},
	{"duration", "t3.All", `{"duration":"5m"}`, `duration: want a duration in seconds such as "3.5s", got the string "5m"`},
	{"field mask", "t3.All", `{"mask":"a b"}`, `mask: the field path "a b" is malformed; write names joined by dots, as in "author.name"`},
	{
		"wrapper as object", "t3.All", `{"wInt32":{"value":1}}`,
		`wInt32: want a plain int32, got an object; write the value itself, without {"value": …}`,
	},
	{"map key", "t3.All", `{"mInt32":{"x":""}}`, `mInt32["x"]: the key is not a decimal integer that fits int32`},
	{"map key, bool", "t3.All", `{"mBool":{"yes":""}}`, `mBool["yes"]: the key is not "true" or "false"`},
	{"map key twice", "t3.All", `{"mInt32":{"1":"","01":""}}`, `mInt32["01"]: the key is given twice, in two spellings; give it once`},
	{
		"Any without type", "t3.All", `{"any":{"n":1}}`,
		`any: the argument "type_url" (or "@type") is missing or no string; name a type, as in "type.googleapis.com/pkg.Message"`,
	},
	{"Any of unknown type", "t3.All", `{"any":{"@type":"x/a.B"}}`, `any.@type: unknown type "x/a.B"; name a message type of this service`},
	{
		"Any without value", "t3.All", `{"any":{"@type":"x/google.protobuf.Duration"}}`,
		`any: missing argument "value"; it holds the JSON of Duration`,
	},
	{"required", "t2.Old", `{"strict":{"more":"a"}}`, `strict: missing name, pageCount; required here`},
	{"required at the root", "t2.Strict", ``, `missing name, pageCount; required here`},
	{"not an object", "t3.All", `[1]`, `want an object, got an array`},
	{"unwrapped object", "google.protobuf.Timestamp", `{"time":1}`, `unknown argument "time"; put everything under "value"`},
	{"wrong wrapped", "google.protobuf.Timestamp", `{"value":1}`, `value: want a timestamp such as "2026-01-31T10:30:00Z", got the number 1`},
	{
		"long value", "t3.All", `{"fInt32":"` + strings.Repeat("é", 100) + `"}`,
		`fInt32: want an integer, got the string "` + strings.Repeat("é", 30) + `"…`,
	},
}

func TestArgumentErrors(t *testing.T) {
	t.Parallel()
	w := features(t)
	for _, tt := range argumentErrors {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fault := refused(t, w.codec(t, fullName(tt.message), transcode.Options{}), tt.arguments)
			if diff := cmp.Diff(tt.want, fault.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEnumOfManyNames: the first ten are listed, and the one that was meant whichever it is.
func TestEnumOfManyNames(t *testing.T) {
	t.Parallel()
	md := new(descriptorpb.FieldDescriptorProto).ProtoReflect().Descriptor()
	c, err := transcode.Compile(md, md, protoregistry.GlobalTypes, transcode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const names = "TYPE_DOUBLE, TYPE_FLOAT, TYPE_INT64, TYPE_UINT64, TYPE_INT32, TYPE_FIXED64, TYPE_FIXED32, TYPE_BOOL, " +
		"TYPE_STRING, TYPE_GROUP"
	want := `type: want one of ` + names + ` and 8 more, got the string "sint64"; did you mean "TYPE_SINT64"?`
	if _, err := c.AppendWire(nil, []byte(`{"type":"sint64"}`)); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestMalformedArguments(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "t3.All", transcode.Options{})
	for name, arguments := range map[string]string{
		"no JSON":             `nonsense`,
		"ends early":          `{"sub":{"n":1`,
		"ends in a string":    `{"fString":"a`,
		"trailing data":       `{} {}`,
		"trailing garbage":    `{} x`,
		"after null":          `null null`,
		"duplicate name":      `{"sub":{"n":1,"n":1}}`,
		"duplicate by escape": `{"sub":{"n":1,"\u006e":1}}`,
		"duplicate in Struct": `{"struct":{"a":1,"a":1}}`,
		"duplicate in Any":    `{"any":{"@type":"x/t3.Sub","@type":"x/t3.Sub"}}`,
		"invalid UTF-8":       "{\"fString\":\"\xc3\"}",
		"lone surrogate":      `{"fString":"\ud800"}`,
		"comment":             `{/**/}`,
		"trailing comma":      `{"fInt32":1,}`,
		"bare NaN":            `{"fDouble":NaN}`,
		"leading zero":        `{"fInt32":01}`,
		"single quotes":       `{'fInt32':1}`,
		"byte order mark":     "\ufeff{}",
		"nul":                 "{}\x00",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if fault := refused(t, c, arguments); !strings.HasPrefix(fault.Reason, "not valid JSON: ") {
				t.Errorf("reason = %q, want it to say that this is not JSON", fault.Reason)
			}
		})
	}
}

// Nesting is bounded whatever it is made of, before it costs anything.
func TestArgumentDepth(t *testing.T) {
	t.Parallel()
	w := features(t)
	c := w.codec(t, "t3.All", transcode.Options{})
	nest := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	anyOpen, anyEnd := `{"@type":"x/google.protobuf.Any","value":`, `}`
	tests := map[string]struct{ at, over string }{
		"messages":         {nest(`{"all":`, `{}`, `}`, 99), nest(`{"all":`, `{}`, `}`, 100)},
		"arrays":           {`{"value":` + nest(`[`, ``, `]`, 99) + `}`, `{"value":` + nest(`[`, ``, `]`, 100) + `}`},
		"objects":          {`{"value":` + nest(`{"a":`, `1`, `}`, 99) + `}`, `{"value":` + nest(`{"a":`, `1`, `}`, 100) + `}`},
		"Any":              {`{"any":` + nest(anyOpen, `{}`, anyEnd, 98) + `}`, `{"any":` + nest(anyOpen, `{}`, anyEnd, 99) + `}`},
		"very deep arrays": {`{}`, `{"value":` + strings.Repeat(`[`, 1<<20)},
		"very deep Any":    {`{}`, `{"any":` + nest(anyOpen, `{}`, anyEnd, 4000) + `}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := c.AppendWire(nil, []byte(tt.at)); err != nil {
				t.Errorf("at the limit: %v", err)
			}
			refused(t, c, tt.over)
		})
	}
	shallow := w.codec(t, "t3.All", transcode.Options{MaxDepth: 2})
	fault := refused(t, shallow, `{"all":{"all":{}}}`)
	if diff := cmp.Diff(`all.all: nested deeper than 2 levels`, fault.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	refused(t, shallow, `{"all":"{\"sub\":\"{}\"}"}`)
}

// A field mask may hold what protojson has no form for.
func TestFieldMaskPaths(t *testing.T) {
	t.Parallel()
	w := features(t)
	c := w.codec(t, "google.protobuf.FieldMask", transcode.Options{})
	for arguments, want := range map[string][]string{
		`{"value":"*"}`:                     {"*"},
		`{"value":"books.*.title"}`:         {"books.*.title"},
		`{"value":["displayName","a_b.c"]}`: {"display_name", "a_b.c"},
		`{"value":"foo_1,fooBar_baz"}`:      {"foo_1", "foo_bar_baz"},
	} {
		wire, err := c.AppendWire(nil, []byte(arguments))
		if err != nil {
			t.Errorf("%s: %v", arguments, err)
			continue
		}
		got := new(fieldmaskpb.FieldMask)
		if err := proto.Unmarshal(wire, got); err != nil {
			t.Fatal(err)
		}
		equal(t, &fieldmaskpb.FieldMask{Paths: want}, got)
	}
}

// Numbers of a Value are doubles: that is protobuf's choice, and the only place where an integer is rounded.
func TestValueNumber(t *testing.T) {
	t.Parallel()
	wire, err := features(t).codec(t, "google.protobuf.Value", transcode.Options{}).AppendWire(nil, []byte(`{"value":9007199254740993}`))
	if err != nil {
		t.Fatal(err)
	}
	got := new(structpb.Value)
	if err := proto.Unmarshal(wire, got); err != nil {
		t.Fatal(err)
	}
	equal(t, structpb.NewNumberValue(9007199254740992), got)
}

// The same arguments give the same bytes, whatever the order of map iteration.
func TestWireIsDeterministic(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "t3.All", transcode.Options{})
	arguments := []byte(`{"mString":{"a":1,"b":2,"c":3,"d":4},"struct":{"x":1,"y":2,"z":3},"any":{"@type":"x/google.protobuf.Struct",` +
		`"value":{"p":1,"q":2,"r":3}}}`)
	first, err := c.AppendWire(nil, arguments)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, err := c.AppendWire(nil, arguments)
		if err != nil || !bytes.Equal(first, again) {
			t.Fatalf("wire differs from run to run (error %v)", err)
		}
	}
}

// The codec keeps none of its input: the caller may reuse the buffer.
func TestArgumentsAreNotKept(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "t3.All", transcode.Options{})
	arguments := []byte(`{"fString":"abc","any":{"@type":"x/t3.Sub","fullName":"def"}}`)
	before := bytes.Clone(arguments)
	wire, err := c.AppendWire(nil, arguments)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, arguments) {
		t.Error("the arguments were changed")
	}
	clear(arguments)
	out, _, err := c.AppendJSON(nil, wire)
	if want := `{"fString":"abc","any":{"@type":"x/t3.Sub","fullName":"def"}}`; err != nil || string(out) != want {
		t.Errorf("result %s, %v; want %s", out, err, want)
	}
}
