package rules_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
)

// TestHide: what clients may not see is not told to be wrong.
func TestHide(t *testing.T) {
	t.Parallel()
	files := shop(t)
	for name, tt := range map[string]struct {
		message   protoreflect.Name
		hidden    []protoreflect.Name
		arguments string
		want      []string
	}{
		"a field": {
			"Item", []protoreflect.Name{"product_name"}, `{"count":-1}`, []string{"count: must be greater than or equal to 0 [int32.gte]"},
		},
		"nothing left": {"Item", []protoreflect.Name{"product_name"}, `{}`, nil},
		"below": {
			"Order",
			[]protoreflect.Name{"first_item"},
			`{"firstItem":{},"more":[{}]}`,
			[]string{"more[0].productName: must be at least 1 characters [string.min_len]"},
		},
		"in a choice":    {"Choice", nil, `{}`, []string{": exactly one of name is required [required]"}},
		"a whole choice": {"Choice", []protoreflect.Name{"name"}, `{}`, nil},
		"of some choices": {
			"Must",
			[]protoreflect.Name{"second_choice", "by_id", "title", "main_item", "names"},
			`{}`,
			[]string{": one of byName must be set [message.oneof]", ": exactly one of firstChoice is required [required]"},
		},
		"of whole choices": {
			"Must", []protoreflect.Name{"first_choice", "second_choice", "by_id", "by_name", "title", "main_item", "names"}, `{}`, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := rules.NewSet()
			set.Hide = func(fd protoreflect.FieldDescriptor) bool {
				for _, hidden := range tt.hidden {
					if fd.Name() == hidden {
						return true
					}
				}
				return false
			}
			md := message(t, files, tt.message)
			if diff := cmp.Diff(tt.want, broken(t, set.Checker(md), request(t, md, tt.arguments))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestHiddenIsNotChecked: a hidden field neither refuses requests nor keeps rules of others from being told, however large a
// request is, and the API's own rules about one are passed over.
func TestHiddenIsNotChecked(t *testing.T) {
	t.Parallel()
	files := source(t, `
		message H {
			option (buf.validate.message).cel = {id: "both" message: "a and b differ" expression: "this.secret.size() > 0"};
			option (buf.validate.message).cel = {id: "told" message: "name the secret" expression: "false"};
			option (buf.validate.message).cel_expression = "has(this.low.inner) && this.low.inner.word != ''";
			option (buf.validate.message).oneof = {fields: ["secret", "word"] required: true};
			string secret = 1 [(buf.validate.field) = {required: true string: {min_len: 3}}];
			string name = 2 [(buf.validate.field).string.max_len = 5];
			repeated int32 n = 3;
			Low low = 4 [(buf.validate.field).cel = {id: "low" message: "low" expression: "this.inner.word != ''"}];
			string word = 5;
			Secrets secrets = 6 [(buf.validate.field).required = true];
			oneof of { option (buf.validate.oneof).required = true; string secret_a = 7; string secret_b = 8; }
		}
		message Low { Secrets inner = 1 [(buf.validate.field).required = true]; string low = 2 [(buf.validate.field).string.max_len = 5]; }
		message Secrets { string word = 1 [(buf.validate.field).string.min_len = 1]; }`)
	md := message(t, files, "H")
	set := rules.NewSet()
	set.Hide = func(fd protoreflect.FieldDescriptor) bool {
		return strings.HasPrefix(string(fd.Name()), "secret") || fd.Name() == "inner" || fd.Name() == "word"
	}
	open := rules.NewSet()
	c := set.Checker(md)
	few, many := `"n":[1]`, `"n":[1`+strings.Repeat(",1", 1000)+"]"
	for name, tt := range map[string]struct {
		arguments string
		want      []string
	}{
		"sound": {`{"name":"a",` + few + `,"low":{}}`, nil},
		"wrong": {`{"name":"abcdef",` + few + `,"low":{"low":"abcdef"}}`, []string{
			"name: must be at most 5 characters [string.max_len]", "low.low: must be at most 5 characters [string.max_len]",
		}},
		"sound, large": {`{"name":"a",` + many + `,"low":{}}`, nil},
		"wrong, large": {
			`{"name":"a",` + many + `,"low":{"low":"abcdef"}}`, []string{"low.low: must be at most 5 characters [string.max_len]"},
		},
		"wrong, many bytes": {`{"name":"` + strings.Repeat("x", 70_000) + `"}`, []string{"name: must be at most 5 characters [string.max_len]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wire := request(t, md, tt.arguments)
			if diff := cmp.Diff(tt.want, broken(t, c, wire)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := broken(t, open.Checker(md), wire); len(got) == 0 {
				t.Error("nothing is wrong where nothing is hidden")
			}
		})
	}
}

// TestHiddenValues: no reason names a value that clients may not see.
func TestHiddenValues(t *testing.T) {
	t.Parallel()
	files := source(t, `
		enum E { option allow_alias = true; ZERO = 0; ONE = 1; SECRET = 2; SECRET_THREE = 3; THREE = 3; FOUR = 4; }
		message M {
			optional E const_of = 1 [(buf.validate.field).enum.const = 2];
			optional E in_of = 2 [(buf.validate.field).enum = {in: [1, 2, 3, 9]}];
			optional E only_in = 3 [(buf.validate.field).enum = {in: [2]}];
			optional E not_in = 4 [(buf.validate.field).enum = {not_in: [2, 4]}];
			optional E only_not_in = 5 [(buf.validate.field).enum = {not_in: [2]}];
			optional E defined = 6 [(buf.validate.field).enum.defined_only = true];
			E required = 7 [(buf.validate.field).required = true];
			repeated E list = 8 [(buf.validate.field).repeated.items.enum = {in: [1, 2]}];
			map<string, E> pairs = 9 [(buf.validate.field).map.values.enum = {in: [1, 2]}];
		}`)
	md := message(t, files, "M")
	set := rules.NewSet()
	set.HideValue = func(v protoreflect.EnumValueDescriptor) bool { return strings.HasPrefix(string(v.Name()), "SECRET") }
	got := broken(t, set.Checker(md),
		request(t, md, `{"constOf":1,"inOf":4,"onlyIn":4,"notIn":4,"onlyNotIn":2,"defined":7,"list":[4],"pairs":{"a":4}}`))
	want := []string{
		"constOf: breaks the rule enum.const [enum.const]",
		"inOf: must be one of ONE, THREE, 9 [enum.in]",
		"onlyIn: breaks the rule enum.in [enum.in]",
		"notIn: must not be one of FOUR [enum.not_in]",
		"onlyNotIn: breaks the rule enum.not_in [enum.not_in]",
		"defined: must be one of ZERO, ONE, THREE, FOUR [enum.defined_only]",
		"required: is missing: one of ONE, THREE, FOUR [required]",
		"list[0]: must be one of ONE [enum.in]",
		`pairs["a"]: must be one of ONE [enum.in]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
