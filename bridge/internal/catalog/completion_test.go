package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

func TestCompletePrompt(t *testing.T) {
	t.Parallel()
	c := reviewing(t, "")
	for _, tt := range []struct{ argument, value, want string }{
		{"tone", "", "TONE_KIND TONE_STRICT TONE_KEEN"},
		{"tone", "tone_k", "TONE_KIND TONE_KEEN"},
		{"tone", "KIND", "TONE_KIND"},
		{"tone", "k", "TONE_KIND TONE_KEEN"},
		{"tone", "one", ""},
		{"size", "s", "SMALL"},
		{"tone", "TONE_KIND_OF", ""},
		{"size", "", "NONE SMALL"},
		{"short", "", "true false"},
		{"short", "F", "false"},
		{"bookTitle", "x", ""},
		{"book_title", "", ""},
		{"words", "1", ""},
	} {
		got, err := c.Complete(mcp.CompleteParams{
			Prompt: "review_write", Argument: tt.argument, Value: tt.value, Context: map[string]string{"bookTitle": "x"},
		})
		if err != nil || got == nil {
			t.Errorf("%s %q: %v, error %v", tt.argument, tt.value, got, err)
		}
		if diff := cmp.Diff(strings.Fields(tt.want), got, cmpEmpty); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tt.argument, tt.value, diff)
		}
	}
}

func TestCompleteTemplate(t *testing.T) {
	t.Parallel()
	c := shelved(t,
		`{ uri_template: "a://{as}/{draft}/{book_id}" fields { key: "as" value: "form" } uri_field: "asked_for" }, { uri: "a://fixed" }`)
	for _, tt := range []struct{ argument, value, want string }{
		{"as", "form_a", "FORM_AUDIO"}, {"as", "", "FORM_TEXT FORM_AUDIO"}, {"draft", "t", "true"}, {"book_id", "", ""},
	} {
		got, err := c.Complete(mcp.CompleteParams{Template: "a://{as}/{draft}/{book_id}", Argument: tt.argument, Value: tt.value})
		if diff := cmp.Diff(strings.Fields(tt.want), got, cmpEmpty); diff != "" || err != nil {
			t.Errorf("%s %q (-want +got):\n%s, error %v", tt.argument, tt.value, diff, err)
		}
	}
}

// TestCompleteEnums: the words that all names of an enum begin with need not be typed.
func TestCompleteEnums(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		enum Vehicle { VEHICLE_UNSPECIFIED = 0; VEHICLE_TRAM = 3; VEHICLE_TRAIN = 1; VEHICLE_VAN = 2; }
		enum Lone { LONE_ONE = 0; }
		enum Near { TO_A = 0; TO_AB = 1; TOAST = 2; }
		enum Nested { A_B = 0; A_B_C = 1; }
		message M { Vehicle v = 1; Lone lone = 2; Near near = 3; Nested nested = 4; }
		service S { rpc Do(M) returns (M) { option (bridge.v1.method).prompt = {}; } }`))
	for _, tt := range []struct{ argument, value, want string }{
		{"v", "tr", "VEHICLE_TRAM VEHICLE_TRAIN"},
		{"v", "Train", "VEHICLE_TRAIN"},
		{"v", "ve", "VEHICLE_TRAM VEHICLE_TRAIN VEHICLE_VAN"},
		{"v", "v", "VEHICLE_TRAM VEHICLE_TRAIN VEHICLE_VAN"},
		{"v", "va", "VEHICLE_VAN"},
		{"v", "_t", ""},
		{"v", "rain", ""},
		{"lone", "on", "LONE_ONE"},
		{"lone", "lo", "LONE_ONE"},
		{"near", "a", ""},
		{"near", "to", "TO_A TO_AB TOAST"},
		{"near", "t", "TO_A TO_AB TOAST"},
		{"nested", "b_", "A_B_C"},
		{"nested", "c", ""},
	} {
		got, err := c.Complete(mcp.CompleteParams{Prompt: "s_do", Argument: tt.argument, Value: tt.value})
		if diff := cmp.Diff(strings.Fields(tt.want), got, cmpEmpty); diff != "" || err != nil {
			t.Errorf("%s %q (-want +got):\n%s, error %v", tt.argument, tt.value, diff, err)
		}
	}
}

func TestCompleteUnknown(t *testing.T) {
	t.Parallel()
	prompts, templates := reviewing(t, ""), shelved(t, `{ uri_template: "a://{book_id}" uri_field: "asked_for" }, { uri: "a://fixed" }`)
	for _, p := range []mcp.CompleteParams{
		{Prompt: "other", Argument: "tone"},
		{Prompt: "review_write", Argument: "other"},
		{Prompt: "review_write", Argument: "list"},
		{Template: "a://{other}", Argument: "other"},
		{Template: "a://{book_id}", Argument: "other"},
		{Template: "a://{book_id}", Argument: ""},
		{Template: "a://fixed", Argument: "book_id"},
		{},
	} {
		c := prompts
		if p.Template != "" {
			c = templates
		}
		if got, err := c.Complete(p); got != nil || err == nil || err.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%+v: %v, error %v", p, got, err)
		}
	}
}
