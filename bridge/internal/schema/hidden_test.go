package schema_test

import (
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// hiding declares enums and messages of which every name that holds "secret" is restricted.
const hiding = `import "google/api/visibility.proto"; import "google/api/field_behavior.proto"; import "buf/validate/validate.proto";
enum E { E_UNSPECIFIED = 0; E_A = 1; E_SECRET = 2 [(google.api.value_visibility).restriction = "INTERNAL"]; }
enum All { ALL_SECRET = 0 [(google.api.value_visibility).restriction = "INTERNAL"]; }
message Sub { string x = 1; string secretsub = 2 [(google.api.field_visibility).restriction = "INTERNAL"]; }
`

// hidden are messages with something restricted, and what is told of them in each profile.
var hidden = []struct {
	name, text     string
	portable, rich []string
}{
	{
		name: "values of maps", text: `message M { map<string, E> by = 1; }`,
		portable: []string{"Map of string to one of E_UNSPECIFIED, E_A."}, rich: []string{`"enum":["E_UNSPECIFIED","E_A"]`},
	},
	{
		name:     "an enum of which nothing may be seen",
		text:     `message M { All a = 1; repeated All as = 2; map<string, All> by = 3; string s = 4; }`,
		portable: []string{`{"type":"object","properties":{"s":{"type":"string"}}}`}, rich: []string{`"properties":{"s":{"type":"string"}}`},
	},
	{
		name: "such an enum where it is required", text: `message M { All a = 1 [(google.api.field_behavior) = REQUIRED]; }`,
		portable: []string{`"a":{"type":"string","description":"No value may be set."}`}, rich: []string{"No value may be set."},
	},
	{
		name: "rules that admit nothing else", text: `message M { E e = 1 [(buf.validate.field).enum.const = 2]; }`,
		portable: []string{`"e":{"type":"string","description":"No value may be set."}`}, rich: []string{"No value may be set."},
	},
	{
		name: "rules that admit more", text: `message M { E e = 1 [(buf.validate.field).enum = {in: [1, 2]}]; }`,
		portable: []string{`"enum":["E_A"]`}, rich: []string{`"enum":["E_A"]`},
	},
	{
		name: "rules on the values of a map",
		text: `message M { map<string, E> by = 1 [(buf.validate.field).map.values.enum = {in: [1, 2]}];` +
			` map<string, E> not = 2 [(buf.validate.field).map.values.enum = {not_in: [2]}]; }`,
		portable: []string{`"Map of string to one of E_A."`}, rich: []string{`"enum":["E_A"]`},
	},
	{
		name: "choices of rules",
		text: `message M { option (buf.validate.message).oneof = {fields: ["secret", "a", "b"]};` +
			` option (buf.validate.message).oneof = {fields: ["secret", "a"], required: true};` +
			` string a = 1; string b = 2; string secret = 3 [(google.api.field_visibility).restriction = "INTERNAL"]; }`,
		portable: []string{"At most one of a, b may be set. a has to be set."},
		rich:     []string{"At most one of a, b may be set. a has to be set."},
	},
	{
		name: "expressions",
		text: `message M { option (buf.validate.message).cel = {id: "a", expression: "this.secret != ''"};` +
			` option (buf.validate.message).cel = {id: "b", message: "Secret is needed", expression: "true"};` +
			` option (buf.validate.message).cel = {id: "c", message: "a is not b", expression: "this.a != this.b"};` +
			` string a = 1; string b = 2; string secret = 3 [(google.api.field_visibility).restriction = "INTERNAL"]; }`,
		portable: []string{`"description":"a is not b."`}, rich: []string{`"description":"a is not b."`},
	},
	{
		name: "expressions of fields, and messages below",
		text: `message M { Sub sub = 1 [(buf.validate.field).cel = {id: "a", expression: "this.secretsub != ''"}];` +
			` string s = 2 [(buf.validate.field).cel = {id: "b", message: "As sub.x is", expression: "true"}]; }`,
		portable: []string{"As sub.x is."}, rich: []string{"As sub.x is."},
	},
}

func TestHiddenNamesStandNowhere(t *testing.T) {
	t.Parallel()
	for _, c := range hidden {
		for _, profile := range []schema.Profile{schema.Portable, schema.Rich} {
			t.Run(c.name+"/"+profile.String(), func(t *testing.T) {
				t.Parallel()
				want := map[schema.Profile][]string{schema.Portable: c.portable, schema.Rich: c.rich}[profile]
				methods := methodsOf(source(t, `syntax = "proto3"; package x; `+hiding+c.text+service))
				g := schema.New(readerOf(t, methods), profile)
				md := methods[0].Input()
				contains(t, g.Input(md).JSON, want, nil)
				for _, s := range []schema.Schema{g.Input(md), g.Full(md), g.Output(md, nil)} {
					contains(t, []byte(strings.ToLower(string(s.JSON))), nil, []string{"secret"})
				}
			})
		}
	}
}

// TestHiddenDefault looks for the name of a default that may not be seen.
func TestHiddenDefault(t *testing.T) {
	t.Parallel()
	methods := methodsOf(source(t, `syntax = "proto2"; package x; import "google/api/visibility.proto";
enum E { A = 0; E_SECRET = 1 [(google.api.value_visibility).restriction = "INTERNAL"]; E_B = 2; }
message M { optional E e = 1 [default = E_SECRET]; optional E f = 2 [default = E_B]; }`+service))
	for _, profile := range []schema.Profile{schema.Portable, schema.Rich} {
		g := schema.New(readerOf(t, methods), profile)
		contains(t, g.Input(methods[0].Input()).JSON, []string{"E_B", "Default: "}, []string{"SECRET"})
	}
}

// TestDeprecatedValues are listed where nothing else is left, and always where they may come back.
func TestDeprecatedValues(t *testing.T) {
	t.Parallel()
	methods := methodsOf(source(t, `syntax = "proto3"; package x; import "buf/validate/validate.proto";
enum E { NEW = 0; OLD = 1 [deprecated = true]; }
enum Aliased { option allow_alias = true; FORMER = 0 [deprecated = true]; PRESENT = 0; }
message M { E e = 1; E kept = 2 [(buf.validate.field).enum = {in: [1]}]; Aliased a = 3; }`+service))
	for _, profile := range []schema.Profile{schema.Portable, schema.Rich} {
		g := schema.New(readerOf(t, methods), profile)
		contains(t, g.Input(methods[0].Input()).JSON, []string{`"enum":["NEW"]`, `"enum":["OLD"]`, `"enum":["PRESENT"]`}, []string{"FORMER"})
	}
	contains(t, richGenerator(t, methods).Output(methods[0].Output(), nil).JSON, []string{`"enum":["NEW","OLD"]`, `"enum":["FORMER"]`}, nil)
}

// TestZeroValuesMeanWhatTheirAuthorsSay, and that nothing is set only where nothing is said.
func TestZeroValuesMeanWhatTheirAuthorsSay(t *testing.T) {
	t.Parallel()
	methods := methodsOf(source(t, `syntax = "proto3"; package x;
enum E {
  // All of them.
  E_UNSPECIFIED = 0;
  E_A = 1;
}
enum F { F_UNSPECIFIED = 0; F_A = 1; }
message M { E e = 1; F f = 2; }`+service))
	for _, profile := range []schema.Profile{schema.Portable, schema.Rich} {
		got := schema.New(readerOf(t, methods), profile).Input(methods[0].Input()).JSON
		contains(t, got, []string{"E_UNSPECIFIED: All of them.", "F_UNSPECIFIED: not set."}, []string{"E_UNSPECIFIED: not set"})
	}
}
