package transcode_test

import (
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// feature is one feature of protobuf with the JSON that is accepted for it, refused for it and written for it.
type feature struct {
	name     string
	accepted map[string]string // arguments → the result they come back as
	refused  []string
}

func checkFeatures(t *testing.T, message string, table []feature) {
	t.Helper()
	w := features(t)
	for _, f := range table {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			c := w.codec(t, fullName(message), transcode.Options{})
			for arguments, want := range f.accepted {
				if got, warnings := roundTrip(t, c, arguments); got != want || warnings != nil {
					t.Errorf("%s came back as %s (warnings %q), want %s", arguments, got, warnings, want)
				}
			}
			for _, arguments := range f.refused {
				refused(t, c, arguments)
			}
		})
	}
}

func TestIntegerFeatures(t *testing.T) {
	t.Parallel()
	checkFeatures(t, "t3.All", []feature{
		{
			"int32",
			map[string]string{
				`{"fInt32":12.0}`: `{"fInt32":12}`, `{"fInt32":1e2}`: `{"fInt32":100}`, `{"fInt32":"12"}`: `{"fInt32":12}`,
				`{"fInt32":"1e1"}`: `{"fInt32":10}`, `{"fInt32":-2147483648}`: `{"fInt32":-2147483648}`, `{"fInt32":-0}`: `{}`,
				`{"fInt32":2147483647}`: `{"fInt32":2147483647}`, `{"fInt32":100e-2}`: `{"fInt32":1}`, `{"fInt32":0.5e1}`: `{"fInt32":5}`,
				`{"fInt32":0e99999999999}`: `{}`,
			},
			[]string{
				`{"fInt32":1.5}`, `{"fInt32":" 1"}`, `{"fInt32":"1 "}`, `{"fInt32":"01"}`, `{"fInt32":"+1"}`, `{"fInt32":"0x10"}`, `{"fInt32":""}`,
				`{"fInt32":2147483648}`, `{"fInt32":-2147483649}`, `{"fInt32":1e400}`, `{"fInt32":1e999999999999}`, `{"fInt32":1e-1}`,
				`{"fInt32":"null"}`,
				`{"fInt32":true}`, `{"fInt32":"abc"}`, `{"fInt32":{}}`,
			},
		},
		{
			"uint32",
			map[string]string{`{"fUint32":4294967295}`: `{"fUint32":4294967295}`, `{"fUint32":"7"}`: `{"fUint32":7}`, `{"fUint32":-0}`: `{}`},
			[]string{`{"fUint32":-1}`, `{"fUint32":4294967296}`, `{"fUint32":0.1}`},
		},
		{
			"int64",
			map[string]string{
				`{"fInt64":9007199254740993}`:      `{"fInt64":"9007199254740993"}`,
				`{"fInt64":"9007199254740993"}`:    `{"fInt64":"9007199254740993"}`,
				`{"fInt64":-9223372036854775808}`:  `{"fInt64":"-9223372036854775808"}`,
				`{"fInt64":9223372036854775807.0}`: `{"fInt64":"9223372036854775807"}`,
				`{"fInt64":9.007199254740993e15}`:  `{"fInt64":"9007199254740993"}`,
			},
			[]string{`{"fInt64":9223372036854775808}`, `{"fInt64":"9223372036854775808"}`, `{"fInt64":0.5}`, `{"fInt64":"x"}`},
		},
		{
			"uint64",
			map[string]string{
				`{"fUint64":18446744073709551615}`:   `{"fUint64":"18446744073709551615"}`,
				`{"fUint64":"18446744073709551615"}`: `{"fUint64":"18446744073709551615"}`,
			},
			[]string{`{"fUint64":"-1"}`, `{"fUint64":18446744073709551616}`, `{"fUint64":1e21}`},
		},
	})
}

