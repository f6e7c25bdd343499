package bridge_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everyMethod is a request of each modern method that has a result, with its params.
var everyMethod = map[string]string{
	"server/discover":          `{}`,
	"tools/list":               `{}`,
	"tools/call":               `{"name":"note_echo","arguments":{"text":"a"}}`,
	"resources/list":           `{}`,
	"resources/templates/list": `{}`,
	"resources/read":           `{"uri":"note://welcome"}`,
	"prompts/list":             `{}`,
	"prompts/get":              `{"name":"greet","arguments":{"name":"Ann"}}`,
	"completion/complete":      `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"tone","value":""}}`,
}

// perRequestRequirements are those of 2026-07-28 basic/index and basic/versioning.
var perRequestRequirements = []requirement{
	{"basic/meta/required-keys", modernRevision, checkRequiredMeta},
	{"basic-versioning/unsupported-version", modernRevision, func(t *testing.T, s *stage, _ string) {
		text := strings.ReplaceAll(body(modern, "1", "tools/list", "{}", ""), modern, "2027-03-30")
		m := s.fresh(modern).post(t, text, "Mcp-Protocol-Version: 2027-03-30").wantStatus(t, 400).response(t)
		m.wantError(t, -32022, `"requested":"2027-03-30"`, `"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`)
	}},
	{"basic/capabilities/missing", modernRevision, checkMissingCapability},
	{"basic/results/result-type", modernRevision, everyResult(`"resultType":"complete"`)},
	{"basic/results/server-info", modernRevision, everyResult(`"io.modelcontextprotocol/serverInfo":{"name":"bridge"`)},
	{"server-discover/exists", modernRevision, both(func(t *testing.T, c talker, _ string) {
		c.ask(t, "server/discover", "{}").wantResult(t, `"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`,
			`"completions":{}`, `"prompts":{"listChanged":true}`, `"resources":{"listChanged":true,"subscribe":true}`,
			`"tools":{"listChanged":true}`)
	})},
	{"changelog/removed-methods", modernRevision, checkRemovedMethods},
	{"basic/messages/clients-send-no-responses", modernRevision, func(t *testing.T, s *stage, _ string) {
		s.fresh(modern).post(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, "Mcp-Method: x").wantStatus(t, 400)
	}},
	{"basic/stateless/lists-do-not-vary-by-connection", modernRevision, func(t *testing.T, s *stage, _ string) {
		for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
			one, other := s.http(t, modern).ask(t, method, "{}"), s.stdio(t, modern).ask(t, method, "{}")
			if diff := cmp.Diff(string(one.Result), string(other.Result)); diff != "" {
				t.Errorf("%s differs:\n%s", method, diff)
			}
		}
	}},
	{"basic-versioning/initialize-after-a-modern-request", modernRevision, checkBothErasOnStdio},
}

func checkRequiredMeta(t *testing.T, s *stage, _ string) {
	whole := body(modern, "1", "tools/list", "{}", "")
	for _, key := range []string{"protocolVersion", "clientCapabilities"} {
		text := strings.Replace(whole, "io.modelcontextprotocol/"+key, "x/y", 1)
		s.fresh(modern).post(t, text).wantStatus(t, 400).response(t).wantError(t, -32602, key)
		p := s.stdio(t, modern)
		p.send(t, text)
		p.next(t).wantError(t, -32602, key)
	}
	s.fresh(modern).post(t, whole).wantStatus(t, 200) // clientInfo is not required
}

func checkMissingCapability(t *testing.T, s *stage, _ string) {
	const params = `{"name":"note_think","arguments":{"text":"a"}}`
	w := s.fresh(modern)
	w.request(t, "tools/call", params).wantStatus(t, 400).response(t).wantError(t, -32021, `"requiredCapabilities":{"sampling":{}}`)
	s.stdio(t, modern).ask(t, "tools/call", params).wantError(t, -32021)
	text := strings.Replace(body(modern, "1", "tools/call", params, ""), `clientCapabilities":{}`, `clientCapabilities":{"sampling":{}}`, 1)
	w.post(t, text).wantStatus(t, 200).response(t).wantResult(t)
}

// everyResult wants each result to have a part.
func everyResult(part string) func(*testing.T, *stage, string) {
	return both(func(t *testing.T, c talker, _ string) {
		for method, params := range everyMethod {
			c.ask(t, method, params).wantResult(t, part)
		}
	})
}

