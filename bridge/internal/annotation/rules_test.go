package annotation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// ruled is one field with rules, and what they come to.
type ruled struct {
	name     string
	typ      string // of the field, "string" by default
	rules    string // of (buf.validate.field), or of (validate.rules)
	want     *demand
	required bool
}

type demand = annotation.Constraint

func size(n uint64) *uint64 { return &n }

func words(words ...string) *demand { return &demand{Words: words} }

func bound(value string, exclusive bool) *annotation.Bound {
	return &annotation.Bound{Value: value, Exclusive: exclusive}
}

// shared are rules that buf.validate and PGV have alike.
var shared = []ruled{
	{name: "nothing", rules: `{}`},
	{name: "const", rules: `{string: {const: "a"}}`, want: &demand{Const: new("a")}, required: true},
	{name: "const_empty", rules: `{string: {const: ""}}`, want: &demand{Const: new("")}},
	{name: "length", rules: `{string: {min_len: 0, max_len: 9}}`, want: &demand{MinLength: size(0), MaxLength: size(9)}},
	{name: "min_len", rules: `{string: {min_len: 1}}`, want: &demand{MinLength: size(1)}, required: true},
	{name: "min_len_presence", typ: "optional string", rules: `{string: {min_len: 1}}`, want: &demand{MinLength: size(1)}},
	{
		name: "min_len_wrapper", typ: "google.protobuf.StringValue", rules: `{string: {min_len: 1}}`,
		want: &demand{MinLength: size(1)},
	},
	{name: "len", rules: `{string: {len: 2}}`, want: &demand{MinLength: size(2), MaxLength: size(2)}, required: true},
	{name: "len_bytes", rules: `{string: {len_bytes: 2}}`, want: &demand{MinBytes: size(2), MaxBytes: size(2)}, required: true},
	{name: "size", rules: `{string: {min_bytes: 1, max_bytes: 2}}`, want: &demand{MinBytes: size(1), MaxBytes: size(2)}, required: true},
	{name: "pattern", rules: `{string: {pattern: "^[a-z]*$"}}`, want: &demand{Pattern: "^[a-z]*$"}},
	{name: "pattern_some", rules: `{string: {pattern: "^[a-z]+$"}}`, want: &demand{Pattern: "^[a-z]+$"}, required: true},
	{name: "pattern_broken", rules: `{string: {pattern: "["}}`, want: &demand{Pattern: "["}},
	{name: "prefix", rules: `{string: {prefix: "a"}}`, want: &demand{Prefix: "a"}, required: true},
	{name: "suffix", rules: `{string: {suffix: "a"}}`, want: &demand{Suffix: "a"}, required: true},
	{name: "contains", rules: `{string: {contains: "a"}}`, want: &demand{Contains: "a"}, required: true},
	{name: "not_contains", rules: `{string: {not_contains: "a"}}`, want: &demand{NotContains: "a"}},
	{name: "in", rules: `{string: {in: ["a", "b"]}}`, want: &demand{In: []string{"a", "b"}}, required: true},
	{name: "in_empty", rules: `{string: {in: ["a", ""]}}`, want: &demand{In: []string{"a", ""}}},
	{name: "not_in", rules: `{string: {not_in: ["a"]}}`, want: &demand{NotIn: []string{"a"}}},
	{name: "not_in_empty", rules: `{string: {not_in: ["a", ""]}}`, want: &demand{NotIn: []string{"a", ""}}, required: true},
	{name: "email", rules: `{string: {email: true}}`, want: &demand{Format: "email"}, required: true},
	{name: "no_email", rules: `{string: {email: false}}`},
	{name: "uri_ref", rules: `{string: {uri_ref: true}}`, want: &demand{Format: "uri_ref"}},
	{name: "uuid", rules: `{string: {uuid: true}}`, want: &demand{Format: "uuid"}, required: true},
	{name: "header_name", rules: `{string: {well_known_regex: 1}}`, want: &demand{Format: "http_header_name"}, required: true},
	{name: "header_value", rules: `{string: {well_known_regex: 2}}`, want: &demand{Format: "http_header_value"}},
	{
		name: "header_loose", rules: `{string: {well_known_regex: 1, strict: false}}`, required: true,
		want: &demand{Pattern: `^[^\x00\n\r]+$`},
	},
	{
		name: "header_loose_pattern", rules: `{string: {pattern: "a*", well_known_regex: 2, strict: false}}`,
		want: &demand{Pattern: "a*", Words: []string{"Must not contain line feeds, carriage returns or NUL"}},
	},

	{name: "int_range", typ: "int32", rules: `{int32: {gte: -1, lt: 5}}`, want: &demand{Min: bound("-1", false), Max: bound("5", true)}},
	{name: "int_gt", typ: "int64", rules: `{int64: {gt: 0}}`, want: &demand{Min: bound("0", true)}, required: true},
	{name: "int_gte", typ: "uint32", rules: `{uint32: {gte: 1}}`, want: &demand{Min: bound("1", false)}, required: true},
	{name: "int_gte_zero", typ: "sint32", rules: `{sint32: {gte: 0}}`, want: &demand{Min: bound("0", false)}},
	{name: "int_lt", typ: "sint64", rules: `{sint64: {lt: 0}}`, want: &demand{Max: bound("0", true)}, required: true},
	{name: "int_lte", typ: "sfixed32", rules: `{sfixed32: {lte: 0}}`, want: &demand{Max: bound("0", false)}},
	{
		name: "int_outside", typ: "int32", rules: `{int32: {lt: -5, gt: 5}}`, required: true,
		want: &demand{Min: bound("5", true), Max: bound("-5", true)},
	},
	{
		name: "int_outside_zero", typ: "int32", rules: `{int32: {lt: 5, gte: 10}}`,
		want: &demand{Min: bound("10", false), Max: bound("5", true)},
	},
	{name: "int_const", typ: "sfixed64", rules: `{sfixed64: {const: -7}}`, want: &demand{Const: new("-7")}, required: true},
	{
		name: "int_in", typ: "fixed64", rules: `{fixed64: {in: [18446744073709551615]}}`, required: true,
		want: &demand{In: []string{"18446744073709551615"}},
	},
	{name: "int_not_in", typ: "fixed32", rules: `{fixed32: {not_in: [0, 1]}}`, want: &demand{NotIn: []string{"0", "1"}}, required: true},
	{name: "int_unlike", typ: "uint64", rules: `{uint64: {lte: 9007199254740993}}`, want: &demand{Max: bound("9007199254740993", false)}},
	{
		name: "float", typ: "float", rules: `{float: {gte: 0.1, lte: 1e30}}`, required: true,
		want: &demand{Min: bound("0.1", false), Max: bound("1e+30", false)},
	},
	{name: "double", typ: "double", rules: `{double: {in: [-0.0, 2.5, inf]}}`, want: &demand{In: []string{"0", "2.5", "Infinity"}}},
	{
		name: "double_not", typ: "double", rules: `{double: {not_in: [-inf, nan, 1e-9]}}`,
		want: &demand{NotIn: []string{"-Infinity", "NaN", "1e-9"}},
	},
	{name: "bool", typ: "bool", rules: `{bool: {const: true}}`, want: &demand{Const: new("true")}, required: true},
	{name: "bool_false", typ: "bool", rules: `{bool: {const: false}}`, want: &demand{Const: new("false")}},

	{name: "bytes_const", typ: "bytes", rules: `{bytes: {const: "\xff\xfe"}}`, want: &demand{Const: new("//4=")}, required: true},
	{name: "bytes_len", typ: "bytes", rules: `{bytes: {len: 3}}`, want: &demand{MinBytes: size(3), MaxBytes: size(3)}, required: true},
	{name: "bytes_size", typ: "bytes", rules: `{bytes: {min_len: 0, max_len: 4}}`, want: &demand{MinBytes: size(0), MaxBytes: size(4)}},
	{
		name: "bytes_prefix", typ: "bytes", rules: `{bytes: {min_len: 1, prefix: "\x01\x02"}}`, required: true,
		want: &demand{MinBytes: size(2), Words: []string{"The bytes have to begin with base64 AQI="}},
	},
	{
		name: "bytes_suffix", typ: "bytes", rules: `{bytes: {suffix: "\x01"}}`, required: true,
		want: &demand{MinBytes: size(1), Words: []string{"The bytes have to end in base64 AQ=="}},
	},
	{
		name: "bytes_contain", typ: "bytes", rules: `{bytes: {contains: "a", in: ["ab"]}}`, required: true,
		want: &demand{MinBytes: size(1), In: []string{"YWI="}, Words: []string{"The bytes have to contain base64 YQ=="}},
	},
	{name: "bytes_pattern", typ: "bytes", rules: `{bytes: {pattern: "^a*$"}}`, want: words("The bytes have to match ^a*$")},
	{
		name: "bytes_pattern_some", typ: "bytes", rules: `{bytes: {pattern: "a"}}`, required: true,
		want: &demand{MinBytes: size(1), Words: []string{"The bytes have to match a"}},
	},
	{
		name: "bytes_ip", typ: "bytes", rules: `{bytes: {ip: true}}`, required: true,
		want: &demand{MinBytes: size(4), MaxBytes: size(16), Words: []string{"Has to be an IP address of 4 or 16 bytes"}},
	},
	{
		name: "bytes_ipv4", typ: "bytes", rules: `{bytes: {ipv4: true}}`, required: true,
		want: &demand{MinBytes: size(4), MaxBytes: size(4), Words: []string{"Has to be an IPv4 address of 4 bytes"}},
	},
	{
		name: "bytes_ipv6", typ: "bytes", rules: `{bytes: {ipv6: true}}`, required: true,
		want: &demand{MinBytes: size(16), MaxBytes: size(16), Words: []string{"Has to be an IPv6 address of 16 bytes"}},
	},
	{name: "bytes_no_ip", typ: "bytes", rules: `{bytes: {ip: false, not_in: [""]}}`, want: &demand{NotIn: []string{""}}, required: true},

	{name: "enum_const", typ: "E", rules: `{enum: {const: 1}}`, want: &demand{Const: new("ONE")}, required: true},
	{name: "enum_in", typ: "E", rules: `{enum: {in: [0, 1, 9]}}`, want: &demand{In: []string{"ZERO", "ONE", "9"}}},
	{name: "enum_not_in", typ: "E", rules: `{enum: {not_in: [0]}}`, want: &demand{NotIn: []string{"ZERO"}}, required: true},
	{name: "enum_defined", typ: "E", rules: `{enum: {defined_only: true}}`},

	{
		name: "list", typ: "repeated string", rules: `{repeated: {min_items: 1, max_items: 3, unique: true, items: {string: {min_len: 2}}}}`,
		want: &demand{MinItems: size(1), MaxItems: size(3), Unique: true, Items: &demand{MinLength: size(2)}}, required: true,
	},
	{
		name: "list_items", typ: "repeated E", rules: `{repeated: {items: {enum: {in: [1]}}}}`,
		want: &demand{Items: &demand{In: []string{"ONE"}}},
	},
	{name: "list_of_nothing", typ: "repeated E", rules: `{repeated: {items: {enum: {defined_only: true}}}}`},
	{
		name: "map", typ: "map<string, E>", required: true,
		rules: `{map: {min_pairs: 1, max_pairs: 2, keys: {string: {prefix: "k"}}, values: {enum: {not_in: [0]}}}}`,
		want: &demand{
			MinItems: size(1), MaxItems: size(2),
			Keys: &demand{Prefix: "k"}, Values: &demand{NotIn: []string{"ZERO"}},
		},
	},

	{
		name: "any", typ: "google.protobuf.Any", rules: `{any: {in: ["t/a"], not_in: ["t/b"]}}`,
		want: &demand{In: []string{"t/a"}, NotIn: []string{"t/b"}},
	},
	{
		name: "duration", typ: "google.protobuf.Duration",
		rules: `{duration: {gt: {seconds: -3, nanos: -500000000}, lte: {seconds: 60}, not_in: {nanos: 1}}}`,
		want:  &demand{Min: bound("-3.5s", true), Max: bound("60s", false), NotIn: []string{"0.000000001s"}},
	},
	{name: "duration_broken", typ: "google.protobuf.Duration", rules: `{duration: {const: {seconds: 1, nanos: -1}}}`},
	{
		name: "timestamp", typ: "google.protobuf.Timestamp", rules: `{timestamp: {gte: {}, lt: {seconds: 1, nanos: 500000000}}}`,
		want: &demand{Min: bound("1970-01-01T00:00:00Z", false), Max: bound("1970-01-01T00:00:01.5Z", true)},
	},
	{
		name: "timestamp_now", typ: "google.protobuf.Timestamp", rules: `{timestamp: {lt_now: true, within: {seconds: 5}}}`,
		want: words("Has to be in the past", "Has to be within 5s of the present"),
	},
	{
		name: "timestamp_future", typ: "google.protobuf.Timestamp", rules: `{timestamp: {gt_now: true}}`,
		want: words("Has to be in the future"),
	},
}