func TestFloatFeatures(t *testing.T) {
	t.Parallel()
	checkFeatures(t, "t3.All", []feature{
		{
			"float",
			map[string]string{
				`{"fFloat":0.1}`: `{"fFloat":0.1}`, `{"fFloat":"1e1"}`: `{"fFloat":10}`, `{"fFloat":"NaN"}`: `{"fFloat":"NaN"}`,
				`{"fFloat":"-Infinity"}`: `{"fFloat":"-Infinity"}`, `{"fFloat":1e-7}`: `{"fFloat":1e-7}`, `{"fFloat":-0.0}`: `{"fFloat":-0}`,
			},
			[]string{`{"fFloat":NaN}`, `{"fFloat":"inf"}`, `{"fFloat":"infinity"}`, `{"fFloat":1e39}`, `{"fFloat":" 1"}`, `{"fFloat":"0x1p3"}`},
		},
		{
			"double",
			map[string]string{
				`{"fDouble":1e39}`: `{"fDouble":1e+39}`, `{"fDouble":"Infinity"}`: `{"fDouble":"Infinity"}`,
				`{"fDouble":1e20}`:   `{"fDouble":100000000000000000000}`,
				`{"fDouble":5e-324}`: `{"fDouble":5e-324}`, `{"fDouble":1e-9}`: `{"fDouble":1e-9}`, `{"fDouble":"12.50"}`: `{"fDouble":12.5}`,
			},
			[]string{`{"fDouble":1e400}`, `{"fDouble":"1_0"}`, `{"fDouble":true}`},
		},
	})
}

func TestScalarFeatures(t *testing.T) {
	t.Parallel()
	checkFeatures(t, "t3.All", []feature{
		{
			"bool",
			map[string]string{`{"fBool":true}`: `{"fBool":true}`, `{"fBool":false}`: `{}`},
			[]string{`{"fBool":"true"}`, `{"fBool":1}`, `{"fBool":[]}`, `{"fBool":{}}`},
		},
		{
			"string",
			map[string]string{
				`{"fString":"\u00e9\ud83d\ude00\n\u0000\u007f"}`: `{"fString":"é😀\n\u0000` + "\x7f" + `"}`, `{"fString":"{}"}`: `{"fString":"{}"}`,
			},
			[]string{`{"fString":"\ud800"}`, `{"fString":1}`, "{\"fString\":\"\xff\"}", `{"fString":["a"]}`},
		},
		{
			"bytes",
			map[string]string{
				`{"fBytes":"+/8="}`: `{"fBytes":"+/8="}`, `{"fBytes":"-_8="}`: `{"fBytes":"+/8="}`, `{"fBytes":"-_8"}`: `{"fBytes":"+/8="}`,
				`{"fBytes":""}`: `{}`,
			},
			[]string{`{"fBytes":"!"}`, `{"fBytes":"ab c"}`, `{"fBytes":"+_8="}`, `{"fBytes":1}`, `{"fBytes":"a"}`},
		},
		{
			"enum, open",
			map[string]string{
				`{"fColor":"COLOR_RED"}`: `{"fColor":"COLOR_RED"}`, `{"fColor":"COLOR_CRIMSON"}`: `{"fColor":"COLOR_RED"}`,
				`{"fColor":"color_green"}`: `{"fColor":"COLOR_GREEN"}`,
				`{"fColor":2}`:             `{"fColor":"COLOR_GREEN"}`, `{"fColor":1.0}`: `{"fColor":"COLOR_RED"}`, `{"fColor":99}`: `{"fColor":99}`,
				`{"fColor":"Color_Crimson"}`: `{"fColor":"COLOR_RED"}`,
			},
			[]string{`{"fColor":"1"}`, `{"fColor":"RED"}`, `{"fColor":1.5}`, `{"fColor":2147483648}`, `{"fColor":true}`, `{"rColor":[null]}`},
		},
		{
			"NullValue",
			map[string]string{
				`{"fNull":null}`: `{}`, `{"oNull":null}`: `{"oNull":null}`, `{"oNull":"NULL_VALUE"}`: `{"oNull":null}`, `{"oNull":0}`: `{"oNull":null}`,
				`{"rNull":[null,"NULL_VALUE",0]}`: `{"rNull":[null,null,null]}`, `{"rNull":null}`: `{}`,
			},
			[]string{`{"oNull":false}`, `{"oNull":"null"}`},
		},
	})
}

