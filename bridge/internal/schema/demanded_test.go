package schema_test

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// TestRequestsThatCannotBeShown tells what is missing in requests that no schema can show whole.
func TestRequestsThatCannotBeShown(t *testing.T) {
	t.Parallel()
	const long = "a_rather_long_name_indeed"
	for name, c := range map[string]struct {
		text       string
		want, cuts string
	}{
		"too many required fields": {
			`message M { optional string s = 999; ` + fieldsOf(500, "", "required string "+long+"%d = %[1]d;") + `}`,
			"More fields are accepted than are listed here. Also required: aRatherLongNameIndeed",
			" required fields left out: aRatherLongNameIndeed",
		},
		"itself": {
			`message M { required M m = 1; }`, "No call can be complete: M requires itself.", "no call can be complete: M requires itself",
		},
		"in turn": {
			`message M { required N n = 1; } message N { required O o = 1; } message O { required N n = 1; }`,
			"N requires itself.", "N requires itself",
		},
		"a group": {`message M { required group G = 1 { required M m = 2; } }`, "M requires itself.", "M requires itself"},
		"can be":  {`message M { required N n = 1; required N o = 2; } message N { optional M m = 1; repeated M ms = 2; }`, "", ""},
	} {
		for _, profile := range []schema.Profile{schema.Portable, schema.Rich} {
			t.Run(name+"/"+profile.String(), func(t *testing.T) {
				t.Parallel()
				m := methodsOf(source(t, `syntax = "proto2"; package x; `+c.text+service))
				g := schema.New(readerOf(t, m), profile)
				got := g.Input(m[0].Input())
				check(t, portable(t, m)[0])
				checkRich(t, g, m[0], false)
				contains(t, got.JSON, []string{c.want}, nil)
				contains(t, []byte(strings.Join(got.Cuts, "; ")), []string{c.cuts}, nil)
				if c.want == "" {
					contains(t, got.JSON, nil, []string{"requires itself", "Also required"})
				}
				contains(t, g.Output(m[0].Output(), nil).JSON, nil, []string{"No call", "required"})
			})
		}
	}
}

// TestRequiredFieldsStayFirst shows none that is not required where one that is has no room.
func TestRequiredFieldsStayFirst(t *testing.T) {
	t.Parallel()
	m := methodsOf(source(t, `syntax = "proto2"; package x; message M { optional string s = 999; `+
		fieldsOf(400, "", "required string some_name%d = %[1]d;")+`}`+service))
	for _, profile := range []schema.Profile{schema.Portable, schema.Rich} {
		got := schema.New(readerOf(t, m), profile).Input(m[0].Input())
		contains(t, got.JSON, []string{`"someName1":`, " and "}, []string{`"s":`})
	}
}

// TestBytesAreMarked wherever a message that is sent is told by the names of its fields.
func TestBytesAreMarked(t *testing.T) {
	t.Parallel()
	const text = `syntax = "proto3"; package x; import "google/protobuf/wrappers.proto";
message Put {
  bytes key = 1; google.protobuf.BytesValue value = 2; string lease = 3;
  repeated bytes all = 4; map<string, bytes> by = 5; M m = 6;
}
`
	for name, c := range map[string]struct{ text, want string }{
		"stubs": {
			`message M { repeated A a = 1; A b = 2; } message A { B b = 1; B c = 2; } message B { C c = 1; C d = 2; } message C { D d = 1; }
			message D { E e = 1; } message E { Put put = 1; }`,
			"Put with key (base64), value (base64), lease, all (base64), by (base64), m.",
		},
		"maps": {`message M { map<string, Put> by = 1; }`, "Map of string to Put with key (base64 string), value (base64 string), lease, "},
		"maps of large messages": {
			`message M { map<string, N> by = 1; } message N { bytes raw = 1; ` + fieldsOf(8, "", "string s%d = 1%[1]d;") + `}`,
			"Map of string to N with raw (base64), s1, ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := portable(t, methodsOf(source(t, text+c.text+service)))[0]
			contains(t, s.input(), []string{c.want}, nil)
			contains(t, s.output(nil), nil, []string{"(base64)"})
		})
	}
	large := methodsOf(source(t, `syntax = "proto3"; package x; message M { N n = 1; string s = 2; } message N { repeated bytes raw = 1; `+
		fieldsOf(900, "", "string s%d = 1%[1]d;")+`}`+service))
	g := richGenerator(t, large)
	contains(t, g.Input(large[0].Input()).JSON, []string{"N object with raw (base64), s1, "}, nil)
	contains(t, g.Output(large[0].Output(), nil).JSON, []string{"N object with raw, s1, "}, nil)
}
