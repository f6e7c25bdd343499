package interaction_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/ask"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestFormAnswers holds forms as filled in against each keyword that a schema may have.
func TestFormAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		property, value, fault string // fault is a part of it; "" for none
	}{
		"a boolean":            {`{"type":"boolean"}`, `true`, ``},
		"a boolean in words":   {`{"type":"boolean"}`, `"true"`, `"f" must be true or false`},
		"a text":               {`{"type":"string"}`, `"é"`, ``},
		"a text that is none":  {`{"type":"string"}`, `1`, `"f" must be a string`},
		"short":                {`{"type":"string","minLength":2}`, `"é"`, "must have at least 2 characters"},
		"long":                 {`{"type":"string","maxLength":1}`, `"ab"`, "must have at most 1 character"},
		"an address":           {`{"type":"string","format":"email"}`, `"a@b.example"`, ``},
		"no address":           {`{"type":"string","format":"email"}`, `"a b"`, "of the format email"},
		"a URI":                {`{"type":"string","format":"uri"}`, `"https://a.example"`, ``},
		"no URI":               {`{"type":"string","format":"uri"}`, `"a"`, "of the format uri"},
		"a date":               {`{"type":"string","format":"date"}`, `"2026-02-28"`, ``},
		"no date":              {`{"type":"string","format":"date"}`, `"2026-02-30"`, "of the format date"},
		"a time":               {`{"type":"string","format":"date-time"}`, `"2026-02-28T10:00:00Z"`, ``},
		"no time":              {`{"type":"string","format":"date-time"}`, `"now"`, "of the format date-time"},
		"a number":             {`{"type":"number"}`, `1.5e3`, ``},
		"no number":            {`{"type":"number"}`, `"1"`, "must be a number"},
		"an integer":           {`{"type":"integer"}`, `1e3`, ``},
		"a large integer":      {`{"type":"integer"}`, `9007199254740991`, ``},
		"an imprecise integer": {`{"type":"integer"}`, `9007199254740993`, "from -9007199254740991 to 9007199254740991"},
		"beyond a large bound": {`{"type":"integer","maximum":1000000}`, `1000001`, "must be at most 1000000"},
		"a fraction":           {`{"type":"integer"}`, `1.5`, "must be an integer"},
		"small":                {`{"type":"integer","minimum":2}`, `1`, "must be at least 2"},
		"great":                {`{"type":"number","maximum":2.5}`, `3`, "must be at most 2.5"},
		"one of some":          {`{"type":"string","enum":["a","b"]}`, `"a"`, ``},
		"none of them":         {`{"type":"string","enum":["a","b"]}`, `"c"`, "must be one of a, b"},
		"one with a title":     {`{"type":"string","oneOf":[{"const":"a","title":"A"}]}`, `"A"`, "must be one of a"},
		"several":              {`{"type":"array","items":{"type":"string","enum":["a","b"]}}`, `["a","b"]`, ``},
		"several with titles":  {`{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`, `["b"]`, "must have no other elements than a"},
		"too few":              {`{"type":"array","minItems":1,"items":{"enum":["a"]}}`, `[]`, "must have at least 1 element"},
		"too many":             {`{"type":"array","maxItems":2,"items":{"enum":["a"]}}`, `["a","a","b","c"]`, "must have at most 2 elements"},
		"no array":             {`{"type":"array","items":{"enum":["a"]}}`, `"a"`, "must be an array"},
		"null is not required": {`{"type":"string"}`, `null`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := one(t, ask.FormSchema("k", "m", `{"type":"object","properties":{"f":`+c.property+`}}`))
			_, err := r.Answer([]byte(`{"action":"accept","content":{"f":` + c.value + `,"more":[]}}`))
			if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("got %v, want %q", err, c.fault)
			}
		})
	}
}

// TestPassedOver: what is no field is passed over, whatever it is.
func TestPassedOver(t *testing.T) {
	t.Parallel()
	r := one(t, ask.Form("k", "m", ask.Bool("agree")))
	for _, more := range []string{`1e999`, `[[[1e400]]]`, `"\u0000"`, `{"agree":1}`} {
		answer, err := r.Answer([]byte(`{"action":"accept","content":{"agree":true,"x":` + more + `}}`))
		if err != nil || len(answer.GetElicitation().GetContent().GetFields()) != 1 {
			t.Errorf("%s: %v, %v", more, answer, err)
		}
	}
}

