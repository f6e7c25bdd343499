package annotation_test

import (
	"testing"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// descendedOnly are rules that PGV alone has, and what buf.validate makes of it.
var descendedOnly = []ruled{
	{name: "ignore_empty", rules: `{string: {min_len: 1, ignore_empty: true}}`, want: &demand{MinLength: size(1)}},
	{name: "ignore_empty_bytes", typ: "bytes", rules: `{bytes: {min_len: 1, ignore_empty: true}}`, want: &demand{MinBytes: size(1)}},
	{name: "ignore_empty_int", typ: "int32", rules: `{int32: {gt: 0, ignore_empty: true}}`, want: &demand{Min: bound("0", true)}},
	{name: "ignore_empty_float", typ: "float", rules: `{float: {gt: 0, ignore_empty: true}}`, want: &demand{Min: bound("0", true)}},
	{
		name: "ignore_empty_list", typ: "repeated string", rules: `{repeated: {min_items: 1, ignore_empty: true}}`,
		want: &demand{MinItems: size(1)},
	},
	{
		name: "ignore_empty_map", typ: "map<string, string>", rules: `{map: {min_pairs: 1, no_sparse: true, ignore_empty: true}}`,
		want: &demand{MinItems: size(1)},
	},
	{name: "message", typ: "M", rules: `{message: {required: true}}`, required: true},
	{name: "skip", typ: "M", rules: `{message: {skip: true}}`},
	{name: "any_required", typ: "google.protobuf.Any", rules: `{any: {required: true}}`, required: true},
	{name: "duration_required", typ: "google.protobuf.Duration", rules: `{duration: {required: true}}`, required: true},
	{
		name: "timestamp_required", typ: "google.protobuf.Timestamp", rules: `{timestamp: {required: true, lt_now: true}}`, required: true,
		want: words("Has to be in the past"),
	},
	{
		name: "wrapped", typ: "google.protobuf.UInt32Value", rules: `{message: {required: true}, uint32: {lte: 9}}`, required: true,
		want: &demand{Max: bound("9", false)},
	},
}

func TestPGV(t *testing.T) {
	t.Parallel()
	checkRules(t, "validate.rules", append(descendedOnly, shared...))
}

// TestPGVIsOff has messages whose rules nobody follows, and a field with rules of both kinds.
func TestPGVIsOff(t *testing.T) {
	t.Parallel()
	file := compile(t, `
		syntax = "proto3";
		import "buf/validate/validate.proto";
		import "validate/validate.proto";
		message Disabled {
			option (validate.disabled) = true;
			string a = 1 [(validate.rules).string.min_len = 1];
			oneof choice { option (validate.required) = true; string b = 2; }
		}
		message Ignored {
			option (validate.ignored) = true;
			string a = 1 [(validate.rules).string.min_len = 1];
			oneof choice { option (validate.required) = true; string b = 2; }
		}
		message Both {
			string a = 1 [(validate.rules).string.min_len = 1, (buf.validate.field).string.max_len = 5];
			oneof choice { option (validate.required) = true; string b = 2; }
			oneof other { option (buf.validate.oneof).required = true; string c = 3; }
			oneof free { string d = 4 [(validate.rules).string.min_len = 1]; }
		}`)
	for origin, fd := range origins(t, file) {
		t.Run(origin, func(t *testing.T) {
			t.Parallel()
			reader := readerOf(t, fd)
			for _, name := range []protoreflect.Name{"Disabled", "Ignored"} {
				md := fd.Messages().ByName(name)
				if f := reader.Field(md.Fields().Get(0)); f.Constraint != nil || f.Required || reader.Choice(md.Oneofs().Get(0)) {
					t.Errorf("%s has rules: %+v", name, f)
				}
			}
			both := fd.Messages().ByName("Both")
			if diff := cmp.Diff(&demand{MaxLength: size(5)}, reader.Field(both.Fields().Get(0)).Constraint); diff != "" {
				t.Errorf("buf.validate does not count more (-want +got):\n%s", diff)
			}
			for name, want := range map[protoreflect.Name]bool{"choice": true, "other": true, "free": false} {
				if got := reader.Choice(both.Oneofs().ByName(name)); got != want {
					t.Errorf("oneof %s: required is %v", name, got)
				}
			}
			if f := reader.Field(both.Fields().ByName("d")); f.Required || f.Constraint == nil {
				t.Errorf("a member of a oneof: %+v", f)
			}
		})
	}
}

// departed are the fields of PGV's rules, other than FieldRules itself, that buf.validate does not have under their numbers.
var departed = map[protoreflect.Name]map[protoreflect.Name]protoreflect.FieldNumber{
	"StringRules":    {"ignore_empty": 26},
	"BytesRules":     {"ignore_empty": 14},
	"RepeatedRules":  {"ignore_empty": 5},
	"MapRules":       {"ignore_empty": 6, "no_sparse": 3},
	"AnyRules":       {"required": 1},
	"DurationRules":  {"required": 1},
	"TimestampRules": {"required": 1},
}

// TestPGVNumbers holds against PGV's own file, and the copy of it in testdata, that its numbers are those of buf.validate but for
// the ones which are translated.
func TestPGVNumbers(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, fd protoreflect.FileDescriptor) {
		t.Helper()
		numbers := map[protoreflect.Name]protoreflect.FieldNumber{"disabled": 1071, "ignored": 1072, "required": 1071, "rules": 1071}
		for name, number := range numbers {
			if got := fd.Extensions().ByName(name).Number(); got != number {
				t.Errorf("extension %s has number %d", name, got)
			}
		}
		rules := fd.Messages().ByName("FieldRules").Fields()
		for i := range rules.Len() {
			switch kind := rules.Get(i); kind.Name() {
			case "message":
				compareMessageRules(t, kind)
			default:
				compareRules(t, kind)
			}
		}
	}
	t.Run("testdata", func(t *testing.T) {
		t.Parallel()
		check(t, compileFile(t, pgv, map[string]string{pgv: read(t, pgv)}))
	})
	t.Run("envoy", func(t *testing.T) {
		t.Parallel()
		fd, err := corpusSet(t, "envoy", new(protoregistry.Types)).FindFileByPath(pgv)
		if err != nil {
			t.Fatal(err)
		}
		check(t, fd)
	})
}