// own are rules that only buf.validate has.
var own = []ruled{
	{name: "required", rules: `{required: true}`, want: &demand{MinLength: size(1)}, required: true},
	{name: "required_kept", rules: `{required: true, string: {min_len: 3}}`, want: &demand{MinLength: size(3)}, required: true},
	{name: "required_presence", typ: "optional string", rules: `{required: true}`, required: true},
	{name: "required_list", typ: "repeated string", rules: `{required: true}`, want: &demand{MinItems: size(1)}, required: true},
	{name: "required_bytes", typ: "bytes", rules: `{required: true}`, want: &demand{MinBytes: size(1)}, required: true},
	{name: "required_bool", typ: "bool", rules: `{required: true}`, want: &demand{Const: new("true")}, required: true},
	{name: "required_enum", typ: "E", rules: `{required: true}`, want: &demand{NotIn: []string{"ZERO"}}, required: true},
	{
		name: "required_int", typ: "int32", rules: `{required: true, int32: {lt: 9}}`, required: true,
		want: &demand{Max: bound("9", true), NotIn: []string{"0"}},
	},
	{name: "required_message", typ: "M", rules: `{required: true}`, required: true},
	{name: "ignore_always", rules: `{ignore: IGNORE_ALWAYS, required: true, string: {min_len: 1}}`},
	{name: "ignore_zero", rules: `{ignore: IGNORE_IF_ZERO_VALUE, string: {min_len: 1}}`, want: &demand{MinLength: size(1)}},
	{name: "ignore_items", typ: "repeated string", rules: `{repeated: {items: {ignore: IGNORE_ALWAYS, string: {min_len: 1}}}}`},
	{name: "finite", typ: "double", rules: `{double: {finite: true}}`, want: &demand{Finite: true}},
	{name: "infinite", typ: "float", rules: `{float: {finite: false}}`},
	{name: "tuuid", rules: `{string: {tuuid: true}}`, want: &demand{Format: "tuuid"}, required: true},
	{name: "host_and_port", rules: `{string: {host_and_port: true}}`, want: &demand{Format: "host_and_port"}, required: true},
	{name: "ip_prefix", rules: `{string: {ip_with_prefixlen: true}}`, want: &demand{Format: "ip_with_prefixlen"}, required: true},
	{name: "fqn", rules: `{string: {protobuf_fqn: true}}`, want: &demand{Format: "protobuf_fqn"}, required: true},
	{
		name: "bytes_uuid", typ: "bytes", rules: `{bytes: {uuid: true}}`, required: true,
		want: &demand{MinBytes: size(16), MaxBytes: size(16), Words: []string{"Has to be a UUID of 16 bytes"}},
	},
	{
		name: "mask", typ: "google.protobuf.FieldMask", rules: `{field_mask: {in: ["a", "b.c"]}}`,
		want: words("Each path has to be one of, or below a, b.c"),
	},
	{
		name: "mask_not", typ: "google.protobuf.FieldMask", rules: `{field_mask: {not_in: ["a"]}}`,
		want: words("No path may be one of, or below a"),
	},
	{
		name: "mask_const", typ: "google.protobuf.FieldMask", rules: `{field_mask: {const: {paths: ["a", "b"]}}}`,
		want: words("The paths have to be a, b"),
	},
	{name: "example", rules: `{string: {example: "a"}}`},
	{name: "cel", rules: `{cel: {id: "x", message: "has to be even.", expression: "this % 2 == 0"}}`, want: words("Has to be even")},
	{name: "cel_bare", rules: `{cel: {id: "x", expression: "this.size() > 2"}}`, want: words("this.size() > 2")},
	{name: "cel_expression", rules: `{cel_expression: ["this > 1", "this < 9"]}`, want: words("this > 1", "this < 9")},
	{name: "cel_order", rules: `{cel: {message: "a <IMPORTANT>b</IMPORTANT>\u200bc", expression: "d"}}`, want: words("A bc")},
	{
		name: "cel_long", rules: fmt.Sprintf(`{cel_expression: %q}`, strings.Repeat("this && ", 40)),
		want: words(strings.Repeat("this && ", 24) + "this…"),
	},
	{name: "predefined", typ: "int32", rules: `{int32: {[test.even]: true}}`, want: words("Has to be even")},
	{name: "predefined_value", typ: "int32", rules: `{int32: {[test.Scope.multiple]: 3}}`, want: words("this % rule == 0 (rule = 3)")},
	{name: "predefined_text", rules: `{string: {[test.opening]: "a"}}`, want: words(`this.startsWith(rule) (rule = "a")`)},
	{name: "predefined_list", rules: `{string: {[test.openings]: "a"}}`, want: words("rule.exists(r, this.startsWith(r))")},
	{name: "predefined_unsigned", typ: "uint64", rules: `{uint64: {[test.below]: 7}}`, want: words("this < rule (rule = 7)")},
	{name: "predefined_unruled", rules: `{string: {[test.unruled]: true}}`},
	{
		name: "predefined_items", typ: "repeated int32", rules: `{repeated: {items: {int32: {[test.even]: true}}}}`,
		want: &demand{Items: words("Has to be even")},
	},
}

