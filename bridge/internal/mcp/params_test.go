package mcp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

func TestParseCursor(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]string{``: "", `{}`: "", `{"cursor":""}`: "", `{"cursor":"a\u0062"}`: "ab"} {
		got, err := mcp.ParseCursor([]byte(params))
		checkError(t, err, "")
		if got != want {
			t.Errorf("%s: got %q, want %q", params, got, want)
		}
	}
	_, err := mcp.ParseCursor([]byte(`{"cursor":7}`))
	checkError(t, err, "cursor must be a string")
}

func TestParseCancelled(t *testing.T) {
	t.Parallel()
	got, ok := mcp.ParseCancelled([]byte(`{"requestId":"a","reason":"why"}`))
	if !ok || got != jsonrpc.StringID("a") {
		t.Errorf("got %v %v", got, ok)
	}
	for _, params := range []string{``, `{}`, `{"requestId":null}`, `{"requestId":1.5}`, `{"requestId":{}}`} {
		if got, ok := mcp.ParseCancelled([]byte(params)); ok {
			t.Errorf("%s: got %v", params, got)
		}
	}
}

// TestParseRefuses has one row for each way in which each member can be wrong.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const ref, argument = `"ref":{"type":"ref/prompt","name":"p"}`, `"argument":{"name":"a","value":"v"}`
	for method, rows := range map[string]map[string]string{
		mcp.MethodResourcesRead: {
			``: "uri must be a string", `{}`: "uri must be a string", `{"uri":""}`: "uri must be a string",
			`{"uri":null}`: "uri must be a string", `{"uri":["x:y"]}`: "uri must be a string", `{"URI":"x:y"}`: "uri must be a string",
		},
		mcp.MethodPromptsGet: {
			``: "name must be a string", `{"name":1}`: "name must be a string", `{"name":null}`: "name must be a string",
			`{"name":"p","arguments":[]}`: "arguments must be an object", `{"name":"p","arguments":null}`: "arguments must be an object",
			`{"name":"p","arguments":"{}"}`: "arguments must be an object", `{"name":"p","arguments":{"a":1}}`: "arguments.a must be a string",
			`{"name":"p","arguments":{"a":"x","b":null}}`: "arguments.b must be a string",
		},
		mcp.MethodComplete: {
			``: "ref.type must be", `{` + argument + `}`: "ref.type must be", `{"ref":"ref/prompt",` + argument + `}`: "ref.type must be",
			`{"ref":{"type":"ref/tool","name":"t"},` + argument + `}`: "ref.type must be", `{"ref":{"type":1},` + argument + `}`: "ref.type must be",
			`{"ref":{"type":"ref/prompt"},` + argument + `}`:              "ref.name must be",
			`{"ref":{"type":"ref/prompt","name":7},` + argument + `}`:     "ref.name must be",
			`{"ref":{"type":"ref/prompt","uri":"x:y"},` + argument + `}`:  "ref.name must be",
			`{"ref":{"type":"ref/resource","name":"p"},` + argument + `}`: "ref.uri must be",
			`{"ref":{"type":"ref/resource","uri":""},` + argument + `}`:   "ref.uri must be",
			`{` + ref + `}`: "argument.name must be", `{` + ref + `,"argument":"a"}`: "argument.name must be",
			`{` + ref + `,"argument":{"value":"v"}}`:                            "argument.name must be",
			`{` + ref + `,"argument":{"name":"","value":"v"}}`:                  "argument.name must be",
			`{` + ref + `,"argument":{"name":"a"}}`:                             "argument.value must be",
			`{` + ref + `,"argument":{"name":"a","value":1}}`:                   "argument.value must be",
			`{` + ref + `,` + argument + `,"context":7}`:                        "context must be",
			`{` + ref + `,` + argument + `,"context":null}`:                     "context must be",
			`{` + ref + `,` + argument + `,"context":{"arguments":[]}}`:         "context.arguments must be",
			`{` + ref + `,` + argument + `,"context":{"arguments":{"b":true}}}`: "context.arguments.b must be",
		},
		mcp.MethodSetLevel: {
			``: "level must be one of", `{"level":"loud"}`: "level must be one of", `{"level":4}`: "level must be one of",
			`{"level":"Warning"}`: "level must be one of", `{"level":null}`: "level must be one of",
		},
		mcp.MethodSubscriptionsListen: {
			``: "notifications must be an object", `{"notifications":[]}`: "notifications must be an object",
			`{"notifications":null}`:                                 "notifications must be an object",
			`{"notifications":{"toolsListChanged":"true"}}`:          "notifications.toolsListChanged must be true or false",
			`{"notifications":{"promptsListChanged":1}}`:             "notifications.promptsListChanged must be true or false",
			`{"notifications":{"resourcesListChanged":null}}`:        "notifications.resourcesListChanged must be true or false",
			`{"notifications":{"resourceSubscriptions":"x:y"}}`:      "notifications.resourceSubscriptions must be an array",
			`{"notifications":{"resourceSubscriptions":{"x:y":{}}}}`: "notifications.resourceSubscriptions must be an array",
			`{"notifications":{"resourceSubscriptions":["x:y",7]}}`:  "notifications.resourceSubscriptions must be an array",
			`{"notifications":{"resourceSubscriptions":[""]}}`:       "notifications.resourceSubscriptions must be an array",
		},
	} {
		for params, fault := range rows {
			checkError(t, parse(method, []byte(params)), fault)
		}
	}
}