func TestPresenceFeatures(t *testing.T) {
	t.Parallel()
	checkFeatures(t, "t3.All", []feature{
		{"implicit presence", map[string]string{`{"fInt32":0,"fString":"","fBytes":"","fColor":0}`: `{}`, `{"fInt32":null}`: `{}`}, nil},
		{"explicit presence", map[string]string{`{"oInt32":0}`: `{"oInt32":0}`, `{"oInt32":null}`: `{}`}, nil},
		{
			"null for any field",
			map[string]string{
				`{"sub":null,"rInt32":null,"mString":null,"any":null,"wInt32":null,"timestamp":null,"struct":null,"listValue":null,` +
					`"mask":null,"rValue":null}`: `{}`,
			},
			nil,
		},
		{
			"null in a list or map", nil,
			[]string{
				`{"rInt32":[null]}`, `{"rSub":[null]}`, `{"mString":{"a":null}}`, `{"mSub":{"a":null}}`, `{"rTimestamp":[null]}`, `{"rAny":[null]}`,
			},
		},
		{
			"null is a Value",
			map[string]string{
				`{"value":null}`: `{"value":null}`, `{"rValue":[null]}`: `{"rValue":[null]}`, `{"mValue":{"a":null}}`: `{"mValue":{"a":null}}`,
				`{"cValue":null}`: `{"cValue":null}`,
			},
			nil,
		},
		{
			"oneof",
			map[string]string{
				`{"cInt32":0}`: `{"cInt32":0}`, `{"cString":null,"cInt32":1}`: `{"cInt32":1}`, `{"cNull":null}`: `{"cNull":null}`,
				`{"cSub":{}}`: `{"cSub":{}}`,
			},
			[]string{`{"cInt32":1,"cString":"a"}`, `{"cInt32":1,"cNull":null}`, `{"cSub":{},"cValue":null}`},
		},
	})
}

func TestCollectionFeatures(t *testing.T) {
	t.Parallel()
	checkFeatures(t, "t3.All", []feature{
		{
			"repeated",
			map[string]string{
				`{"rInt32":[1,"2",3.0]}`: `{"rInt32":[1,2,3]}`, `{"rInt32":[]}`: `{}`, `{"rSub":[{},{"n":1}]}`: `{"rSub":[{},{"n":1}]}`,
			},
			[]string{`{"rInt32":1}`, `{"rInt32":{}}`, `{"rInt32":[1,"x"]}`, `{"rInt32":[[1]]}`},
		},
		{
			"map of strings",
			map[string]string{
				`{"mString":{"b":1,"a":2}}`: `{"mString":{"a":2,"b":1}}`, `{"mString":{"":1}}`: `{"mString":{"":1}}`,
				`{"mSub":{"a":{}}}`: `{"mSub":{"a":{}}}`,
			},
			[]string{`{"mString":{"a":1,"a":2}}`, `{"mString":[]}`, `{"mString":{"a":"x"}}`},
		},
		{
			"map of integers",
			map[string]string{
				`{"mInt32":{"10":"b","-1":"a","2":"c"}}`: `{"mInt32":{"-1":"a","2":"c","10":"b"}}`, `{"mInt32":{"01":"a"}}`: `{"mInt32":{"1":"a"}}`,
				`{"mUint64":{"18446744073709551615":"a","9":"b"}}`: `{"mUint64":{"9":"b","18446744073709551615":"a"}}`,
				`{"mInt64":{"-9007199254740993":"a"}}`:             `{"mInt64":{"-9007199254740993":"a"}}`,
				`{"mUint32":{"1":"a"}}`:                            `{"mUint32":{"1":"a"}}`,
			},
			[]string{
				`{"mInt32":{"1.0":"a"}}`, `{"mInt32":{"x":"a"}}`, `{"mUint32":{"-1":"a"}}`, `{"mInt32":{"1":"a","01":"b"}}`,
				`{"mInt32":{"2147483648":"a"}}`, `{"mUint64":{"1e1":"a"}}`, `{"mInt64":{"":"a"}}`,
			},
		},
		{
			"map of bools",
			map[string]string{`{"mBool":{"true":"a","false":"b"}}`: `{"mBool":{"false":"b","true":"a"}}`},
			[]string{`{"mBool":{"True":"a"}}`, `{"mBool":{"1":"a"}}`},
		},
		{
			"message",
			map[string]string{
				`{"sub":{}}`: `{"sub":{}}`, `{"sub":{"full_name":"a"}}`: `{"sub":{"fullName":"a"}}`,
				`{"all":{"all":{"fInt32":1}}}`: `{"all":{"all":{"fInt32":1}}}`,
			},
			[]string{`{"sub":1}`, `{"sub":[]}`, `{"sub":"a"}`, `{"sub":{"x":1}}`},
		},
		{
			"unknown field and duplicates",
			nil,
			[]string{`{"nothing":1}`, `{"fint32":1}`, `{"fInt32":1,"fInt32":2}`, `{"fInt32":1,"f_int32":2}`, `{"fInt32":null,"f_int32":2}`},
		},
	})
}