func checkRemovedMethods(t *testing.T, s *stage, _ string) {
	w, p := s.fresh(modern), s.stdio(t, modern)
	for method, params := range map[string]string{
		"initialize": opening(modern), "ping": `{}`, "logging/setLevel": `{"level":"debug"}`,
		"resources/subscribe": `{"uri":"note://welcome"}`, "resources/unsubscribe": `{"uri":"note://welcome"}`, "tasks/list": `{}`,
	} {
		w.request(t, method, params).wantStatus(t, 404).response(t).wantError(t, -32601)
		p.ask(t, method, params).wantError(t, -32601)
	}
}

// checkBothErasOnStdio: a client that looks around first, and then chooses a revision of the other era; and back.
func checkBothErasOnStdio(t *testing.T, s *stage, _ string) {
	for _, version := range legacyRevisions {
		p := openPipe(t, s.bridge, modern)
		p.ask(t, "server/discover", "{}").wantResult(t)
		p.version = version
		p.ask(t, "initialize", opening(version)).wantResult(t, version)
		p.send(t, body(version, "", "notifications/initialized", "", ""))
		p.ask(t, "tools/list", "{}").wantResult(t)
		p.version = modern
		p.ask(t, "tools/list", "{}").wantResult(t, `"resultType":"complete"`)
	}
}

// modernHTTPRequirements are those of 2026-07-28 basic/transports/streamable-http.
var modernHTTPRequirements = []requirement{
	{"basic-transports/post-alone", modernRevision, func(t *testing.T, s *stage, _ string) {
		for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
			if a := s.fresh(modern).do(t, method, "").wantStatus(t, 405); !strings.Contains(a.header.Get("Allow"), "POST") {
				t.Errorf("%s: Allow is %q", method, a.header.Get("Allow"))
			}
		}
	}},
	{"basic-transports/session-ids-are-ignored-and-not-made", modernRevision, func(t *testing.T, s *stage, _ string) {
		a := s.fresh(modern).request(t, "tools/list", "{}", "Mcp-Session-Id: none", "Last-Event-ID: none").wantStatus(t, 200)
		if id := a.header.Get("Mcp-Session-Id"); id != "" {
			t.Errorf("a session is opened: %s", id)
		}
	}},
	{"basic-transports/headers-repeat-the-body", modernRevision, checkMirroredHeaders},
	{"basic-transports/names-in-base64", modernRevision, checkEncodedNames},
	{"basic-transports/x-mcp-header", modernRevision, checkParamHeaders},
	{"basic-transports/notifications-are-accepted", modernRevision, func(t *testing.T, s *stage, _ string) {
		s.fresh(modern).post(t, body(modern, "", "notifications/cancelled", `{"requestId":1}`, "")).wantStatus(t, 202)
	}},
	{"basic-transports/status-of-errors", modernRevision, func(t *testing.T, s *stage, _ string) {
		w := s.fresh(modern)
		w.request(t, "no/such", "{}").wantStatus(t, 404)
		w.request(t, "tools/call", `{"name":"no_such","arguments":{}}`).wantStatus(t, 200).response(t).wantError(t, -32602)
		w.request(t, "tools/list", `{"cursor":"none"}`).wantStatus(t, 200).response(t).wantError(t, -32602)
	}},
	{"basic-transports/errors-carry-the-id", modernRevision, func(t *testing.T, s *stage, _ string) {
		for _, edit := range []string{"Mcp-Method: x", "Mcp-Method:", "Mcp-Protocol-Version:", "Mcp-Protocol-Version: 2025-11-25"} {
			text := body(modern, `"of mine"`, "tools/list", "{}", "")
			if m := s.fresh(modern).post(t, text, edit).wantStatus(t, 400).response(t); string(m.ID) != `"of mine"` || m.Error == nil {
				t.Errorf("%s: %+v", edit, m)
			}
		}
	}},
	{"basic-transports/streams-are-not-buffered", modernRevision, func(t *testing.T, s *stage, _ string) {
		a := s.fresh(modern).post(t,
			body(modern, "1", "tools/call", everyMethod["tools/call"], `,"io.modelcontextprotocol/logLevel":"debug"`)).wantStatus(t, 200)
		if a.header.Get("X-Accel-Buffering") != "no" || len(a.events) != len(a.messages) || len(a.messages) < 2 {
			t.Errorf("header %v, %d events", a.header, len(a.events))
		}
		for _, e := range a.events {
			if e.id != "" {
				t.Errorf("a modern event has the id %q", e.id)
			}
		}
	}},
}

