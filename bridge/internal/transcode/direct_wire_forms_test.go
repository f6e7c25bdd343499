package transcode_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// form is a way to write arguments for a message of the features.
type form struct {
	message, arguments string
}

// takenForms are those that the direct path is to take itself.
var takenForms = []form{
	{"t3.All", ``},
	{"t3.All", " \t\r\n"},
	{"t3.All", ` null `},
	{"t3.All", ` { } `},
	{"t3.All", `{"fInt32":12.0,"fUint32":"1e3","fInt64":"-9223372036854775808","f_uint64":18446744073709551615}`},
	{"t3.All", `{"fInt32":-2147483648,"fUint32":4294967295,"fInt64":100e-2,"fUint64":0.0e99999999999}`},
	{"t3.All", `{"fInt64":1000000000000000000000e-3,"fUint64":1.50e1,"rInt32":["-0",-0,1.0E+1]}`},
	{"t3.All", `{"fUint64":0.1e20,"fInt64":"0.50e19"}`},
	{"t3.All", `{"fFloat":"NaN","fDouble":"-Infinity"}`},
	{"t3.All", `{"fFloat":-0.0,"fDouble":"-0"}`},
	{"t3.All", `{"fFloat":3.4028235e38,"fDouble":5e-324}`},
	{"t3.All", `{"fBool":false,"fString":"","fBytes":"","fColor":"COLOR_UNSPECIFIED","oInt32":0,"oNull":null}`},
	{"t3.All", `{"fColor":"color_green","rColor":["COLOR_CRIMSON",7,-1,2.0]}`},
	{"t3.All", `{"fBytes":"-_8","rString":["\u0041\ud83d\ude00\/\b\f\n\r\t\"\\"]}`},
	{"t3.All", `{"fBytes":"+/8="}`},
	{"t3.All", `{"fBytes":"+/8=\n\n\r\n"}`},
	{"t3.All", `{"fString":null,"rInt32":null,"mString":null,"sub":null,"value":null,"cValue":null}`},
	{"t3.All", `{"cString":null,"cInt32":1,"cSub":null}`},
	{"t3.All", `{"cNull":null}`},
	{"t3.All", `{"rInt32":[],"rSub":[{},{"n":1,"full_name":"x"}],"mSub":{},"rNull":[null],"rValue":[null,1,"a",[],{}]}`},
	{"t3.All", `{"mString":{"b":1,"a":2,"":3,"\u0063":4},"mBool":{"true":"","false":"x"},"mInt32":{"-1":"a","0":"b","10":"c"}}`},
	{"t3.All", `{"mUint64":{"18446744073709551615":"a"},"mInt64":{"-9223372036854775808":"b"},"mValue":{"a":null}}`},
	{"t3.All", `{"mString":{"i":9,"h":8,"g":7,"f":6,"e":5,"d":4,"c":3,"b":2,"a":1,"aa":0}}`},
	{"t3.All", `{"timestamp":"2024-02-29T23:59:59.123456789-23:59","rTimestamp":["0001-01-01T00:00:00Z","9999-12-31T23:59:59.9Z"]}`},
	{"t3.All", `{"duration":"-.5s"}`},
	{"t3.All", `{"duration":"+315576000000.000000001s"}`},
	{"t3.All", `{"duration":"1.s"}`},
	{"t3.All", `{"mask":" fooBar, foo_bar.bazQux,*,foo_Bar,a.* ","rMask":["",[],["aB","*"]]}`},
	{"t3.All", `{"struct":{"a":{"b":[1,"x",true,false,null,{}]}},"listValue":[[],[1e300]]}`},
	{"t3.All", `{"wInt32":0,"wInt64":"5","wDouble":"NaN","wString":"","wBytes":"AA","wBool":true,"empty":{}}`},
	{"t3.All", `{"any":{"fullName":"x","type_url":"t3.Sub"},"rAny":[{},{"@type":"x/google.protobuf.Empty"}]}`},
	{"t3.All", `{"any":{"value":{"@type":"x/google.protobuf.Duration","value":"1s"},"@type":"x/google.protobuf.Any"}}`},
	{"t3.All", `{"any":{"type_url":"y","@type":"x/t3.Typed"}}`},
	{"t3.All", `{"any":{"@type":"x/google.protobuf.Value","value":null}}`},
	{"t3.All", `{"any":{"mValue":{"a":[ {"a" : "}\"]"} , 1 ]} ,"@type":"x/t3.All"}}`},
	{"t3.Names", `{"@type":"a","x":"b","y":"c"}`},
	{"t2.Old", `{"GroupLike":{"a":1,"s":"x"}}`},
	{"t2.Old", `{"grouplike":{},"[t2.note]":"n","[t2.numbers]":[1,2],"[t2.strict_note]":{"name":"a","pageCount":0}}`},
	{"t2.Old", `{"number":7,"fooBar":1,"foo_bar":2,"closeds":["ZERO","Case","CASE"],"closedMap":{"a":"TWO"}}`},
	{"t2.Strict", `{"name":"","pageCount":0}`},
	{"t23.New", `{"explicit":0,"implicit":0,"needed":0,"myGroup":{"a":1},"spread":[1,2],"[t23.note]":""}`},
	{"google.protobuf.Timestamp", `{"value":"2026-01-31T10:30:00Z"}`},
	{"google.protobuf.Value", `{"value":null}`},
	{"google.protobuf.Value", `null`},
	{"google.protobuf.ListValue", `[1,"a"]`},
	{"google.protobuf.Duration", `{"value":null}`},
	{"google.protobuf.Struct", `{"value":null}`},
	{"google.protobuf.Any", `{"@type":"x/t3.Sub","n":3}`},
}