func TestWellKnownFeatures(t *testing.T) {
	t.Parallel()
	checkFeatures(t, "t3.All", []feature{
		{
			"Timestamp",
			map[string]string{
				`{"timestamp":"2026-01-31T10:30:00Z"}`:           `{"timestamp":"2026-01-31T10:30:00Z"}`,
				`{"timestamp":"2026-01-31T10:30:00.5+01:00"}`:    `{"timestamp":"2026-01-31T09:30:00.500Z"}`,
				`{"timestamp":"0001-01-01T00:00:00Z"}`:           `{"timestamp":"0001-01-01T00:00:00Z"}`,
				`{"timestamp":"9999-12-31T23:59:59.999999999Z"}`: `{"timestamp":"9999-12-31T23:59:59.999999999Z"}`,
			},
			[]string{
				`{"timestamp":"2026-01-31"}`, `{"timestamp":"yesterday"}`, `{"timestamp":1700000000}`, `{"timestamp":{}}`,
				`{"timestamp":"0000-01-01T00:00:00Z"}`, `{"timestamp":"2026-01-31t10:30:00z"}`, `{"timestamp":"2026-01-31T10:30:60Z"}`,
				`{"timestamp":"2026-01-31T10:30:00.1234567890Z"}`,
			},
		},
		{
			"Duration",
			map[string]string{
				`{"duration":"1s"}`: `{"duration":"1s"}`, `{"duration":"1.5s"}`: `{"duration":"1.500s"}`,
				`{"duration":"-.5s"}`: `{"duration":"-0.500s"}`, `{"duration":"+1s"}`: `{"duration":"1s"}`,
				`{"duration":"0.000001s"}`: `{"duration":"0.000001s"}`, `{"duration":"1.s"}`: `{"duration":"1s"}`,
			},
			[]string{`{"duration":"1m"}`, `{"duration":"PT1S"}`, `{"duration":"315576000001s"}`, `{"duration":1}`, `{"duration":""}`},
		},
		{
			"FieldMask",
			map[string]string{
				`{"mask":"fooBar,baz.quxQuux"}`: `{"mask":"fooBar,baz.quxQuux"}`, `{"mask":"foo_bar, baz.qux"}`: `{"mask":"fooBar,baz.qux"}`,
				`{"mask":["foo_bar","bazQux"]}`: `{"mask":"fooBar,bazQux"}`,
				`{"mask":""}`:                   `{"mask":""}`, `{"mask":"[\"foo_bar\"]"}`: `{"mask":"fooBar"}`, `{"mask":[]}`: `{"mask":""}`,
				`{"rMask":["a",["b"]]}`: `{"rMask":["a","b"]}`,
			},
			[]string{`{"mask":"a,,b"}`, `{"mask":"a b"}`, `{"mask":[1]}`, `{"mask":{}}`, `{"mask":"a."}`, `{"mask":["a,b"]}`, `{"mask":true}`},
		},
		{
			"Struct",
			map[string]string{
				`{"struct":{"b":[1,null,{"x":"y"}],"a":true}}`: `{"struct":{"a":true,"b":[1,null,{"x":"y"}]}}`, `{"struct":{}}`: `{"struct":{}}`,
			},
			[]string{`{"struct":[]}`, `{"struct":1}`, `{"struct":{"a":1e400}}`, `{"struct":{"a":1,"a":2}}`, `{"rStruct":[null]}`},
		},
		{
			"Value",
			map[string]string{
				`{"value":1.5}`: `{"value":1.5}`, `{"value":"a"}`: `{"value":"a"}`, `{"value":false}`: `{"value":false}`,
				`{"value":[[]]}`: `{"value":[[]]}`, `{"value":{"a":null}}`: `{"value":{"a":null}}`,
				`{"value":"[1]"}`: `{"value":"[1]"}`,
			},
			nil,
		},
		{
			"ListValue",
			map[string]string{`{"listValue":[1,"a",null]}`: `{"listValue":[1,"a",null]}`, `{"listValue":[]}`: `{"listValue":[]}`},
			[]string{`{"listValue":{}}`, `{"listValue":1}`},
		},
		{"Empty", map[string]string{`{"empty":{}}`: `{"empty":{}}`}, []string{`{"empty":{"a":1}}`, `{"empty":[]}`}},
		{
			"wrappers",
			map[string]string{
				`{"wInt32":0}`: `{"wInt32":0}`, `{"wInt64":"9007199254740993"}`: `{"wInt64":"9007199254740993"}`,
				`{"wInt64":9007199254740993}`: `{"wInt64":"9007199254740993"}`,
				`{"wDouble":"NaN"}`:           `{"wDouble":"NaN"}`, `{"wString":""}`: `{"wString":""}`, `{"wBytes":"-_8"}`: `{"wBytes":"+/8="}`,
				`{"wBool":false}`: `{"wBool":false}`,
			},
			[]string{`{"wInt32":{"value":1}}`, `{"wInt32":"x"}`, `{"wString":1}`, `{"wBool":"true"}`},
		},
	})
}