func checkMirroredHeaders(t *testing.T, s *stage, _ string) {
	w := s.fresh(modern)
	for _, edit := range []string{
		"Mcp-Protocol-Version:", "Mcp-Protocol-Version: 2025-11-25", "Mcp-Method:", "Mcp-Method: tools/list", "Mcp-Method: Tools/Call",
		"Mcp-Name:", "Mcp-Name: note_fail", "Mcp-Name: Note_Echo", "Mcp-Name: =?base64?%%%?=",
	} {
		w.request(t, "tools/call", everyMethod["tools/call"], edit).wantStatus(t, 400).response(t).wantError(t, -32020)
	}
	w.request(t, "resources/read", everyMethod["resources/read"], "Mcp-Name: note://picture").wantStatus(t, 400).response(t).wantError(t,
		-32020)
	w.request(t, "prompts/get", everyMethod["prompts/get"], "Mcp-Name:").wantStatus(t, 400).response(t).wantError(t, -32020)
	w.request(t, "tools/list", "{}").wantStatus(t, 200) // has no name
}

func checkEncodedNames(t *testing.T, s *stage, _ string) {
	w := s.fresh(modern)
	encoded := func(name string) string {
		return "Mcp-Name: =?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
	}
	w.request(t, "resources/read", `{"uri":"note://welcome"}`, encoded("note://welcome")).wantStatus(t, 200).response(t).wantResult(t)
	w.request(t, "tools/call", everyMethod["tools/call"], encoded("note_echo")).wantStatus(t, 200).response(t).wantResult(t)
	w.request(t, "tools/call", everyMethod["tools/call"], encoded("note_fail")).wantStatus(t, 400).response(t).wantError(t, -32020)
	w.request(t, "tools/call", `{"name":"n\u00f6te","arguments":{}}`, encoded("nöte")).response(t).wantError(t, -32602, "nöte")
}

// checkParamHeaders: what x-mcp-header declares is held against the body: "Server Validation".
func checkParamHeaders(t *testing.T, s *stage, _ string) {
	w := s.fresh(modern)
	w.ask(t, "tools/list", "{}").wantResult(t, `"x-mcp-header":"Region"`, `"x-mcp-header":"Count"`)
	s.http(t, "2025-11-25").ask(t, "tools/list", "{}").wantResult(t)
	if list := s.http(t, "2025-11-25").ask(t, "tools/list", "{}"); strings.Contains(string(list.Result), "x-mcp-header") {
		t.Error("a legacy client is shown x-mcp-header")
	}
	for name, tt := range map[string]struct {
		arguments string
		headers   []string
		status    int
	}{
		"equal": {`{"region":"north","count":42}`, []string{"Mcp-Param-Region: north", "Mcp-Param-Count: 42"}, 200},
		"in base64": {
			`{"region":"n\u00f6rd"}`, []string{"Mcp-Param-Region: =?base64?" + base64.StdEncoding.EncodeToString([]byte("nörd")) + "?="}, 200,
		},
		"equal as numbers":     {`{"count":42.0}`, []string{"Mcp-Param-Count: 42"}, 200},
		"of other case":        {`{"region":"north"}`, []string{"mcp-param-REGION: north"}, 200},
		"absent in both":       {`{}`, nil, 200},
		"null and absent":      {`{"region":null}`, nil, 200},
		"not declared":         {`{}`, []string{"Mcp-Param-Other: x"}, 200},
		"another value":        {`{"region":"north"}`, []string{"Mcp-Param-Region: south"}, 400},
		"another number":       {`{"count":42}`, []string{"Mcp-Param-Count: 43"}, 400},
		"missing":              {`{"region":"north","count":1}`, []string{"Mcp-Param-Region: north"}, 400},
		"not what base64 says": {`{"region":"north"}`, []string{"Mcp-Param-Region: =?base64?%?="}, 400},
	} {
		a := w.request(t, "tools/call", `{"name":"note_route","arguments":`+tt.arguments+`}`, tt.headers...)
		if a.status != tt.status {
			t.Errorf("%s: status %d: %s", name, a.status, a.text)
		} else if tt.status == 400 {
			a.response(t).wantError(t, -32020)
		}
	}
}

// members returns the names of the members of a JSON object.
func members(t *testing.T, raw json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", raw, err))
	}
	return m
}