func compareMessageRules(t *testing.T, kind protoreflect.FieldDescriptor) {
	t.Helper()
	fields := kind.Message().Fields()
	if kind.Number() != 17 || fields.ByName("skip").Number() != 1 || fields.ByName("required").Number() != 2 || fields.Len() != 2 {
		t.Errorf("the rules for messages are others: %v", kind.Message())
	}
}

func compareRules(t *testing.T, kind protoreflect.FieldDescriptor) {
	t.Helper()
	counterpart := new(validate.FieldRules).ProtoReflect().Descriptor().Fields().ByNumber(kind.Number())
	if counterpart == nil || counterpart.Name() != kind.Name() || kind.Number() > 22 {
		t.Errorf("%s = %d has no counterpart", kind.Name(), kind.Number())
		return
	}
	fields := kind.Message().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if number := departed[kind.Message().Name()][f.Name()]; number == f.Number() {
			continue
		}
		if f.Name() == "ignore_empty" && f.Number() == 8 && kind.Number() < 13 {
			continue
		}
		other := counterpart.Message().Fields().ByNumber(f.Number())
		if other == nil || other.Name() != f.Name() || other.Kind() != f.Kind() || other.Cardinality() != f.Cardinality() {
			t.Errorf("%s = %d is %v in buf.validate", f.FullName(), f.Number(), other)
		}
	}
}

// TestBrokenRules has options under the numbers of rules that are none.
func TestBrokenRules(t *testing.T) {
	t.Parallel()
	file := compile(t, `
		syntax = "proto2";
		import "google/protobuf/descriptor.proto";
		extend google.protobuf.FieldOptions {
			optional bytes broken = 1159;
			optional bytes older = 1071;
			optional int64 behavior = 1053;
			optional string text = 1042;
			optional fixed32 fixed = 1143;
		}
		message M {
			optional string a = 1 [(broken) = "\xff\xff"];
			optional string b = 2 [(older) = "\x72\x05\xff"];
			optional string c = 3 [(older) = "\xba\x01\x01a"];
			optional string name = 4 [(text) = "\xff\xff", (fixed) = 1, (behavior) = -1];
		}`)
	fields := file.Messages().Get(0).Fields()
	for i := range fields.Len() {
		got := readerOf(t, file).Field(fields.Get(i))
		if diff := cmp.Diff(annotation.Field{}, got); diff != "" {
			t.Errorf("%s says something:\n%s", fields.Get(i).Name(), diff)
		}
	}
}

// TestRulesOverReflection has rules whose bytes come in two pieces, as a parser would merge them.
func TestRulesOverReflection(t *testing.T) {
	t.Parallel()
	cases := []ruled{{name: "a", rules: `{string: {max_len: 3}}`}}
	fd := origins(t, compile(t, source("buf.validate.field", cases)))["unknown fields"]
	field := fd.Messages().Get(0).Fields().Get(0)
	options := field.Options().ProtoReflect()
	more, err := proto.Marshal(&validate.FieldRules{
		Type: &validate.FieldRules_String_{String_: &validate.StringRules{MinLen: proto.Uint64(2)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	options.SetUnknown(append(options.GetUnknown(), extension(1159, more)...))
	if diff := cmp.Diff(&demand{MinLength: size(2), MaxLength: size(3)}, readerOf(t, fd).Field(field).Constraint); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