func TestAnyFeatures(t *testing.T) {
	t.Parallel()
	checkFeatures(t, "t3.All", []feature{
		{
			"Any",
			map[string]string{
				`{"any":{}}`: `{"any":{}}`,
				`{"any":{"n":1,"@type":"type.googleapis.com/t3.Sub"}}`:    `{"any":{"@type":"type.googleapis.com/t3.Sub","n":1}}`,
				`{"any":{"@type":"t3.Sub"}}`:                              `{"any":{"@type":"type.googleapis.com/t3.Sub"}}`,
				`{"any":{"@type":"other.host/t3.Sub"}}`:                   `{"any":{"@type":"other.host/t3.Sub"}}`,
				`{"any":{"type_url":"type.googleapis.com/t3.Sub","n":1}}`: `{"any":{"@type":"type.googleapis.com/t3.Sub","n":1}}`,
				`{"any":{"@type":"x/google.protobuf.Value","value":null}}`: `{"any":{"@type":"x/google.protobuf.Value",` +
					`"value":null}}`,
				`{"any":"{\"@type\":\"x/t3.Sub\",\"n\":\"1\"}"}`: `{"any":{"@type":"x/t3.Sub","n":1}}`,
				`{"rAny":[{"value":"1.5s","@type":"x/google.protobuf.Duration"}]}`: `{"rAny":[{"@type":"x/google.protobuf.Duration",` +
					`"value":"1.500s"}]}`,
				`{"any":{"@type":"x/google.protobuf.Any","value":{"@type":"x/t3.Sub","n":1}}}`: `{"any":{"@type":"x/google.protobuf.Any",` +
					`"value":{"@type":"x/t3.Sub","n":1}}}`,
			},
			[]string{
				`{"any":{"@type":"x/none.Such"}}`, `{"any":{"n":1}}`, `{"any":{"@type":""}}`, `{"any":{"@type":1}}`,
				`{"any":{"@type":"x/t3.Sub","x":1}}`, `{"any":[]}`, `{"any":"x"}`,
				`{"any":{"@type":"x/google.protobuf.Duration"}}`, `{"any":{"@type":"x/google.protobuf.Duration","value":"1s","more":1}}`,
				`{"any":{"@type":"x/google.protobuf.Duration","value":null}}`,
				`{"any":{"@type":"x/t3.Sub","type_url":"x/t3.Sub"}}`, `{"any":{"@type":"x/t2.Strict"}}`,
			},
		},
		{
			"Any of Empty",
			map[string]string{
				`{"any":{"@type":"x/google.protobuf.Empty"}}`:            `{"any":{"@type":"x/google.protobuf.Empty"}}`,
				`{"any":{"@type":"x/google.protobuf.Empty","value":{}}}`: `{"any":{"@type":"x/google.protobuf.Empty"}}`,
			},
			[]string{`{"any":{"@type":"x/google.protobuf.Empty","value":1}}`},
		},
		{
			"Any of a message with a field type_url",
			map[string]string{`{"any":{"@type":"x/t3.Typed","type_url":"a"}}`: `{"any":{"@type":"x/t3.Typed","type_url":"a"}}`},
			nil,
		},
	})
}

