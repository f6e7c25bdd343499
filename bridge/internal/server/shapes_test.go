package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// shape is a request in the right shape and what is known of its members. A
// name with a dot is a member of a member.
type shape struct {
	method, params string
	modern, legacy bool
	// required and optional are members and their kinds.
	required, optional map[string]string
}

// shapes has a row for each method that has members.
var shapes = []shape{
	{"tools/list", `{"cursor":""}`, true, true, nil, map[string]string{"cursor": "string"}},
	{"resources/list", `{"cursor":""}`, true, true, nil, map[string]string{"cursor": "string"}},
	{"resources/templates/list", `{"cursor":""}`, true, true, nil, map[string]string{"cursor": "string"}},
	{"prompts/list", `{"cursor":""}`, true, true, nil, map[string]string{"cursor": "string"}},
	{"tools/call", `{"name":"desk_show_cover","arguments":{}}`, true, true, map[string]string{"name": "string"}, nil},
	{"resources/read", `{"uri":"desk://rules"}`, true, true, map[string]string{"uri": "string"}, nil},
	{"resources/subscribe", `{"uri":"desk://books/dune/place"}`, false, true, map[string]string{"uri": "string"}, nil},
	{"resources/unsubscribe", `{"uri":"desk://books/dune/place"}`, false, true, map[string]string{"uri": "string"}, nil},
	{
		"prompts/get", `{"name":"discuss","arguments":{"book":"dune"}}`, true, true,
		map[string]string{"name": "string"},
		map[string]string{"arguments": "object", "arguments.book": "string"},
	},
	{
		"completion/complete",
		`{"ref":{"type":"ref/prompt","name":"summarise"},"argument":{"name":"reader","value":""},"context":{"arguments":{"book":""}}}`, true,
		true,
		map[string]string{
			"ref": "object", "ref.type": "string", "ref.name": "string",
			"argument": "object", "argument.name": "string", "argument.value": "string",
		},
		map[string]string{"context": "object", "context.arguments": "object", "context.arguments.book": "string"},
	},
	{"logging/setLevel", `{"level":"info"}`, false, true, map[string]string{"level": "string"}, nil},
	{
		"subscriptions/listen",
		`{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,` +
			`"resourceSubscriptions":["desk://rules"]}}`, true, false,
		map[string]string{"notifications": "object"},
		map[string]string{
			"notifications.toolsListChanged": "bool", "notifications.promptsListChanged": "bool",
			"notifications.resourcesListChanged": "bool", "notifications.resourceSubscriptions": "array",
		},
	},
	{"server/discover", `{}`, true, false, nil, nil},
	{"tasks/get", `{"taskId":"none"}`, true, false, map[string]string{"taskId": "string"}, nil},
	{"tasks/cancel", `{"taskId":"none"}`, true, false, map[string]string{"taskId": "string"}, nil},
	{
		"tasks/update", `{"taskId":"none","inputResponses":{}}`, true, false,
		map[string]string{"taskId": "string", "inputResponses": "object"},
		nil,
	},
	{"ping", `{}`, false, true, nil, nil},
}

// kinds has a value of each kind.
var kinds = map[string]string{"null": "null", "bool": "true", "number": "7", "string": `"x"`, "array": "[{}]", "object": `{"x":[]}`}

// TestWrongShapes: a member that is missing or of a wrong kind is -32602, in each
// method and in both eras; it is never a panic, nor a fault of ours (as it was in
// an SDK: CVE-2026-47427).
func TestWrongShapes(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	f := newFixtureOf(t, desk, "Discuss: {}\nGetRules: {}\nShowCover: {}", slog.New(slog.NewTextHandler(&log, nil)))
	h := f.open(t)
	for _, s := range shapes {
		for _, wrong := range s.wrong(t) {
			if s.legacy {
				reply := f.post(t, h, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, s.method, wrong.params))
				wrong.check(t, s.method, reply.Body)
			}
			if s.modern {
				params := strings.Replace(wrong.params, "{", "{"+modernMeta+",", 1)
				params = strings.Replace(params, ",}", "}", 1)
				ctx, cancel := context.WithCancel(context.Background())
				call := f.server.Admit(ctx, f.gate.Stream(),
					decode(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, s.method, params)), &leaver{cancel})
				wrong.check(t, s.method, call.Run().Body)
				cancel()
			}
		}
	}
	if strings.Contains(log.String(), "panic") {
		t.Error(log.String())
	}
}

// leaver is a client that leaves when it hears the first message, such as the
// acknowledgement of a listen stream.
type leaver struct{ leave context.CancelFunc }

// Send implements server.Sink.
func (l *leaver) Send(context.Context, []byte) error {
	l.leave()
	return nil
}

// wrong is one way to be wrong.
type wrong struct {
	what, params string
	mustFail     bool
}

// wrong returns all ways in which one member can be missing or of another kind.
func (s *shape) wrong(t *testing.T) []wrong {
	t.Helper()
	var all []wrong
	for _, of := range []map[string]string{s.required, s.optional} {
		for _, path := range slices.Sorted(maps.Keys(of)) {
			_, required := s.required[path]
			all = append(all, wrong{path + " is missing", s.with(t, path, ""), required})
			for kind, value := range kinds {
				if kind != of[path] {
					all = append(all, wrong{path + " is " + kind, s.with(t, path, value), true})
				}
			}
		}
	}
	return all
}

// with returns the params with another value at the path; "" for none.
func (s *shape) with(t *testing.T, path, value string) string {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal([]byte(s.params), &root); err != nil {
		t.Fatal(err)
	}
	at, names := root, strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		at = at[name].(map[string]any)
	}
	last := names[len(names)-1]
	if delete(at, last); value != "" {
		at[last] = json.RawMessage(value)
	}
	text, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// check checks an answer; none is what a listen stream has when its client leaves.
func (w *wrong) check(t *testing.T, method string, body []byte) {
	t.Helper()
	if len(body) == 0 {
		if w.mustFail {
			t.Errorf("%s, %s: no answer", method, w.what)
		}
		return
	}
	a := read(t, body)
	switch {
	case a.Error == nil && w.mustFail:
		t.Errorf("%s, %s: %s", method, w.what, body)
	case a.Error != nil && a.Error.Code != -32602:
		t.Errorf("%s, %s: %s", method, w.what, body)
	}
}

// TestNoParams: params that are absent are as those without members.
func TestNoParams(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, desk, "Discuss: {}\nGetRules: {}\nShowCover: {}", nil)
	h := f.open(t)
	for _, s := range shapes {
		if !s.legacy {
			continue
		}
		w := wrong{what: "no params", mustFail: len(s.required) > 0}
		w.check(t, s.method, f.post(t, h, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q}`, s.method)).Body)
	}
}

// TestEveryMethodHasAShape: no method is left out of [TestWrongShapes].
func TestEveryMethodHasAShape(t *testing.T) {
	t.Parallel()
	var known []string
	for _, s := range shapes {
		known = append(known, s.method)
	}
	slices.Sort(known)
	if diff := cmp.Diff(server.Methods(), known); diff != "" {
		t.Errorf("(-served +known):\n%s", diff)
	}
}