func TestDirectWireForms(t *testing.T) {
	t.Parallel()
	w := features(t)
	for _, f := range takenForms {
		t.Run(fmt.Sprintf("%s %s", f.message, f.arguments), func(t *testing.T) {
			t.Parallel()
			md := w.message(t, protoreflect.FullName(f.message))
			c := compile(t, md, w.types, transcode.Options{})
			if direct, valid := bothWays(t, c, md, w.types, f.arguments); !direct || !valid {
				t.Errorf("taken by the direct path %v, by the reference %v", direct, valid)
			}
		})
	}
}

// What the direct path leaves to the reference on purpose gives the reference's result, and counts as declined.
func TestDirectWireDeclines(t *testing.T) {
	t.Parallel()
	w := features(t)
	for _, f := range []form{
		{"t3.All", `"{\"fInt32\":1}"`},
		{"t3.All", `{"sub":"{\"n\":1}","rInt32":"[1]"}`},
		{"t3.All", `{"any":"{\"@type\":\"t3.Sub\"}"}`},
		{"t3.All", `{"mask":"[\"a\"]"}`},
		{"t3.All", "{\"mask\":\"a,\u00a0b\"}"},
		{"t3.All", `{"timestamp":"2026-01-31T1:30:00Z"}`},
		{"t3.All", `{"duration":".s"}`},
		{"t3.All", `{"mInt32":{"01":"a"}}`},
		{"t3.All", `{"mInt64":{"+1":"a"}}`},
		{"t3.All", "{\"fColor\":\"COLOR_UN\u017fPECIFIED\"}"},
		{"google.protobuf.StringValue", `"text"`},
	} {
		t.Run(fmt.Sprintf("%s %s", f.message, f.arguments), func(t *testing.T) {
			t.Parallel()
			md := w.message(t, protoreflect.FullName(f.message))
			var told []bool
			c := compile(t, md, w.types, transcode.Options{Declined: func(reply bool) { told = append(told, reply) }})
			if direct, valid := bothWays(t, c, md, w.types, f.arguments); direct || !valid {
				t.Fatalf("taken by the direct path %v, by the reference %v", direct, valid)
			}
			got, err := c.AppendWire(nil, []byte(f.arguments))
			want, _ := c.ReferenceWire(nil, []byte(f.arguments))
			if declined, _ := c.Declined(); err != nil || !bytes.Equal(got, want) || declined != 1 || !slices.Equal(told, []bool{false}) {
				t.Errorf("AppendWire gave %x, %v with %d declined, told as %v, want %x and 1", got, err, declined, told, want)
			}
		})
	}
}

// Both paths refuse at the same depth and the same number of tokens.
func TestDirectWireLimits(t *testing.T) {
	t.Parallel()
	w := features(t)
	md := w.message(t, "t3.All")
	c := compile(t, md, w.types, transcode.Options{MaxDepth: 5})
	nested := func(open, inner, shut string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	list := func(head, element, tail string, n int) string {
		return head + strings.Repeat(element+",", n-1) + element + tail
	}
	tokens := jsonrpc.DefaultLimits.Tokens
	for name, arguments := range map[string]func(more int) string{
		"objects":  func(more int) string { return nested(`{"all":`, `{}`, `}`, 4+more) },
		"values":   func(more int) string { return `{"value":` + nested(`[`, ``, `]`, 4+more) + `}` },
		"structs":  func(more int) string { return `{"struct":` + nested(`{"a":`, `{}`, `}`, 3+more) + `}` },
		"Any":      func(more int) string { return nested(`{"any":{"@type":"x/t3.All","all":`, `{}`, `}}`, 2) + "" },
		"elements": func(more int) string { return list(`{"rInt32":[`, `1`, `]}`, tokens-5+more) },
		"members":  func(more int) string { return list(`{"rSub":[`, `{"n":1}`, `]}`, (tokens-5)/4+more) },
		"in an Any": func(more int) string {
			return list(`{"any":{"n":1,"@type":"x/google.protobuf.ListValue","value":[`, `1`, `]}}`, tokens+more)
		},
		"typed": func(more int) string {
			return list(`{"any":{"@type":"x/google.protobuf.ListValue","value":[`, `1`, `]}}`, tokens-12+more)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for more := range 6 {
				if direct, valid := bothWays(t, c, md, w.types, arguments(more-2)); direct != valid {
					t.Errorf("%d above: taken by the direct path %v, by the reference %v", more-2, direct, valid)
				}
			}
		})
	}
}

// A codec that has seen what it gets allocates nothing.
func TestDirectWireAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes from pools at random")
	}
	md, types := everything(t)
	c := compile(t, md, types, transcode.Options{})
	texts := samples()
	texts["well-known"] = `{"timestamp":"2026-01-31T10:30:00.5Z","duration":"1.5s","fieldMask":"aB,c.d","wrappedInt64":"5",` +
		`"struct":{"b":[1,"\u0041"],"a":null},` +
		`"any":{"@type":"type.googleapis.com/echo.v1.Nested","id":1},"singleBytes":"AQID","mapStringString":{"j":"",` +
		`"i":"","h":"","g":"","f":"","e":"","d":"","c":"","b":""}}`
	for name, text := range texts {
		arguments := []byte(text)
		dst, err := c.AppendWire(nil, arguments)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(50, func() { dst, _ = c.AppendWire(dst[:0], arguments) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if declined, _ := c.Declined(); declined != 0 {
		t.Errorf("%d declined", declined)
	}
}
