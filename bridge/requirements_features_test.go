package bridge_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// toolRequirements are those of server/tools.
var toolRequirements = []requirement{
	{"server-tools/list/members", revisions, checkToolMembers},
	{"server-tools/list/order-is-the-same", revisions, both(func(t *testing.T, c talker, _ string) {
		if one, two := c.ask(t, "tools/list", "{}"), c.ask(t, "tools/list", `{"cursor":""}`); string(one.Result) != string(two.Result) {
			t.Error("the list differs from one time to the next")
		}
	})},
	{"server-tools/call/unknown-tool", revisions, both(func(t *testing.T, c talker, _ string) {
		c.ask(t, "tools/call", `{"name":"note_eco","arguments":{}}`).wantError(t, -32602, "note_echo")
	})},
	{"server-tools/call/failures-are-results", revisions, both(func(t *testing.T, c talker, _ string) {
		c.ask(t, "tools/call", `{"name":"note_fail","arguments":{}}`).wantResult(t, `"isError":true`, "FAILED_PRECONDITION",
			"the shelf is locked")
		c.ask(t, "tools/call", `{"name":"note_echo","arguments":{"txt":"a"}}`).wantResult(t, `"isError":true`, "text")
		c.ask(t, "tools/call", `{"name":"note_echo","arguments":{"text":7}}`).wantResult(t, `"isError":true`, "text")
	})},
	{"server-tools/call/structured-content", revisions, both(func(t *testing.T, c talker, version string) {
		m := c.ask(t, "tools/call", `{"name":"note_echo","arguments":{"text":"a"}}`)
		m.wantResult(t, `"content":[{"type":"text","text":"{\"text\":\"a\"}"}]`)
		if got := strings.Contains(string(m.Result), `"structuredContent":{"text":"a"}`); got != (version >= "2025-06-18") {
			t.Errorf("result %s", m.Result)
		}
	})},
	{"server-tools/call/structured-content-of-any-type", revisions, both(checkAnyOutput)},
	{"server-tools/call/content", revisions, both(checkContent)},
}

// toolMembers are the members that a tool may have, by the revision that brought them.
var toolMembers = map[string]string{
	"name": "2024-11-05", "description": "2024-11-05", "inputSchema": "2024-11-05", "annotations": "2025-03-26",
	"title": "2025-06-18", "outputSchema": "2025-06-18", "_meta": "2025-06-18", "icons": "2025-11-25",
}

func checkToolMembers(t *testing.T, s *stage, version string) {
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(s.http(t, version).ask(t, "tools/list", "{}").Result, &list); err != nil || len(list.Tools) == 0 {
		t.Fatalf("%v, %d tools", err, len(list.Tools))
	}
	for _, tool := range list.Tools {
		m := members(t, tool)
		for name := range m {
			if since := toolMembers[name]; since == "" || since > version {
				t.Errorf("%s is a member of %s", name, m["name"])
			}
		}
		if kind := string(members(t, m["inputSchema"])["type"]); kind != `"object"` {
			t.Errorf("the inputSchema of %s has type %s", m["name"], kind)
		}
		if output := m["outputSchema"]; output != nil && version != modern && string(members(t, output)["type"]) != `"object"` {
			t.Errorf("the outputSchema of %s is %s", m["name"], output)
		}
	}
}

// checkAnyOutput: before 2026-07-28 structured content is an object, or there is none.
func checkAnyOutput(t *testing.T, c talker, version string) {
	m := c.ask(t, "tools/call", `{"name":"note_word","arguments":{}}`)
	m.wantResult(t, "word")
	structured := members(t, m.Result)["structuredContent"]
	if structured != nil && version != modern && !strings.HasPrefix(string(structured), "{") {
		t.Errorf("structured content %s", structured)
	}
}

// checkContent: each kind of content, in what the revision has for it.
func checkContent(t *testing.T, c talker, version string) {
	m := c.ask(t, "tools/call", `{"name":"note_show","arguments":{}}`)
	m.wantResult(t, `{"type":"text","text":"a text"}`, `{"type":"image","data":"AQID","mimeType":"image/png"}`,
		`"resource":{"uri":"note://welcome"`, `"text":"hello"`)
	for part, since := range map[string]string{
		`{"type":"audio","data":"BAUG","mimeType":"audio/wav"}`: "2025-03-26",
		`{"type":"resource_link","uri":"note://welcome"`:        "2025-06-18",
	} {
		if got := strings.Contains(string(m.Result), part); got != (version >= since) {
			t.Errorf("%s is in the result: %v", part, got)
		}
	}
}

