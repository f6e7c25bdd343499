package transcode_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// field encodes one length-delimited field; fields nest.
func field(number protowire.Number, parts ...string) string {
	return string(protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), strings.Join(parts, "")))
}

// The numbers of fields of t3.All, t2.Old and t23.New that tests put into wire bytes by hand.
const (
	fString, all, rString, rSub, mString, timestamp, duration = 8, 15, 17, 18, 20, 33, 34
	mask, structField, value, anyField, rValue, rAny, labels  = 35, 36, 37, 39, 47, 50, 53
	oldText, oldTexts, oldNote, subName                       = 5, 6, 100, 2
	newGroup, newLax, newNote                                 = 4, 5, 100
)

func marshal(t testing.TB, m proto.Message) string {
	t.Helper()
	return string(wireOf(t, m))
}

// replaced is a reply with leaves that protojson refuses: each is replaced where it is, and said.
type replaced struct {
	name, message, wire, result string
	warnings                    []string
}

func checkReplaced(t *testing.T, tests []replaced) {
	t.Helper()
	w := features(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, warnings, err := w.codec(t, fullName(tt.message), transcode.Options{}).AppendJSON([]byte("before"), []byte(tt.wire))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("before"+tt.result, string(got)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReplacedAnys(t *testing.T) {
	t.Parallel()
	bad := "a\xffb"
	checkReplaced(t, []replaced{
		{
			"Any of unknown type", "t3.All",
			field(rAny, marshal(t, &anypb.Any{TypeUrl: "x/none.Such", Value: []byte{1, 2}})),
			`{"rAny":[{"@type":"x/none.Such","value":"AQI="}]}`,
			[]string{`rAny[0]: the type "x/none.Such" is not known; its bytes are shown as base64`},
		},
		{
			"Any without a type", "t3.All", field(anyField, field(2, "\x01")), `{"any":{"@type":"","value":"AQ=="}}`,
			[]string{`any: the type "" is not known; its bytes are shown as base64`},
		},
		{
			"Any of malformed bytes", "t3.All",
			field(anyField, marshal(t, &anypb.Any{TypeUrl: "x/t3.Sub", Value: []byte{0xff}})),
			`{"any":{"@type":"x/t3.Sub","value":"/w=="}}`,
			[]string{`any: the bytes are not a valid t3.Sub; they are shown as base64`},
		},
		{
			"Any with a faulty leaf inside", "t3.All",
			field(anyField,
				marshal(t, &anypb.Any{TypeUrl: "x/google.protobuf.Duration", Value: []byte(marshal(t, &durationpb.Duration{Nanos: 2e9}))})),
			`{"any":{"@type":"x/google.protobuf.Duration","value":"seconds=0 nanos=2000000000"}}`,
			[]string{`any: the duration is out of range; its fields are shown as they are`},
		},
		{
			"Any with bad UTF-8 inside", "t3.All",
			field(anyField, field(1, "x/t3.Sub"), field(2, field(subName, bad))),
			`{"any":{"@type":"x/t3.Sub","fullName":"a` + "\ufffd" + `b"}}`,
			[]string{`any.fullName: not valid UTF-8; U+FFFD stands in place of the bad bytes`},
		},
	})
}

func TestReplacedStrings(t *testing.T) {
	t.Parallel()
	bad := "a\xffb"
	checkReplaced(t, []replaced{
		{
			"bad UTF-8, proto3", "t3.All",
			field(rString, "ok") + field(rString, bad) + field(all, field(fString, bad)),
			`{"all":{"fString":"a` + "\ufffd" + `b"},"rString":["ok","a` + "\ufffd" + `b"]}`,
			[]string{
				`rString[1]: not valid UTF-8; U+FFFD stands in place of the bad bytes`,
				`all.fString: not valid UTF-8; U+FFFD stands in place of the bad bytes`,
			},
		},
		{
			"bad UTF-8, map", "t3.All", field(labels, field(1, bad), field(2, bad)), `{"labels":{"a` + "\ufffd" + `b":"a` + "\ufffd" + `b"}}`,
			[]string{
				`labels: not valid UTF-8; U+FFFD stands in place of the bad bytes`, `labels: not valid UTF-8; U+FFFD stands in place of the bad bytes`,
			},
		},
		{
			"bad UTF-8, Struct", "t3.All", field(structField, field(1, field(1, "k"), field(2, field(3, bad)))),
			`{"struct":{"k":"a` + "\ufffd" + `b"}}`,
			[]string{`struct: not valid UTF-8; U+FFFD stands in place of the bad bytes`},
		},
		{
			"bad UTF-8, proto2", "t2.Old",
			field(oldText, bad) + field(oldNote, bad) + field(oldTexts, field(1, bad), field(2, "x")),
			`{"text":"a` + "\ufffd" + `b","texts":{"a` + "\ufffd" + `b":"x"},"[t2.note]":"a` + "\ufffd" + `b"}`,
			[]string{
				`text: not valid UTF-8; U+FFFD stands in place of the bad bytes`,
				`texts: the key "a` + "\ufffd" + `b" is not valid UTF-8; U+FFFD stands in its place`,
				`[t2.note]: not valid UTF-8; U+FFFD stands in place of the bad bytes`,
			},
		},
		{
			"bad UTF-8, proto2, keys that become equal", "t2.Old",
			field(oldTexts, field(1, "\xfe"), field(2, "x")) + field(oldTexts, field(1, "\xff"), field(2, "y")),
			`{"texts":{"` + "\ufffd" + `":"x"}}`,
			[]string{
				`texts: the key "` + "\ufffd" + `" is not valid UTF-8; U+FFFD stands in its place`,
				`texts: the key "` + "\ufffd" + `" is not valid UTF-8; U+FFFD stands in its place`,
			},
		},
		{
			"bad UTF-8, editions", "t23.New", field(newLax, bad), `{"lax":"a` + "\ufffd" + `b"}`,
			[]string{`lax: not valid UTF-8; U+FFFD stands in place of the bad bytes`},
		},
	})
}

func TestReplacedValues(t *testing.T) {
	t.Parallel()
	checkReplaced(t, []replaced{
		{
			"Timestamp out of range", "t3.All", field(timestamp, marshal(t, &timestamppb.Timestamp{Seconds: 253402300800, Nanos: 5})),
			`{"timestamp":"seconds=253402300800 nanos=5"}`,
			[]string{`timestamp: the timestamp is out of range; its fields are shown as they are`},
		},
		{
			"Duration out of range", "t3.All", field(duration, marshal(t, &durationpb.Duration{Seconds: 1, Nanos: -1})),
			`{"duration":"seconds=1 nanos=-1"}`,
			[]string{`duration: the duration is out of range; its fields are shown as they are`},
		},
		{
			"FieldMask without canonical form", "t3.All", field(mask, marshal(t, &fieldmaskpb.FieldMask{Paths: []string{"*", "foo_1", "a_b"}})),
			`{"mask":"*,foo_1,a_b"}`,
			[]string{`mask: the field mask has no canonical JSON form; its paths are shown as they are`},
		},
		{
			"NaN and infinities in a Value", "t3.All",
			field(rValue, marshal(t, structpb.NewNumberValue(math.NaN()))) + field(rValue, marshal(t, structpb.NewNumberValue(math.Inf(-1)))),
			`{"rValue":["NaN","-Infinity"]}`,
			[]string{`rValue[0]: not a finite number; shown as a string`, `rValue[1]: not a finite number; shown as a string`},
		},
		{"Value of nothing", "t3.All", field(value), `{"value":null}`, []string{`value: the value holds nothing; shown as null`}},
		{
			"wrapped root", "google.protobuf.Timestamp", marshal(t, &timestamppb.Timestamp{Nanos: -1}), `{"result":"seconds=0 nanos=-1"}`,
			[]string{`the timestamp is out of range; its fields are shown as they are`},
		},
	})
}

// Strings in groups and extensions are mended too, and what surrounds them stays.
func TestReplacedLeafInGroup(t *testing.T) {
	t.Parallel()
	wire := protowire.AppendTag(nil, newGroup, protowire.StartGroupType)
	wire = append(wire, field(2, "\xff")+"\x08\x07"...)
	wire = protowire.AppendTag(wire, newGroup, protowire.EndGroupType)
	wire = append(wire, field(newNote, "\xff")+field(newNote+1, "\xff")...)
	got, warnings, err := features(t).codec(t, "t23.New", transcode.Options{}).AppendJSON(nil, wire)
	if want := `{"myGroup":{"a":7,"s":"` + "\ufffd" + `"},"[t23.note]":"` + "\ufffd" + `"}`; err != nil || string(got) != want {
		t.Errorf("result %s, error %v; want %s", got, err, want)
	}
	want := []string{
		`myGroup.s: not valid UTF-8; U+FFFD stands in place of the bad bytes`,
		`[t23.note]: not valid UTF-8; U+FFFD stands in place of the bad bytes`,
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	got, warnings, err := features(t).codec(t, "t3.All", transcode.Options{}).AppendJSON(nil, []byte(strings.Repeat(field(rValue), 30)))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(got), "null"); n != 30 {
		t.Errorf("%d values, want 30", n)
	}
	if len(warnings) != transcode.MaxWarnings {
		t.Fatalf("%d warnings, want %d", len(warnings), transcode.MaxWarnings)
	}
	if got, want := warnings[transcode.MaxWarnings-1], "11 more values were replaced"; got != want {
		t.Errorf("last warning %q, want %q", got, want)
	}
}

// With defaults, what has no presence is written even when zero; without, it is not.
func TestEmitDefaults(t *testing.T) {
	t.Parallel()
	w := features(t)
	tests := []struct{ message, bare, full string }{
		{"t3.Sub", `{}`, `{"n":0,"fullName":""}`},
		{"t3.Names", `{}`, `{"odd":"","x":"","y":""}`},
		{"t2.Old", `{}`, `{"closeds":[],"texts":{},"closedMap":{}}`},
		{"t23.New", `{}`, `{"implicit":0,"spread":[]}`},
		{"google.protobuf.Struct", `{}`, `{}`},
		{"google.protobuf.Any", `{}`, `{}`},
		{"google.protobuf.Empty", `{}`, `{}`},
		{"google.protobuf.ListValue", `{"result":[]}`, `{"result":[]}`},
		{"google.protobuf.Int64Value", `{"result":"0"}`, `{"result":"0"}`},
		{"google.protobuf.FieldMask", `{"result":""}`, `{"result":""}`},
		{"google.protobuf.Duration", `{"result":"0s"}`, `{"result":"0s"}`},
	}
	for _, tt := range tests {
		t.Run(tt.message, func(t *testing.T) {
			t.Parallel()
			for defaults, want := range map[bool]string{false: tt.bare, true: tt.full} {
				got, _, err := w.codec(t, fullName(tt.message), transcode.Options{EmitDefaults: defaults}).AppendJSON(nil, nil)
				if err != nil || string(got) != want {
					t.Errorf("defaults=%v: %s, %v; want %s", defaults, got, err, want)
				}
			}
		})
	}
}

func TestResultSize(t *testing.T) {
	t.Parallel()
	w := features(t)
	result := `{"fString":"` + strings.Repeat("x", 50) + `"}`
	wire := []byte(field(fString, strings.Repeat("x", 50)))
	for size, fits := range map[int]bool{len(result): true, len(result) - 1: false, 1: false} {
		got, _, err := w.codec(t, "t3.All", transcode.Options{MaxResult: size}).AppendJSON([]byte("before"), wire)
		switch {
		case fits && (err != nil || string(got) != "before"+result):
			t.Errorf("MaxResult %d: %s, %v; want the result", size, got, err)
		case !fits && (!errors.Is(err, transcode.ErrTooLarge) || string(got) != "before"):
			t.Errorf("MaxResult %d: %s, %v; want ErrTooLarge and dst as it was", size, got, err)
		}
	}
	_, _, err := w.codec(t, "t3.All", transcode.Options{MaxResult: 10}).AppendJSON(nil, wire)
	if want := "result too large: more than 10 bytes of JSON from a reply of 52 bytes"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The bound holds while writing, whatever is being written when it is passed.
func TestResultSizeStopsWriting(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "t3.All", transcode.Options{MaxResult: 1000})
	entries := ""
	for i := range 1000 {
		entries += field(mString, field(1, strconv.Itoa(i)))
	}
	for name, wire := range map[string]string{
		"list":         strings.Repeat(field(rSub), 1000),
		"map":          entries,
		"nested lists": strings.Repeat(field(all, field(all, strings.Repeat(field(rSub), 100))), 10),
		"one string":   field(fString, strings.Repeat("x", 2000)),
		"any":          field(anyField, field(1, "x/t3.All"), field(2, strings.Repeat(field(rSub), 1000))),
	} {
		if _, _, err := c.AppendJSON(nil, []byte(wire)); !errors.Is(err, transcode.ErrTooLarge) {
			t.Errorf("%s: error %v, want ErrTooLarge", name, err)
		}
	}
}

// What nests beyond MaxDepth is cut off, and said.
func TestResultDepth(t *testing.T) {
	t.Parallel()
	w := features(t)
	c := w.codec(t, "t3.All", transcode.Options{MaxDepth: 3})
	nested := field(all, field(all, field(all, field(fString, "deep"))))
	tests := map[string]struct{ wire, result, warning string }{
		"within":  {field(all, field(all, field(fString, "a"))), `{"all":{"all":{"fString":"a"}}}`, ""},
		"message": {nested, `{"all":{"all":{"all":{}}}}`, `all.all.all: nested deeper than 3 levels; what is below is left out`},
		"list": {
			field(all, field(all, field(rString, "a"))), `{"all":{"all":{"rString":[]}}}`,
			`all.all.rString: nested deeper than 3 levels; what is below is left out`,
		},
		"Any": {
			field(all, field(all, field(anyField, field(1, "x/t3.Sub")))), `{"all":{"all":{"any":{}}}}`,
			`all.all.any: nested deeper than 3 levels; what is below is left out`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, warnings, err := c.AppendJSON(nil, []byte(tt.wire))
			if err != nil || string(got) != tt.result || strings.Join(warnings, "\n") != tt.warning {
				t.Errorf("%s, %q, %v; want %s and %q", got, warnings, err, tt.result, tt.warning)
			}
		})
	}
}

// Deep wire, with or without bad UTF-8 at the bottom, costs no more than its size.
func TestDeepWire(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "t3.All", transcode.Options{})
	wire := []byte(field(fString, "\xff"))
	for range 5000 {
		wire = append(protowire.AppendVarint(protowire.AppendTag(nil, all, protowire.BytesType), uint64(len(wire))), wire...)
	}
	got, warnings, err := c.AppendJSON(nil, wire)
	if err != nil || len(warnings) != 2 {
		t.Fatalf("warnings %q, error %v; want one for the depth and one for the string", warnings, err)
	}
	if depth := strings.Count(string(got), "{"); depth != 101 {
		t.Errorf("%d levels, want 100 and an empty one", depth)
	}
}

func TestMalformedReplies(t *testing.T) {
	t.Parallel()
	c := features(t).codec(t, "t3.All", transcode.Options{})
	for name, wire := range map[string]string{
		"truncated string":          "\x42\x05ab",
		"truncated varint":          "\x10\xff",
		"truncated message":         "\x72\x7f",
		"bad tag":                   "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"field number zero":         "\x00\x00",
		"unmatched end of group":    "\x0c",
		"bad UTF-8 and truncated":   field(fString, "\xff") + "\x42\x05ab",
		"map key of two wire types": field(mString, "\x0a\x01a"+"\x08\x01"),
		"truncated inside":          field(14, "\x12\x05ab"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := c.AppendJSON([]byte("before"), []byte(wire))
			if !errors.Is(err, transcode.ErrReply) || !strings.Contains(err.Error(), "not a valid t3.All") || string(got) != "before" {
				t.Errorf("%s, %v; want an error that names the type, and dst as it was", got, err)
			}
		})
	}
}

// A field of a newer version of the message is passed over.
func TestUnknownFieldsInReply(t *testing.T) {
	t.Parallel()
	got, warnings, err := features(t).codec(t, "t3.Sub", transcode.Options{}).AppendJSON(nil, []byte(field(99, "new")+"\x08\x01"))
	if err != nil || string(got) != `{"n":1}` || warnings != nil {
		t.Errorf("%s, %q, %v; want the known field only", got, warnings, err)
	}
}