// parse reads the params of a method.
func parse(method string, params []byte) (err *jsonrpc.Error) {
	switch method {
	case mcp.MethodResourcesRead:
		_, err = mcp.ParseURI(params)
	case mcp.MethodPromptsGet:
		_, err = mcp.ParseGetPrompt(params)
	case mcp.MethodComplete:
		_, err = mcp.ParseComplete(params)
	case mcp.MethodSetLevel:
		_, err = mcp.ParseSetLevel(params)
	case mcp.MethodSubscriptionsListen:
		_, err = mcp.ParseListen(params)
	}
	return err
}

func TestParseGetPrompt(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]mcp.GetPromptParams{
		`{"name":"p"}`:                                    {Name: "p"},
		`{"name":"","arguments":{}}`:                      {Arguments: map[string]string{}},
		`{"arguments":{"\u0061":"\n","b":""},"name":"p"}`: {Name: "p", Arguments: map[string]string{"a": "\n", "b": ""}},
	} {
		got, err := mcp.ParseGetPrompt([]byte(params))
		checkError(t, err, "")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", params, diff)
		}
	}
}

func TestParseComplete(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]mcp.CompleteParams{
		`{"ref":{"type":"ref/prompt","name":"p","title":"P"},"argument":{"name":"a","value":""}}`: {Prompt: "p", Argument: "a"},
		`{"argument":{"value":"v","name":"a"},"ref":{"uri":"x:{a}","type":"ref/resource"}}`: {
			Template: "x:{a}", Argument: "a", Value: "v",
		},
		`{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"},"context":{}}`: {Prompt: "p", Argument: "a", Value: "v"},
		`{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"},"context":{"arguments":{"b":"c"}}}`: {
			Prompt: "p", Argument: "a", Value: "v", Context: map[string]string{"b": "c"},
		},
	} {
		got, err := mcp.ParseComplete([]byte(params))
		checkError(t, err, "")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", params, diff)
		}
	}
}

func TestParseListen(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]mcp.Subscription{
		`{"notifications":{}}`:                           {},
		`{"notifications":{"toolsListChanged":false}}`:   {},
		`{"notifications":{"taskIds":["t"],"x":7}}`:      {TaskIDs: []string{"t"}},
		`{"notifications":{"taskIds":[]}}`:               {TaskIDs: []string{}},
		`{"notifications":{"resourceSubscriptions":[]}}`: {URIs: []string{}},
		`{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,` +
			`"resourceSubscriptions":["x:y","x:\u007a"]}}`: {
			Tools: true, Prompts: true, Resources: true, URIs: []string{"x:y", "x:z"},
		},
	} {
		got, err := mcp.ParseListen([]byte(params))
		checkError(t, err, "")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", params, diff)
		}
	}
}

// TestParseAnything holds that no text makes a parser panic, whether or not it
// went through a strict reader before.
func TestParseAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		params := []byte(rapid.StringOf(rapid.RuneFrom([]rune(`{}[]":,\u 0-.eEtrfalsn_meta`))).Draw(t, "params"))
		_, _ = mcp.ParseMeta(jsonrpc.ObjectOf(params))
		_, _ = mcp.ParseCallTool(jsonrpc.ObjectOf(params))
		_, _ = mcp.ParseInitialize(params)
		_, _ = mcp.ParseCursor(params)
		_, _ = mcp.ParseCancelled(params)
		for _, method := range []string{
			mcp.MethodResourcesRead, mcp.MethodPromptsGet, mcp.MethodComplete, mcp.MethodSetLevel, mcp.MethodSubscriptionsListen,
		} {
			_ = parse(method, params)
		}
		mcp.ReadImplementation(params)
		mcp.HasCapability(params, "elicitation.form")
	})
}
