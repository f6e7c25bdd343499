package server_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// TestTooMuchContent: the bound of a result holds for content as it does for
// data, counted as JSON: in a tool it is a failure for the model, else -32603.
func TestTooMuchContent(t *testing.T) {
	t.Parallel()
	blob := func(n int) string { return `"` + base64.StdEncoding.EncodeToString(make([]byte, n)) + `"` }
	words := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	control := `"` + strings.Repeat(`\u0001`, 350) + `"`
	for name, tt := range map[string]struct {
		script, method, params string
		fits                   bool
	}{
		"picture of a tool": {`ShowCover: {"content":[{"image":{"data":` + blob(1600) + `}}]}`, "tools/call", `"name":"desk_show_cover"`, false},
		"picture that fits": {`ShowCover: {"content":[{"image":{"data":` + blob(1300) + `}}]}`, "tools/call", `"name":"desk_show_cover"`, true},
		"text of a tool":    {`ReadAloud: {"text":{"text":` + words(2000) + `}}`, "tools/call", `"name":"desk_read_aloud"`, false},
		"text that grows":   {`ReadAloud: {"text":{"text":` + control + `}}`, "tools/call", `"name":"desk_read_aloud"`, false},
		"text that fits":    {`ReadAloud: {"text":{"text":` + words(1900) + `}}`, "tools/call", `"name":"desk_read_aloud"`, true},
		"data and content": {
			`ShowCover: {"title":` + words(1200) + `,"content":[{"text":{"text":` + words(1200) + `}}]}`, "tools/call", `"name":"desk_show_cover"`,
			false,
		},
		"data and content that fit": {
			`ShowCover: {"title":` + words(900) + `,"content":[{"text":{"text":` + words(900) + `}}]}`, "tools/call", `"name":"desk_show_cover"`,
			true,
		},
		"many blocks": {
			`ShowCover: {"content":[` + strings.Repeat(`{"text":{"text":"x"}},`, 99) + `{}]}`, "tools/call", `"name":"desk_show_cover"`, false,
		},
		"link": {
			`ReadAloud: {"resourceLink":{"uri":"a:b","description":` + words(2000) + `}}`, "tools/call", `"name":"desk_read_aloud"`, false,
		},
		"bytes of a resource": {
			`GetPage: {"contents":[{"blob":` + blob(1600) + `}]}`, "resources/read", `"uri":"desk://books/dune/pages/1"`, false,
		},
		"text of a resource": {
			`GetPage: {"contents":[{"text":` + control + `}]}`, "resources/read", `"uri":"desk://books/dune/pages/1"`, false,
		},
		"resource that fits": {
			`GetPage: {"contents":[{"text":` + words(1800) + `}]}`, "resources/read", `"uri":"desk://books/dune/pages/1"`, true,
		},
		"data of a resource": {`GetRules: {"text":` + words(2000) + `}`, "resources/read", `"uri":"desk://rules"`, false},
		"data of quotes":     {`GetRules: {"text":"` + strings.Repeat(`\"`, 700) + `"}`, "resources/read", `"uri":"desk://rules"`, false},
		"messages of a prompt": {
			`Discuss: {"messages":[{"content":{"text":{"text":` + words(1200) + `}}},{"content":{"text":{"text":` + words(1200) + `}}}]}`,
			"prompts/get", `"name":"discuss"`, false,
		},
		"picture of a prompt": {
			`Discuss: {"messages":[{"content":{"image":{"data":` + blob(1600) + `}}}]}`, "prompts/get", `"name":"discuss"`, false,
		},
		"prompt that fits": {
			`Discuss: {"messages":[{"content":{"text":{"text":` + words(1800) + `}}}]}`, "prompts/get", `"name":"discuss"`, true,
		},
		"text of a prompt": {
			`Summarise: {"text":"` + strings.Repeat(`\u0001`, 330) + `"}`, "prompts/get", `"name":"summarise","arguments":{"book":"x"}`, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixtureOf(t, desk, tt.script, nil)
			body := f.server.Handle(t.Context(), f.gate.Stream(),
				decode(t, `{"jsonrpc":"2.0","id":1,"method":"`+tt.method+`","params":{`+tt.params+`,`+modernMeta+`}}`)).Body
			tooMuch(t, body, tt.method, tt.fits)
		})
	}
}

// tooMuch fails unless a result that fits was given, or one that does not was refused as its method has it.
func tooMuch(t *testing.T, body []byte, method string, fits bool) {
	t.Helper()
	const text = "result too large: more than 2000 bytes of JSON from a reply of "
	a := read(t, body)
	var result toolResult
	if a.Error == nil {
		if err := json.Unmarshal(a.Result, &result); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case fits:
		if a.Error != nil || result.IsError {
			t.Errorf("got %s", body)
		}
	case method == "tools/call":
		if !result.IsError || len(result.Content) != 1 || !strings.HasPrefix(result.Content[0].Text, "RESOURCE_EXHAUSTED: "+text) ||
			!strings.Contains(result.Content[0].Text, "\noutcome: executed") || result.StructuredContent != nil {
			t.Errorf("got %s", body)
		}
	default:
		if a.Error == nil || a.Error.Code != -32603 || !strings.HasPrefix(a.Error.Message, "RESOURCE_EXHAUSTED: "+text) ||
			!strings.HasPrefix(string(a.Error.Data), `{"code":"RESOURCE_EXHAUSTED","message":"`+text) ||
			!strings.Contains(string(a.Error.Data), `"outcome":"executed"`) {
			t.Errorf("got %s", body)
		}
	}
}