// TestAnswers: what backends get of answers, and what is wrong with those that do not fit.
func TestAnswers(t *testing.T) {
	t.Parallel()
	form := ask.Form("k", "m", ask.String("name", ask.Required()))
	for name, c := range map[string]struct {
		request *bridgev1.InputRequest
		result  string
		want    string // as ProtoJSON; "" for a fault
		fault   string
	}{
		"accepted": {
			form, `{"action":"accept","content":{"name":"Ada"}}`,
			`{"key":"k","elicitation":{"action":"ELICITATION_ACTION_ACCEPT","content":{"name":"Ada"}}}`, ``,
		},
		"declined": {form, `{"action":"decline"}`, `{"key":"k","elicitation":{"action":"ELICITATION_ACTION_DECLINE"}}`, ``},
		"an image without data": {
			ask.Sample("k", "p", 1), `{"role":"user","model":"m","content":{"type":"image","data":1}}`, ``, "data of a block of content must be in base64",
		},
		"cancelled": {
			form, `{"action":"cancel","content":{"name":1}}`, `{"key":"k","elicitation":{"action":"ELICITATION_ACTION_CANCEL"}}`, ``,
		},
		"more than was asked for": {
			form, `{"action":"accept","content":{"name":"Ada","more":[{}],"age":null}}`,
			`{"key":"k","elicitation":{"action":"ELICITATION_ACTION_ACCEPT","content":{"name":"Ada"}}}`, ``,
		},
		"accepted with nothing": {form, `{"action":"accept"}`, ``, `"name" is required`},
		"no action":             {form, `{"content":{"name":"Ada"}}`, ``, "action must be accept, decline or cancel"},
		"junk":                  {form, `"yes"`, ``, "the result must be an object"},
		"a page": {
			ask.URL("k", "m", "https://example.com/"), `{"action":"accept","content":{"x":1}}`,
			`{"key":"k","elicitation":{"action":"ELICITATION_ACTION_ACCEPT"}}`, ``,
		},
		"a sampling": {
			ask.Sample("k", "p", 1), `{"role":"assistant","model":"m1","stopReason":"endTurn","content":{"type":"text","text":"Paris"}}`,
			`{"key":"k","sampling":{"role":"ROLE_ASSISTANT","model":"m1","stopReason":"endTurn","content":[{"text":{"text":"Paris"}}],` +
				`"json":"{\"role\":\"assistant\",\"model\":\"m1\",\"stopReason\":\"endTurn\",\"content\":{\"type\":\"text\",\"text\":\"Paris\"}}"}}`,
			``,
		},
		"a sampling without a model": {
			ask.Sample("k", "p", 1), `{"role":"assistant","content":{"type":"text","text":"a"}}`, ``, "model must be a string",
		},
		"a sampling of no blocks": {
			ask.Sample("k", "p", 1), `{"role":"assistant","model":"m","content":[]}`,
			`{"key":"k","sampling":{"role":"ROLE_ASSISTANT","model":"m","json":"{\"role\":\"assistant\",\"model\":\"m\",\"content\":[]}"}}`, ``,
		},
		"a sampling with a null reason": {
			ask.Sample("k", "p", 1), `{"role":"assistant","model":"m","stopReason":null,"content":{"type":"text","text":"a"}}`, ``,
			"stopReason must be a string",
		},
		"a sampling of nothing": {ask.Sample("k", "p", 1), `{"role":"assistant","model":"m"}`, ``, "content must be a block"},
		"roots": {
			ask.Roots("k"), `{"roots":[{"uri":"file:///a","name":"A"}]}`, `{"key":"k","roots":{"roots":[{"uri":"file:///a","name":"A"}]}}`, ``,
		},
		"no roots":        {ask.Roots("k"), `{"roots":[]}`, `{"key":"k","roots":{}}`, ``},
		"roots elsewhere": {ask.Roots("k"), `{"roots":[{"uri":"https://a"}]}`, ``, "must begin with file://"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := one(t, c.request)
			got, err := r.Answer([]byte(c.result))
			if err != nil {
				if c.fault == "" || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("got %v, want %q", err, c.fault)
				}
				return
			}
			want := &bridgev1.InputResponse{}
			if err := protojson.Unmarshal([]byte(c.want), want); err != nil {
				t.Fatal(err)
			}
			if !proto.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// FuzzAnswers: no answer that is JSON makes a panic, and one that is taken holds no more than what was asked for.
func FuzzAnswers(f *testing.F) {
	f.Add(`{"action":"accept","content":{"s":"a","n":1,"b":true,"l":["x"]}}`)
	f.Add(`{"role":"user","model":"m","content":[{"type":"image","data":"AA=="}]}`)
	f.Add(`{"roots":[{"uri":"file:///"}]}`)
	requests, err := interaction.Read(asked(
		ask.FormSchema("form", "m", `{"type":"object","properties":{"s":{"type":"string","maxLength":3},"n":{"type":"integer"},`+
			`"b":{"type":"boolean"},"l":{"type":"array","items":{"enum":["x"]}}},"required":["s"]}`),
		ask.Sample("sampling", "p", 1), ask.Roots("roots"), ask.URL("page", "m", "https://example.com/")))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, result string) {
		if jsonrpc.Check([]byte(result), jsonrpc.DefaultLimits) != nil {
			return // the envelope has refused it
		}
		for i := range requests {
			answer, err := requests[i].Answer([]byte(result))
			if err != nil {
				continue
			}
			if s := answer.GetElicitation().GetContent().GetFields()["s"].GetStringValue(); len([]rune(s)) > 3 {
				t.Errorf("took %q", s)
			}
			if _, err := proto.Marshal(answer); err != nil {
				t.Errorf("%q: %v", result, err)
			}
		}
	})
}
