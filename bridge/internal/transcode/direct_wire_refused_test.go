package transcode_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// manyKeys are the members of an object with more keys than are compared in pairs, the last of them last.
func manyKeys(last string) string {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, `"k%d":%d,`, 20-i, i)
	}
	return b.String() + last
}

// refusedForms have faults of all kinds.
var refusedForms = []form{
	{"t3.All", `{"mString":{"a":1,"b":2,"a":3}}`},
	{"t3.All", `{"mString":{"b":1,"a":2,"\u0062":3}}`},
	{"t3.All", `{"mString":{"\u0061":1,"\u0061":3}}`},
	{"t3.All", `{"mString":{` + manyKeys(`"k7":1`) + `}}`},
	{"t3.All", `{"mString":{` + manyKeys(`"\u006b7":1`) + `}}`},
	{"t3.All", `{"struct":{` + manyKeys(`"k7":1`) + `}}`},
	{"t3.All", `{"struct":{"a":{"b":1,"a":1,"b":2}}}`},
	{"t3.All", `{"value":{"a":1,"a":1}}`},
	{"t3.All", `{"mInt32":{"1":"a","01":"b"}}`},
	{"t3.All", `{"mBool":{"true":"a","true":"b"}}`},
	{"t3.All", `{"mBool":{"True":"a"}}`},
	{"t3.All", `{"mUint32":{"-0":"a"}}`},
	{"t3.All", `{"mInt32":{"2147483648":"a"}}`},
	{"t3.All", `{"mInt32":{"":"a"}}`},
	{"t3.All", `{"mString":{"a":null}}`},
	{"t3.All", `{"sub":{"fullName":"a","full_name":"b"}}`},
	{"t3.All", `{"sub":{"n":null,"n":null}}`},
	{"t3.All", `{"cString":"a","cInt32":1}`},
	{"t3.All", `{"cString":"a","cValue":null}`},
	{"t3.All", `{"rInt32":[null]}`},
	{"t3.All", `{"rInt32":[1,]}`},
	{"t3.All", `{"fInt32":1,}`},
	{"t3.All", `{,"fInt32":1}`},
	{"t3.All", `{"fInt32" 1}`},
	{"t3.All", `{"fInt32":01}`},
	{"t3.All", `{"fInt32":"01"}`},
	{"t3.All", `{"fInt32":1.5}`},
	{"t3.All", `{"fInt32":15e-1}`},
	{"t3.All", `{"fUint64":1e-99999999999}`},
	{"t3.All", `{"fInt32":2147483648}`},
	{"t3.All", `{"fUint64":18446744073709551616}`},
	{"t3.All", `{"fUint64":1844674407370955161e2}`},
	{"t3.All", `{"fUint64":0.0000000000000000000001e22}`},
	{"t3.All", `{"fUint32":-1}`},
	{"t3.All", `{"fFloat":3.5e38}`},
	{"t3.All", `{"fDouble":1e309}`},
	{"t3.All", `{"fDouble":"inf"}`},
	{"t3.All", `{"fDouble":"` + strings.Repeat("1", 65) + `"}`},
	{"t3.All", `{"value":1e309}`},
	{"t3.All", `{"fColor":"1"}`},
	{"t3.All", `{"fColor":2147483648}`},
	{"t3.All", `{"fBytes":"A"}`},
	{"t3.All", `{"fBytes":"+_8="}`},
	{"t3.All", `{"fString":"\ud800"}`},
	{"t3.All", `{"fString":"\ud800\u0041"}`},
	{"t3.All", `{"fString":"\udc00\ud800"}`},
	{"t3.All", "{\"fString\":\"eight...\x1f\"}"},
	{"t3.All", "{\"fString\":\"eight...\xed\xa0\x80\"}"},
	{"t3.All", `{"fString":"\x"}`},
	{"t3.All", `{"fString":"\u00g0"}`},
	{"t3.All", `{"fBool":truex}`},
	{"t3.All", `{"sub":nul}`},
	{"t3.All", `{"timestamp":"2023-02-29T00:00:00Z"}`},
	{"t3.All", `{"timestamp":"2100-02-29T00:00:00Z"}`},
	{"t3.All", `{"timestamp":"2026-04-31T00:00:00Z"}`},
	{"t3.All", `{"timestamp":"2026-01-31T24:00:00Z"}`},
	{"t3.All", `{"timestamp":"2026-01-31T23:59:60Z"}`},
	{"t3.All", `{"timestamp":"0001-01-01T00:00:00+00:01"}`},
	{"t3.All", `{"timestamp":"9999-12-31T23:59:59-00:01"}`},
	{"t3.All", `{"timestamp":"0000-12-31T23:59:59Z"}`},
	{"t3.All", `{"timestamp":"2026-01-31T00:00:00.1234567890Z"}`},
	{"t3.All", `{"timestamp":"2026-01-31t00:00:00z"}`},
	{"t3.All", `{"duration":"315576000001s"}`},
	{"t3.All", `{"duration":"01s"}`},
	{"t3.All", `{"duration":"1.0000000001s"}`},
	{"t3.All", `{"duration":"s"}`},
	{"t3.All", `{"mask":"a,,b"}`},
	{"t3.All", `{"mask":"a..b"}`},
	{"t3.All", `{"rMask":[["a,b"]]}`},
	{"t3.All", `{"any":{"n":1}}`},
	{"t3.All", `{"any":{"@type":"x/none.Such"}}`},
	{"t3.All", `{"any":{"@type":"x/t3.Sub","@type":"x/t3.Sub"}}`},
	{"t3.All", `{"any":{"@type":"x/t3.Sub","type_url":"x/t3.Sub"}}`},
	{"t3.All", `{"any":{"@type":"x/google.protobuf.Struct"}}`},
	{"t3.All", `{"any":{"@type":"x/google.protobuf.Empty","value":{},"value":{}}}`},
	{"t3.All", `{"any":{"@type":"x/google.protobuf.Duration","value":null}}`},
	{"t3.All", `{"any":{"n":[}],"@type":"x/t3.Sub"}}`},
	{"t3.All", `{"wInt32":{"value":1}}`},
	{"t3.All", `{"empty":{"a":1}}`},
	{"t3.All", `{"[t2.note]":"a"}`},
	{"t3.All", `{} {}`},
	{"t3.All", "\x00"},
	{"t3.All", "{}\x00"},
	{"t2.Old", `{"[t2.note]":"a","[t2.note]":"b"}`},
	{"t2.Old", `{"[t2.other_note]":"a"}`},
	{"t2.Old", `{"[t2.strict_note]":{"name":"a"}}`},
	{"t2.Old", `{"closed":"case"}`},
	{"t2.Strict", `{"name":"a","pageCount":null}`},
	{"t2.Strict", `null`},
	{"t2.Strict", ``},
	{"google.protobuf.Duration", `{"value":"1s","value":"1s"}`},
	{"google.protobuf.Duration", `{"seconds":1}`},
}

// The direct path takes nothing that the reference refuses.
func TestDirectWireRefuses(t *testing.T) {
	t.Parallel()
	w := features(t)
	for _, f := range refusedForms {
		t.Run(fmt.Sprintf("%s %s", f.message, f.arguments), func(t *testing.T) {
			t.Parallel()
			md := w.message(t, protoreflect.FullName(f.message))
			c := compile(t, md, w.types, transcode.Options{})
			if direct, valid := bothWays(t, c, md, w.types, f.arguments); direct || valid {
				t.Errorf("taken by the direct path %v, by the reference %v", direct, valid)
			}
		})
	}
}