// resourceRequirements are those of server/resources, subscriptions apart.
var resourceRequirements = []requirement{
	{"server-resources/list", revisions, both(func(t *testing.T, c talker, version string) {
		m := c.ask(t, "resources/list", "{}")
		m.wantResult(t, `"uri":"note://welcome"`, `"name":"welcome"`, `"mimeType":"application/json"`, `"uri":"note://picture"`)
		if titled := strings.Contains(string(m.Result), `"title"`); titled && version < "2025-06-18" {
			t.Errorf("result %s", m.Result)
		}
		c.ask(t, "resources/templates/list", "{}").wantResult(t, `"uriTemplate":"note://notes/{id}"`, `"name":"note"`)
	})},
	{"server-resources/read", revisions, both(func(t *testing.T, c talker, _ string) {
		c.ask(t, "resources/read", `{"uri":"note://welcome"}`).wantResult(t,
			`"contents":[{"uri":"note://welcome","mimeType":"application/json","text":"{\"text\":\"welcome\"}"}]`)
		c.ask(t, "resources/read", `{"uri":"note://notes/1"}`).wantResult(t, `"uri":"note://notes/1"`, "first")
		c.ask(t, "resources/read", `{"uri":"note://notes/a%2Fb"}`).wantResult(t, "nested")
		c.ask(t, "resources/read", `{"uri":"note://picture"}`).wantResult(t,
			`"contents":[{"uri":"note://picture","mimeType":"image/png","blob":"AQID"}]`)
	})},
	{"server-resources/not-found", revisions, both(func(t *testing.T, c talker, version string) {
		code := -32002
		if version == modern {
			code = -32602
		}
		for _, uri := range []string{"note://none", "note://notes/9", "note://notes/1/2", "https://example.com/"} {
			c.ask(t, "resources/read", `{"uri":"`+uri+`"}`).wantError(t, code, `"uri":"`+uri+`"`)
		}
	})},
}

