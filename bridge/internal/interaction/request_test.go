package interaction_test

import (
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/ask"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// asked is what a backend asks for, without a state.
func asked(requests ...*bridgev1.InputRequest) *bridgev1.InputRequired {
	return &bridgev1.InputRequired{Requests: requests}
}

// one reads the only request of a backend.
func one(t *testing.T, r *bridgev1.InputRequest) interaction.Request {
	t.Helper()
	requests, err := interaction.Read(asked(r))
	if err != nil {
		t.Fatal(err)
	}
	return requests[0]
}

// TestParams: what the client is sent, by revision (2025-06-18, 2025-11-25 and 2026-07-28 client/elicitation, client/sampling).
func TestParams(t *testing.T) {
	t.Parallel()
	form := ask.Form("name", "Who are you?", ask.String("name", ask.Required()))
	schema := `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
	page := ask.URL("login", "Log in.", "https://example.com/login")
	page.GetUrl().ElicitationId = "e1"
	tools := ask.Sample("t", "Add.", 5)
	tools.GetSampling().Tools, tools.GetSampling().ToolChoice = `[{"name":"add"}]`, `{"mode":"auto"}`
	full := ask.Sample("f", "Hi", 0)
	s := full.GetSampling()
	s.SystemPrompt, s.Temperature, s.StopSequences, s.ModelHints = "Be brief.", proto.Float64(0.5), []string{"."}, []string{"small"}
	for name, c := range map[string]struct {
		request *bridgev1.InputRequest
		version mcp.Version
		needs   string
		want    string
	}{
		"form, first revision": {form, mcp.V20250618, "elicitation.form", `{"message":"Who are you?","requestedSchema":` + schema + `}`},
		"form": {
			form, mcp.V20251125, "elicitation.form", `{"mode":"form","message":"Who are you?","requestedSchema":` + schema + `}`,
		},
		"form, modern": {
			form, mcp.V20260728, "elicitation.form", `{"mode":"form","message":"Who are you?","requestedSchema":` + schema + `}`,
		},
		"page": {
			page, mcp.V20251125, "elicitation.url", `{"mode":"url","message":"Log in.","url":"https://example.com/login","elicitationId":"e1"}`,
		},
		"page, modern": {page, mcp.V20260728, "elicitation.url", `{"mode":"url","message":"Log in.","url":"https://example.com/login"}`},
		"tools": {
			tools, mcp.V20260728, "sampling.tools",
			`{"messages":[{"role":"user","content":{"type":"text","text":"Add."}}],` +
				`"maxTokens":5,"tools":[{"name":"add"}],"toolChoice":{"mode":"auto"}}`,
		},
		"sampling": {
			full, mcp.V20241105, "sampling",
			`{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"modelPreferences":{"hints":[{"name":"small"}]},` +
				`"systemPrompt":"Be brief.","temperature":0.5,"maxTokens":1024,"stopSequences":["."]}`,
		},
		"roots": {ask.Roots("r"), mcp.V20241105, "roots", ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := one(t, c.request)
			if got := string(r.Params(lifecycle.Features(c.version))); got != c.want || r.Needs != c.needs {
				t.Errorf("needs %s: %s\nwant %s: %s", r.Needs, got, c.needs, c.want)
			}
		})
	}
}

// TestReadRefuses: what a backend cannot ask for, and what its author is told.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	schema := func(text string) *bridgev1.InputRequest { return ask.FormSchema("k", "m", text) }
	many := make([]*bridgev1.InputRequest, 33)
	hot := ask.Sample("k", "Hi", 5)
	hot.GetSampling().Temperature = proto.Float64(math.NaN())
	for name, c := range map[string]struct {
		in   *bridgev1.InputRequired
		want string
	}{
		"no key":             {asked(ask.Roots("")), `the key "" of a request`},
		"a key with a space": {asked(ask.Roots("a b")), `the key "a b" of a request`},
		"one key twice":      {asked(ask.Roots("a"), ask.Roots("a")), `two requests with the key "a"`},
		"too many":           {asked(many...), "33 requests at once: ask for at most 32"},
		"a large state":      {&bridgev1.InputRequired{State: make([]byte, 16<<10+1)}, "a state of 16385 bytes"},
		"too much":           {asked(ask.Form("k", strings.Repeat("m", 256<<10))), "bytes at once: keep them to 262144 together"},
		"no temperature":     {asked(hot), "temperature is NaN"},
		"nothing":            {asked(&bridgev1.InputRequest{Key: "k"}), `the request "k": it asks for nothing`},
		"no message":         {asked(ask.Form("k", "")), "message is empty"},
		"no page":            {asked(ask.URL("k", "m", "javascript:alert(1)")), `url "javascript:alert(1)" is no address of a page`},
		"no conversation":    {asked(&bridgev1.InputRequest{Key: "k", Request: &bridgev1.InputRequest_Sampling{}}), "asks for nothing"},
		"empty conversation": {
			asked(&bridgev1.InputRequest{Key: "k", Request: &bridgev1.InputRequest_Sampling{Sampling: &bridgev1.Sampling{}}}), "messages are empty",
		},
		"no JSON":   {asked(schema("{")), "requested_schema: no JSON"},
		"no object": {asked(schema(`{"type":"string"}`)), `with "type": "object"`},
		"nested":    {asked(schema(`{"type":"object","properties":{"a":{"type":"object"}}}`)), `property "a" is of type "object"`},
		"free array": {
			asked(schema(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`)),
			`property "a" is an array of something else`,
		},
		"no choices":     {asked(schema(`{"type":"object","properties":{"a":{"type":"string","enum":[ ]}}}`)), `property "a" has enum without choices`},
		"an odd choice":  {asked(schema(`{"type":"object","properties":{"a":{"type":"string","oneOf":[{"title":"x"}]}}}`)), `has oneOf with a choice that is no text`},
		"an odd element": {asked(schema(`{"type":"object","properties":{"a":{"type":"array","items":{"enum":[1]}}}}`)), `has enum with a choice that is no text`},
		"a default of another type": {
			asked(schema(`{"type":"object","properties":{"a":{"type":"integer","default":"three"}}}`)),
			`the default of property "a" must be a number`,
		},
		"a default out of bounds": {
			asked(schema(`{"type":"object","properties":{"a":{"type":"integer","maximum":3,"default":4}}}`)),
			`the default of property "a" must be at most 3`,
		},
		"several": {
			asked(ask.Form("k", "m", ask.String("c", ask.Format("x")), ask.String("a", ask.Format("x")), ask.String("b", ask.Format("x")))),
			`property "a" is of the format "x"`,
		},
		"a format of others": {
			asked(ask.Form("k", "m", ask.String("a", ask.Format("phone")))), `property "a" is of the format "phone": forms have date, date-time, email`,
		},
		"neither a request nor a state": {&bridgev1.InputRequired{}, "neither a request nor a state"},
		"required of none":              {asked(schema(`{"type":"object","properties":{},"required":["a"]}`)), `required names "a", which is no property`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := interaction.Read(c.in)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestCapabilities: what backends are told of clients, by what those say and by what their revision has.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw     string
		version mcp.Version
		want    *bridgev1.ClientCapabilities
	}{
		"none":                      {`{}`, mcp.V20260728, nil},
		"others":                    {`{"experimental":{"x":{}}}`, mcp.V20260728, nil},
		"elicitation without modes": {`{"elicitation":{}}`, mcp.V20260728, &bridgev1.ClientCapabilities{Form: true}},
		"a page alone":              {`{"elicitation":{"url":{}}}`, mcp.V20251125, &bridgev1.ClientCapabilities{Url: true}},
		"pages before their time":   {`{"elicitation":{"form":{},"url":{}}}`, mcp.V20250618, &bridgev1.ClientCapabilities{Form: true}},
		"forms before their time":   {`{"elicitation":{}}`, mcp.V20250326, nil},
		"all": {
			`{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{"listChanged":true}}`, mcp.V20260728,
			&bridgev1.ClientCapabilities{Form: true, Url: true, Sampling: true, SamplingTools: true, Roots: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wire := interaction.Capabilities([]byte(c.raw), lifecycle.Features(c.version))
			got := &bridgev1.ClientCapabilities{}
			if err := proto.Unmarshal(wire, got); err != nil {
				t.Fatal(err)
			}
			if (wire == nil) != (c.want == nil) || c.want != nil && !proto.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
