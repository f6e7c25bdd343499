package bridge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// messageRequirements are those of basic/index, "Messages", and of JSON-RPC.
var messageRequirements = []requirement{
	{"basic/requests/ids-keep-their-bytes", revisions, checkIDs},
	{"basic/requests/ids-are-unique-in-flight", revisions, checkIDsInFlight},
	{"basic/notifications/are-not-answered", revisions, checkNotifications},
	{
		"basic/messages/parse-error", revisions,
		badMessage(-32700, `{"jsonrpc":"2.0","id":1,`, `hello`, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
			`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`),
	},
	{
		"basic/messages/invalid-request", revisions,
		badMessage(-32600, `{"id":1,"method":"ping"}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1}`, `7`),
	},
	{
		"basic/requests/ids-are-strings-or-integers", revisions,
		badMessage(-32600, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`),
	},
	{"basic/errors/method-not-found", revisions, both(func(t *testing.T, c talker, _ string) {
		c.ask(t, "no/such", "{}").wantError(t, -32601, "no/such")
	})},
	{"basic/errors/invalid-params", revisions, both(func(t *testing.T, c talker, _ string) {
		c.ask(t, "tools/call", `{"name":7}`).wantError(t, -32602, "name")
		c.ask(t, "resources/read", `{}`).wantError(t, -32602, "uri")
		c.ask(t, "prompts/get", `{}`).wantError(t, -32602, "name")
		c.ask(t, "completion/complete", `{}`).wantError(t, -32602, "ref")
	})},
	{"basic/batching/is-received", revisions[1:2], checkBatch},
	{"basic/batching/does-not-exist", []string{revisions[0], revisions[2], revisions[3], modern}, checkNoBatch},
}

// checkIDs: the id of a response is that of its request, byte for byte.
func checkIDs(t *testing.T, s *stage, version string) {
	w, p := s.http(t, version), s.stdio(t, version)
	for _, id := range []string{`0`, `-7`, `9007199254740991`, `"a"`, `"7"`, `"\u00e9\n"`, `""`} {
		text := body(version, id, "tools/list", "{}", "")
		if got := w.post(t, text).wantStatus(t, 200).response(t); string(got.ID) != id {
			t.Errorf("HTTP: the id %s came back as %s", id, got.ID)
		}
		p.send(t, text)
		if got := p.next(t); string(got.ID) != id || got.Result == nil {
			t.Errorf("stdio: the id %s came back as %s %+v", id, got.ID, got.Error)
		}
	}
}

// checkIDsInFlight: "The request ID MUST NOT have been previously used by the requestor within the same session".
func checkIDsInFlight(t *testing.T, _ *stage, version string) {
	s := newStage(t)
	p := s.stdio(t, version)
	p.send(t, body(version, `"twice"`, "tools/call", `{"name":"note_wait","arguments":{}}`, ""))
	<-s.notes.waiting
	p.send(t, body(version, `"twice"`, "tools/call", `{"name":"note_echo","arguments":{}}`, ""))
	p.next(t).wantError(t, -32600, "in use")
}

func checkNotifications(t *testing.T, s *stage, version string) {
	w, p := s.http(t, version), s.stdio(t, version)
	for _, method := range []string{"notifications/cancelled", "notifications/initialized", "notifications/roots/list_changed", "no/such"} {
		text := body(version, "", method, "{}", "")
		if a := w.post(t, text).wantStatus(t, 202); a.text != "" {
			t.Errorf("HTTP: %s is answered with %q", method, a.text)
		}
		p.send(t, text)
	}
	p.ask(t, "tools/list", "{}").wantResult(t)
	if len(p.seen) > 0 {
		t.Errorf("stdio: notifications are answered with %+v", p.seen)
	}
}

// badMessage has each text answered with an error of one code, on both transports, and the next message served.
func badMessage(code int, texts ...string) func(*testing.T, *stage, string) {
	return func(t *testing.T, s *stage, version string) {
		t.Helper()
		w, p := s.http(t, version), s.stdio(t, version)
		for _, text := range texts {
			w.post(t, text, "Mcp-Method: ping").wantStatus(t, 400).response(t).wantError(t, code)
			p.send(t, text)
			p.next(t).wantError(t, code)
		}
		p.ask(t, "tools/list", "{}").wantResult(t)
	}
}

// batch is two requests and a notification in an array.
func batch(version string) string {
	return "[" + body(version, `1`, "tools/list", "{}", "") + "," + body(version, "", "notifications/x", "", "") + "," +
		body(version, `"b"`, "ping", "", "") + "]"
}

// checkBatch: 2025-03-26 basic, "Batching": "MUST support receiving"; initialize "MUST NOT be part of a JSON-RPC batch".
func checkBatch(t *testing.T, s *stage, version string) {
	check := func(messages []message) {
		t.Helper()
		if len(messages) != 2 || string(messages[0].ID) != `1` || string(messages[1].ID) != `"b"` || messages[0].Result == nil ||
			messages[1].Result == nil {
			t.Errorf("a batch is answered with %+v", messages)
		}
	}
	w, p := s.http(t, version), s.stdio(t, version)
	check(w.post(t, batch(version)).wantStatus(t, 200).messages)
	p.send(t, batch(version))
	var messages []message
	if err := json.Unmarshal([]byte(<-p.lines), &messages); err != nil {
		t.Fatal(err)
	}
	check(messages)
	if a := w.post(t, "["+body(version, "", "notifications/x", "", "")+"]").wantStatus(t, 202); a.text != "" {
		t.Errorf("notifications alone are answered with %q", a.text)
	}
	initialize := "[" + body(version, "1", "initialize", opening(version), "") + "]"
	w.post(t, initialize).response(t).wantError(t, -32600)
	if a := s.fresh(version).post(t, initialize); a.header.Get("Mcp-Session-Id") != "" || a.response(t).Error == nil {
		t.Errorf("initialize in a batch opens a session: %d %s", a.status, a.text)
	}
}

func checkNoBatch(t *testing.T, s *stage, version string) {
	w, p := s.http(t, version), s.stdio(t, version)
	w.post(t, batch(version), "Mcp-Method: tools/list").wantStatus(t, 400).response(t).wantError(t, -32600)
	p.send(t, batch(version))
	p.next(t).wantError(t, -32600, "by itself")
	p.ask(t, "tools/list", "{}").wantResult(t)
}

// lifecycleRequirements are those of basic/lifecycle in the legacy revisions.
var lifecycleRequirements = []requirement{
	{"basic-lifecycle/version/same-where-it-is-served", legacyRevisions, func(t *testing.T, s *stage, version string) {
		s.fresh(version).ask(t, "initialize", opening(version)).wantResult(t, fmt.Sprintf(`"protocolVersion":%q`, version),
			`"serverInfo":{"name":"bridge"`)
	}},
	{"basic-lifecycle/version/another-where-it-is-not", legacyRevisions[3:], func(t *testing.T, s *stage, _ string) {
		for _, asked := range []string{modern, "2024-10-07", "2027-03-30", "v9"} {
			s.fresh("2024-11-05").ask(t, "initialize", opening(asked)).wantResult(t, `"protocolVersion":"2025-11-25"`)
		}
	}},
	{"basic-lifecycle/initialization/ping-alone-before-initialized", legacyRevisions, checkHandshake},
	{"basic-lifecycle/initialization/requests-before-initialize", legacyRevisions, func(t *testing.T, s *stage, version string) {
		openPipe(t, s.bridge, version).ask(t, "tools/list", "{}").wantError(t, -32600, "initialize")
		s.fresh(version).request(t, "tools/list", "{}").wantStatus(t, 400)
	}},
	{"basic-lifecycle/initialization/once", legacyRevisions, both(func(t *testing.T, c talker, version string) {
		c.ask(t, "initialize", opening(version)).wantError(t, -32600, "once")
	})},
	{"basic-lifecycle/capabilities/as-implemented", legacyRevisions, checkCapabilities},
	{"basic-utilities-ping/empty-result", legacyRevisions, both(func(t *testing.T, c talker, _ string) {
		if m := c.ask(t, "ping", ""); string(m.Result) != "{}" {
			t.Errorf("ping is answered with %s %+v", m.Result, m.Error)
		}
	})},
	{"basic-lifecycle/modern-codes-are-not-sent", legacyRevisions, checkLegacyCodes},
}

func checkHandshake(t *testing.T, s *stage, version string) {
	w, p := s.fresh(version), openPipe(t, s.bridge, version)
	a := w.request(t, "initialize", opening(version))
	w.session = a.header.Get("Mcp-Session-Id")
	p.ask(t, "initialize", opening(version)).wantResult(t)
	for _, c := range []talker{w, p} {
		c.ask(t, "tools/list", "{}").wantError(t, -32600, "notifications/initialized")
		c.ask(t, "ping", "").wantResult(t)
	}
}

// checkCapabilities: what initialize declares is what the revision has and what there is.
func checkCapabilities(t *testing.T, s *stage, version string) {
	var result struct {
		Capabilities map[string]map[string]bool
	}
	m := s.fresh(version).ask(t, "initialize", opening(version))
	if err := json.Unmarshal(m.Result, &result); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"tools": "listChanged", "prompts": "listChanged", "resources": "listChanged subscribe", "logging": ""}
	if version >= "2025-03-26" {
		want["completions"] = ""
	}
	for name, flags := range want {
		got, ok := result.Capabilities[name]
		if !ok || len(got) != len(strings.Fields(flags)) {
			t.Errorf("%s is declared as %v, want %q", name, got, flags)
		}
	}
	if len(result.Capabilities) != len(want) {
		t.Errorf("capabilities %v", result.Capabilities)
	}
}

// checkLegacyCodes: a client of both eras takes a modern code as the sign of a modern server.
func checkLegacyCodes(t *testing.T, s *stage, version string) {
	w := s.http(t, version)
	for _, m := range []message{
		w.request(t, "no/such", "{}").response(t),
		w.request(t, "server/discover", "{}").response(t),
		w.request(t, "subscriptions/listen", `{"notifications":{}}`).response(t),
		w.request(t, "tools/list", "{}", "Mcp-Protocol-Version: 2020-01-01").response(t),
		w.request(t, "tools/list", "{}", "Mcp-Session-Id: none").response(t),
		w.request(t, "tools/call", `{"name":"note_think","arguments":{}}`).response(t),
		s.fresh(version).request(t, "tools/list", "{}").response(t),
	} {
		if m.Error != nil && m.Error.Code <= -32020 && m.Error.Code >= -32099 {
			t.Errorf("a legacy client is sent %d: %s", m.Error.Code, m.Error.Message)
		}
	}
}