// promptRequirements are those of server/prompts and server/utilities/completion.
var promptRequirements = []requirement{
	{"server-prompts/list", revisions, both(func(t *testing.T, c talker, _ string) {
		c.ask(t, "prompts/list", "{}").wantResult(t, `"name":"greet"`, `"name":"name"`, `"required":true`, `"name":"tone"`)
	})},
	{"server-prompts/get", revisions, both(func(t *testing.T, c talker, _ string) {
		c.ask(t, "prompts/get", `{"name":"greet","arguments":{"name":"Ann","tone":"TONE_WARM"}}`).wantResult(t,
			`"messages":[{"role":"user","content":{"type":"text","text":"Greet them."}},{"role":"assistant","content":{"type":"text",`+
				`"text":"Hello."}}]`)
	})},
	{"server-prompts/get/unknown-or-missing", revisions, both(func(t *testing.T, c talker, _ string) {
		c.ask(t, "prompts/get", `{"name":"gret"}`).wantError(t, -32602, "greet")
		c.ask(t, "prompts/get", `{"name":"greet","arguments":{}}`).wantError(t, -32602, "name")
		c.ask(t, "prompts/get", `{"name":"greet"}`).wantError(t, -32602, "name")
		c.ask(t, "prompts/get", `{"name":"greet","arguments":{"name":"Ann","tine":"x"}}`).wantError(t, -32602, "tine")
		c.ask(t, "prompts/get", `{"name":"greet","arguments":{"name":7}}`).wantError(t, -32602, "name")
	})},
	{"server-utilities-completion/values", revisions, both(func(t *testing.T, c talker, _ string) {
		ask := func(value string) message {
			return c.ask(t, "completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"tone","value":"`+value+`"}}`)
		}
		ask("").wantResult(t, `"values":["TONE_WARM","TONE_COOL"]`, `"total":2`, `"hasMore":false`)
		ask("tone_w").wantResult(t, `"values":["TONE_WARM"]`)
		ask("x").wantResult(t, `"values":[]`)
		c.ask(t, "completion/complete",
			`{"ref":{"type":"ref/resource","uri":"note://notes/{id}"},"argument":{"name":"id","value":""}}`).wantResult(t, `"values":[]`)
	})},
	{"server-utilities-completion/bad-references", revisions, both(func(t *testing.T, c talker, _ string) {
		for _, ref := range []string{
			`{"type":"ref/prompt","name":"none"}`, `{"type":"ref/resource","uri":"note://none/{id}"}`, `{"type":"ref/tool","name":"note_echo"}`,
			`{}`,
		} {
			c.ask(t, "completion/complete", `{"ref":`+ref+`,"argument":{"name":"tone","value":""}}`).wantError(t, -32602)
		}
		c.ask(t, "completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"none","value":""}}`).wantError(t, -32602,
			"none")
	})},
}

// lists are the methods that list something.
var lists = []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"}

// utilityRequirements are those of server/utilities: pagination, caching and logging.
var utilityRequirements = []requirement{
	{"server-utilities-pagination/invalid-cursor", revisions, both(func(t *testing.T, c talker, _ string) {
		for _, method := range lists {
			c.ask(t, method, `{"cursor":"none"}`).wantError(t, -32602, "cursor")
			c.ask(t, method, `{"cursor":7}`).wantError(t, -32602, "cursor")
			c.ask(t, method, `{"cursor":""}`).wantResult(t)
		}
	})},
	{"server-utilities-caching/hints", revisions, both(func(t *testing.T, c talker, version string) {
		for _, method := range append(slices.Clone(lists), "resources/read", "server/discover", "tools/call", "prompts/get") {
			if method == "server/discover" && version != modern {
				continue
			}
			m := c.ask(t, method, everyMethod[method])
			m.wantResult(t)
			hinted := strings.Contains(string(m.Result), `"ttlMs":`) && strings.Contains(string(m.Result), `"cacheScope":"p`)
			if want := version == modern && method != "tools/call" && method != "prompts/get"; hinted != want {
				t.Errorf("%s: %s", method, m.Result)
			}
		}
	})},
	{"server-utilities-logging/set-level", legacyRevisions, checkSetLevel},
	{"server-utilities-logging/invalid-level", legacyRevisions, both(func(t *testing.T, c talker, _ string) {
		for _, params := range []string{`{"level":"loud"}`, `{"level":"DEBUG"}`, `{"level":7}`, `{}`} {
			c.ask(t, "logging/setLevel", params).wantError(t, -32602, "level")
		}
	})},
	{"server-utilities-logging/per-request", modernRevision, checkLogLevel},
}

// checkSetLevel: nothing is logged before it, and nothing below it.
func checkSetLevel(t *testing.T, s *stage, version string) {
	p := s.stdio(t, version)
	call := func() []message {
		p.seen = nil
		p.ask(t, "tools/call", everyMethod["tools/call"]).wantResult(t)
		return p.seen
	}
	if seen := call(); len(seen) > 0 {
		t.Errorf("before setLevel: %+v", seen)
	}
	p.ask(t, "logging/setLevel", `{"level":"debug"}`).wantResult(t)
	if seen := call(); len(seen) != 1 || seen[0].Method != "notifications/message" ||
		!strings.Contains(string(seen[0].Params), `"level":"debug"`) {
		t.Errorf("at debug: %+v", seen)
	}
	p.ask(t, "logging/setLevel", `{"level":"emergency"}`).wantResult(t)
	if seen := call(); len(seen) > 0 {
		t.Errorf("at emergency: %+v", seen)
	}
}

// checkLogLevel: a modern request says for itself what it wants to hear.
func checkLogLevel(t *testing.T, s *stage, _ string) {
	call := func(level string) answer {
		return s.fresh(modern).post(t, body(modern, "1", "tools/call", everyMethod["tools/call"], level))
	}
	const key = `,"io.modelcontextprotocol/logLevel":`
	for level, want := range map[string]int{"": 1, key + `"debug"`: 2, key + `"emergency"`: 1} {
		if a := call(level).wantStatus(t, 200); len(a.messages) != want {
			t.Errorf("%q: messages %+v", level, a.messages)
		}
	}
	for _, level := range []string{`"loud"`, `7`, `""`} {
		call(key+level).response(t).wantError(t, -32602, "logLevel")
	}
}