// source declares a message with a field for each case, all with rules by the option of this name.
func source(option string, cases []ruled) string {
	var b strings.Builder
	for i, c := range cases {
		typ := c.typ
		if typ == "" {
			typ = "string"
		}
		fmt.Fprintf(&b, "  %s %s = %d [(%s) = %s];\n", typ, c.name, i+1, option, c.rules)
	}
	return `syntax = "proto3";
package test;
import "buf/validate/validate.proto";
import "validate/validate.proto";
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "predefined.proto";
enum E { ZERO = 0; ONE = 1; }
message M {
` + b.String() + "}\n"
}

func checkRules(t *testing.T, option string, cases []ruled) {
	t.Helper()
	for origin, fd := range origins(t, compile(t, source(option, cases))) {
		reader := readerOf(t, fd)
		for _, c := range cases {
			t.Run(origin+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				field := fd.Messages().ByName("M").Fields().ByName(protoreflect.Name(c.name))
				got := reader.Field(field)
				if diff := cmp.Diff(c.want, got.Constraint); diff != "" {
					t.Errorf("the constraint of %s (-want +got):\n%s", c.rules, diff)
				}
				if got.Required != c.required {
					t.Errorf("%s: required is %v", c.rules, got.Required)
				}
			})
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	checkRules(t, "buf.validate.field", append(own, shared...))
}

// TestRulesOfNoSet has rules that take a look at other files, of which a reader knows none.
func TestRulesOfNoSet(t *testing.T) {
	t.Parallel()
	fd := compile(t, source("buf.validate.field", []ruled{{name: "a", typ: "int32", rules: `{int32: {gt: 1, [test.even]: true}}`}}))
	field := fd.Messages().Get(0).Fields().Get(0)
	want := &demand{Min: bound("1", true)}
	if diff := cmp.Diff(want, annotation.NewReader(nil).Field(field).Constraint); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCapitals has clauses begin as sentences do, but for names and expressions.
func TestCapitals(t *testing.T) {
	t.Parallel()
	fd := compile(t, `
		syntax = "proto3";
		import "buf/validate/validate.proto";
		message M {
			option (buf.validate.message).cel = { message: "count, if given, is odd" expression: "true" };
			option (buf.validate.message).cel = { message: "it is odd" expression: "true" };
			option (buf.validate.message).cel = { message: "émile is odd" expression: "true" };
			option (buf.validate.message).cel = { message: "page_size is odd" expression: "true" };
			option (buf.validate.message).cel = { message: "pageSize is odd" expression: "true" };
			option (buf.validate.message).cel = { message: "size(a) is odd" expression: "true" };
			option (buf.validate.message).cel = { message: "this is odd" expression: "true" };
			option (buf.validate.message).cel = { message: "URL is odd" expression: "true" };
			option (buf.validate.message).cel = { message: "odd." expression: "true" };
			option (buf.validate.message).cel = { message: " " expression: "true" };
			int32 count = 1 [(buf.validate.field).cel = { message: "count is odd" expression: "true" }];
			repeated int32 list = 2 [(buf.validate.field).repeated.items.cel = { message: "has to be odd" expression: "true" }];
		}`)
	reader := readerOf(t, fd)
	md := fd.Messages().Get(0)
	want := []string{
		"count, if given, is odd", "It is odd", "Émile is odd", "page_size is odd", "pageSize is odd", "size(a) is odd", "this is odd",
		"URL is odd", "Odd", "true",
	}
	if diff := cmp.Diff(want, reader.Message(md).Constraints); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(words("count is odd"), reader.Field(md.Fields().ByName("count")).Constraint); diff != "" {
		t.Errorf("field (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&demand{Items: words("Has to be odd")}, reader.Field(md.Fields().ByName("list")).Constraint); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}
