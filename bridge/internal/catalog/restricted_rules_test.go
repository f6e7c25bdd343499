package catalog_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
)

// restrictedRules has rules about what is for some alone.
const restrictedRules = `
	syntax = "proto3";
	package test;
	import "buf/validate/validate.proto";
	import "google/api/visibility.proto";
	enum E { E_UNSPECIFIED = 0; E_OPEN = 1; E_SECRET = 2 [(google.api.value_visibility).restriction = "INTERNAL"]; }
	message Inner {
		option (google.api.message_visibility).restriction = "INTERNAL";
		string word = 1 [(buf.validate.field).string.min_len = 1];
	}
	message M {
		option (buf.validate.message).cel = {id: "both" message: "secret or id" expression: "this.secret != '' || this.id == ''"};
		string id = 1 [(buf.validate.field).string.max_len = 3];
		string secret = 2 [(google.api.field_visibility).restriction = "INTERNAL", (buf.validate.field).required = true];
		E e = 3 [(buf.validate.field).enum = {in: [1, 2]}];
		Inner inner = 4 [(buf.validate.field).required = true];
		repeated int32 n = 5;
	}
	service Open { rpc Get(M) returns (M); }`

// TestRestrictedRules: what is restricted to labels makes no call impossible, and no refusal names it; with the label it is
// as anything else.
func TestRestrictedRules(t *testing.T) {
	t.Parallel()
	dir := writeProto(t, restrictedRules)
	source := catalog.Source{
		Backend: named(t, "b"),
		Set:     load(t, descriptor.Files([]string{dir, "../../../proto", "../../../proto/third_party"}, []string{"x.proto"})),
	}
	many := `"n":[1` + strings.Repeat(",1", 1500) + "]"
	for name, tt := range map[string]struct{ arguments, want, insider string }{
		"a call":         {`{"id":"a","e":"E_OPEN"}`, "", "secret: is required"},
		"a large call":   {`{"id":"a","e":"E_OPEN",` + many + `}`, "", "secret: is required"},
		"nothing":        {`{}`, "e: is missing: one of E_OPEN", "e: is missing: one of E_OPEN, E_SECRET"},
		"a large fault":  {`{"id":"abcd","e":"E_OPEN",` + many + `}`, "id: must be at most 3 characters", "id: must be at most 3 characters"},
		"a secret value": {`{"e":"E_SECRET"}`, `e: want one of E_UNSPECIFIED, E_OPEN, got the string "E_SECRET"`, "secret: is required"},
		"nearly one":     {`{"e":"E_SECRETS"}`, `e: want one of E_UNSPECIFIED, E_OPEN, got the string "E_SECRETS"`, `did you mean "E_SECRET"?`},
		"by its number":  {`{"e":2}`, "", "secret: is required"},
		"a secret field": {`{"secret":"a"}`, `unknown argument "secret"; there are: id, e, n`, "inner: is required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := refusal(t, source, tt.arguments)
			told := strings.ReplaceAll(strings.ToLower(got), strings.ToLower(tt.want), "")
			leaks := strings.Contains(told, "secret") || strings.Contains(told, "inner")
			if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) || leaks {
				t.Errorf("refused as %q, want %q", got, tt.want)
			}
			insider := source
			insider.Visibility = []string{"INTERNAL"}
			if got := refusal(t, insider, tt.arguments); !strings.Contains(got, tt.insider) {
				t.Errorf("with the label, refused as %q, want %q", got, tt.insider)
			}
		})
	}
}

// TestRestrictedResult: a result shows a value as the backend sent it.
func TestRestrictedResult(t *testing.T) {
	t.Parallel()
	dir := writeProto(t, restrictedRules)
	source := catalog.Source{
		Backend: named(t, "b"),
		Set:     load(t, descriptor.Files([]string{dir, "../../../proto", "../../../proto/third_party"}, []string{"x.proto"})),
	}
	got, _, err := tool(t, compile(t, catalog.Options{}, source), "open_get").Codec.AppendJSON(nil, []byte("\x12\x01a\x18\x02"))
	if err != nil || !json.Valid(got) || string(got) != `{"e":"E_SECRET"}` {
		t.Errorf("result %s, error %v", got, err)
	}
}

// refusal is why arguments of Open.Get are refused before the call, "" where they are not.
func refusal(t *testing.T, source catalog.Source, arguments string) string {
	t.Helper()
	get := tool(t, compile(t, catalog.Options{}, source), "open_get")
	wire, err := get.Codec.AppendWire(nil, []byte(arguments))
	if err != nil {
		return err.Error()
	}
	err = get.Rules.Check(t.Context(), wire)
	var broken *rules.Violations
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &broken):
		t.Fatal(err)
	}
	return broken.Error()
}
