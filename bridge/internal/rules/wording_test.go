package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
)

// TestWording: what is demanded is said in names, and all sentences are of one form.
func TestWording(t *testing.T) {
	t.Parallel()
	md := message(t, source(t, `
		import "google/protobuf/any.proto";
		enum P { P_UNSPECIFIED = 0; P_LOW = 1; P_HIGH = 2; }
		enum Many {
			option allow_alias = true;
			M0 = 0; M1 = 1; M_ONE = 1; M2 = 2; M3 = 3; M4 = 4; M5 = 5; M6 = 6; M7 = 7; M8 = 8; M9 = 9; M10 = 10; M11 = 11; M12 = 12;
		}
		message M {
			P missing = 1 [(buf.validate.field).enum = {not_in: [0]}];
			P refused = 2 [(buf.validate.field).enum = {not_in: [0, 1]}];
			P in = 3 [(buf.validate.field).enum = {in: [1, 2]}];
			P required = 4 [(buf.validate.field).required = true];
			optional P required_present = 5 [(buf.validate.field).required = true];
			repeated P item = 6 [(buf.validate.field).repeated.items.enum = {not_in: [0]}];
			map<string, P> value = 7 [(buf.validate.field).map.values.enum = {not_in: [0]}];
			Many many = 8 [(buf.validate.field).enum = {not_in: [0]}];
			Many defined = 9 [(buf.validate.field).enum.defined_only = true];
			google.protobuf.Any any = 10 [(buf.validate.field).any = {in: ["a/b", "c/d"]}];
			google.protobuf.Any other = 11 [(buf.validate.field).any = {not_in: ["type.googleapis.com/google.protobuf.Empty"]}];
			repeated string list = 12 [(buf.validate.field).required = true];
			map<string, string> map = 13 [(buf.validate.field).map.min_pairs = 1];
			string prefix = 14 [(buf.validate.field).string.prefix = "a"];
			string suffix = 15 [(buf.validate.field).string.suffix = "a"];
			string contains = 16 [(buf.validate.field).string.contains = "a"];
			string not_contains = 17 [(buf.validate.field).string.not_contains = "b"];
			string email = 18 [(buf.validate.field).string.email = true];
			string own = 19 [(buf.validate.field).cel = {id: "own" message: "value is odd" expression: "false"}];
		}`), "M")
	got := broken(t, rules.NewSet().Checker(md), request(t, md, `{"refused":"P_LOW","item":["P_UNSPECIFIED"],
		"value":{"a":"P_UNSPECIFIED"},"defined":77,"notContains":"b",
		"any":{"@type":"google.protobuf.Empty"},"other":{"@type":"google.protobuf.Empty"}}`))
	want := []string{
		"missing: is missing: one of P_LOW, P_HIGH [enum.not_in]",
		"refused: must not be one of P_UNSPECIFIED, P_LOW [enum.not_in]",
		"in: is missing: one of P_LOW, P_HIGH [enum.in]",
		"required: is missing: one of P_LOW, P_HIGH [required]",
		"requiredPresent: is missing: one of P_UNSPECIFIED, P_LOW, P_HIGH [required]",
		"item[0]: must not be one of P_UNSPECIFIED [enum.not_in]",
		`value["a"]: must not be one of P_UNSPECIFIED [enum.not_in]`,
		"many: is missing: one of M1, M2, M3, M4, M5, M6, M7, M8, M9, M10 and 2 more [enum.not_in]",
		"defined: must be one of M0, M1, M2, M3, M4, M5, M6, M7, M8, M9 and 3 more [enum.defined_only]",
		"any: must have one of the types a/b, c/d [any.in]",
		"other: must not have one of the types type.googleapis.com/google.protobuf.Empty [any.not_in]",
		"list: is required [required]",
		"map: must have at least 1 entries [map.min_pairs]",
		"prefix: must have prefix `a` [string.prefix]",
		"suffix: must have suffix `a` [string.suffix]",
		"contains: must contain substring `a` [string.contains]",
		"notContains: must not contain substring `b` [string.not_contains]",
		"email: is empty, which is not a valid email address [string.email_empty]",
		"own: value is odd [own]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