func TestNameFeatures(t *testing.T) {
	t.Parallel()
	checkFeatures(t, "t3.Names", []feature{
		{
			"refused JSON name",
			map[string]string{`{"@type":"a"}`: `{"odd":"a"}`, `{"odd":"a"}`: `{"odd":"a"}`},
			[]string{`{"odd":"a","@type":"b"}`},
		},
		{
			"cross alias",
			map[string]string{`{"x":"1"}`: `{"x":"1"}`, `{"a":"1"}`: `{"x":"1"}`, `{"y":"1"}`: `{"y":"1"}`},
			[]string{`{"x":"1","a":"2"}`},
		},
	})
	checkFeatures(t, "t2.Old", []feature{
		{
			"JSON-name conflict",
			map[string]string{`{"fooBar":2,"foo_bar":1}`: `{"foo_bar":1,"fooBar":2}`},
			nil,
		},
	})
}

func TestProto2Features(t *testing.T) {
	t.Parallel()
	checkFeatures(t, "t2.Old", []feature{
		{"default", map[string]string{`{}`: `{}`, `{"number":7}`: `{"number":7}`, `{"number":0}`: `{"number":0}`}, nil},
		{
			"enum, closed",
			map[string]string{
				`{"closed":"two"}`: `{"closed":"TWO"}`, `{"closed":99}`: `{"closed":99}`, `{"closeds":[1,99]}`: `{"closeds":["ONE",99]}`,
				`{"closedMap":{"a":99}}`: `{"closedMap":{"a":99}}`,
			},
			[]string{`{"closed":"THREE"}`},
		},
		{
			"enum names that differ in case only",
			map[string]string{`{"closed":"Case"}`: `{"closed":"Case"}`, `{"closed":"CASE"}`: `{"closed":"CASE"}`},
			[]string{`{"closed":"case"}`},
		},
		{
			"group",
			map[string]string{`{"grouplike":{"a":1}}`: `{"grouplike":{"a":1}}`, `{"GroupLike":{"a":1}}`: `{"grouplike":{"a":1}}`},
			[]string{`{"groupLike":{}}`},
		},
		{
			"required",
			map[string]string{`{"strict":{"name":"","pageCount":0}}`: `{"strict":{"name":"","pageCount":0}}`},
			[]string{`{"strict":{}}`, `{"strict":{"name":null,"pageCount":1}}`, `{"[t2.strict_note]":{}}`},
		},
		{
			"extension",
			map[string]string{
				`{"[t2.note]":"a","text":"b"}`: `{"text":"b","[t2.note]":"a"}`, `{"[t2.numbers]":[1,2]}`: `{"[t2.numbers]":[1,2]}`,
				`{"[t2.note]":null}`:                              `{}`,
				`{"[t2.strict_note]":{"name":"a","pageCount":1}}`: `{"[t2.strict_note]":{"name":"a","pageCount":1}}`,
				`{"[t2.numbers]":"[1]","[t2.note]":"n"}`:          `{"[t2.note]":"n","[t2.numbers]":[1]}`,
			},
			[]string{`{"[t2.none]":1}`, `{"[t2.other_note]":"a"}`, `{"[]":1}`, `{"[":1}`, `{"t2.note":"a"}`, `{"[t2.note]":1}`},
		},
	})
	checkFeatures(t, "t23.New", []feature{
		{
			"editions",
			map[string]string{
				`{"needed":1}`: `{"needed":1}`, `{"needed":1,"explicit":0,"implicit":0}`: `{"explicit":0,"needed":1}`,
				`{"needed":1,"myGroup":{"a":1}}`:                               `{"needed":1,"myGroup":{"a":1}}`,
				`{"needed":1,"my_group":{},"lax":"a","spread":[1,2],"shut":5}`: `{"needed":1,"myGroup":{},"lax":"a","spread":[1,2],"shut":5}`,
			},
			[]string{`{}`, ``, `null`, `{"needed":null}`},
		},
	})
}
