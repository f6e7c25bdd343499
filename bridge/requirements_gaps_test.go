package bridge_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
)

// gap is something that version 1.8 of the official Go SDK was found not to do.
type gap struct {
	name string // its number and what it is about
	// check is nil for one that is no matter of this package; elsewhere then says why, or where its test is.
	check     func(t *testing.T, s *stage)
	elsewhere string
}

// gaps are all of them, in the order in which they were found.
var gaps = []gap{
	{name: "1-both-eras", check: func(t *testing.T, s *stage) {
		w := s.http(t, "2025-11-25")
		s.fresh(modern).ask(t, "tools/list", "{}").wantResult(t)
		w.ask(t, "tools/list", "{}").wantResult(t)
	}},
	{name: "2-origin", check: func(t *testing.T, s *stage) {
		s.fresh(modern).request(t, "tools/list", "{}", "Origin: https://evil.example").wantStatus(t, 403)
	}},
	{name: "3-names-in-base64", check: func(t *testing.T, s *stage) { checkEncodedNames(t, s, modern) }},
	{name: "4-disconnect-cancels", check: checkModernDisconnect},
	{name: "5-missing-capability", check: func(t *testing.T, s *stage) { checkMissingCapability(t, s, modern) }},
	{name: "6-rounds-of-questions", check: func(t *testing.T, s *stage) {
		checkUnfit(t, s, modern)
		checkStates(t, s, modern)
	}},
	{name: "7-streams-are-not-buffered", check: func(t *testing.T, s *stage) {
		listenModern(t, s, `{"notifications":{}}`) // holds the header against X-Accel-Buffering: no
	}, elsewhere: "comments that keep a stream alive: streamable TestKeepAlive"},
	{name: "8-modern-body-without-the-header", check: func(t *testing.T, s *stage) {
		s.fresh(modern).request(t, "tools/list", "{}", "Mcp-Protocol-Version:").wantStatus(t, 400).response(t).wantError(t, -32020,
			"MCP-Protocol-Version")
	}},
	{name: "9-legacy-request-without-a-session", check: func(t *testing.T, s *stage) {
		s.fresh("2025-11-25").request(t, "tools/list", "{}").wantStatus(t, 400).response(t).wantError(t, -32600, "Mcp-Session-Id")
	}},
	{name: "10-resource-not-found", check: func(t *testing.T, s *stage) {
		s.http(t, "2025-11-25").ask(t, "resources/read", `{"uri":"note://none"}`).wantError(t, -32002)
		s.fresh(modern).ask(t, "resources/read", `{"uri":"note://none"}`).wantError(t, -32602)
	}},
	{name: "11-invalid-log-level", check: func(t *testing.T, s *stage) {
		text := body(modern, "1", "tools/list", "{}", `,"io.modelcontextprotocol/logLevel":"loud"`)
		s.fresh(modern).post(t, text).response(t).wantError(t, -32602, "logLevel")
	}},
	{name: "12-no-cache-hints-for-legacy-clients", check: func(t *testing.T, s *stage) {
		m := s.http(t, "2025-11-25").ask(t, "tools/list", "{}")
		if m.wantResult(t); strings.Contains(string(m.Result), "ttlMs") || strings.Contains(string(m.Result), "cacheScope") {
			t.Error("a legacy client is sent cache hints")
		}
	}},
	{name: "13-initialize-after-a-modern-request", check: func(t *testing.T, s *stage) { checkBothErasOnStdio(t, s, modern) }},
	{name: "14-output-schemas-of-other-types", check: func(t *testing.T, s *stage) {
		for _, version := range legacyRevisions {
			checkToolMembers(t, s, version)
			checkAnyOutput(t, s.http(t, version), version)
		}
	}},
	{name: "15-tasks-are-claimed-where-there-are-some", check: func(t *testing.T, s *stage) {
		checkNoTasks(t, s)
		checkTaskOfClient(t, s, modern)
	}},
	{name: "16-insufficient-scope", elsewhere: "the bridge has no authorization of its own"},
	{name: "17-telemetry", check: func(t *testing.T, _ *stage) { checkTrace(t) }},
	{name: "18-parse-errors-are-messages", check: func(t *testing.T, s *stage) {
		a := s.http(t, "2025-11-25").post(t, `{"jsonrpc":`).wantStatus(t, 400)
		if a.response(t).wantError(t, -32700); a.header.Get("Content-Type") != "application/json" {
			t.Errorf("header %v", a.header)
		}
	}},
	{name: "19-no-change-is-not-announced", check: checkQuietReload},
	{name: "20-bad-header-options", check: checkBadHeaderOptions},
	{name: "21-lists-for-each-caller", elsewhere: "there is one list, since nobody is asked who he is"},
	{name: "22-keep-alive", elsewhere: "streamable TestKeepAlive, for both eras"},
}

// TestGoSDKGaps has a test for each of them that is a matter of this package.
func TestGoSDKGaps(t *testing.T) {
	t.Parallel()
	for _, g := range gaps {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			if g.check == nil {
				t.Skip(g.elsewhere)
			}
			g.check(t, newStage(t))
		})
	}
}

// checkModernDisconnect: the end of the connection is the end of the call, down to the backend.
func checkModernDisconnect(t *testing.T, s *stage) {
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	text := body(modern, "1", "tools/call", `{"name":"note_wait","arguments":{}}`, "")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = s.fresh(modern).headers(text)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
		}
		left <- err
	}()
	<-s.notes.waiting
	cancel()
	<-left
	if err := <-s.notes.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ends with %v", err)
	}
}

func checkNoTasks(t *testing.T, s *stage) {
	m := s.fresh(modern).ask(t, "server/discover", "{}")
	if m.wantResult(t); strings.Contains(string(m.Result), "tasks") {
		t.Errorf("discover has tasks: %s", m.Result)
	}
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		s.fresh(modern).request(t, method, `{"taskId":"1","inputResponses":{}}`, "Mcp-Name: 1").wantStatus(t, 400).response(t).wantError(t,
			-32021)
	}
	s.http(t, "2025-11-25").ask(t, "tasks/list", "{}").wantError(t, -32601)
}

// checkQuietReload: descriptors that are read again and are the same are no change.
func checkQuietReload(t *testing.T, s *stage) {
	p, legacy := s.stdio(t, modern), s.stdio(t, "2025-11-25")
	p.send(t,
		body(modern, `"l"`, "subscriptions/listen",
			`{"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"promptsListChanged":true}}`, ""))
	wantMethod(t, p.next(t), "notifications/subscriptions/acknowledged")
	for range 3 {
		if err := s.bridge.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.ask(t, "tools/call", everyMethod["tools/call"]).wantResult(t)
		legacy.ask(t, "tools/call", everyMethod["tools/call"]).wantResult(t)
	}
	if len(p.seen)+len(legacy.seen) > 0 {
		t.Errorf("received %+v %+v", p.seen, legacy.seen)
	}
}

// checkBadHeaderOptions: an option that would have clients drop the tool costs itself, and the report says so.
func checkBadHeaderOptions(t *testing.T, _ *stage) {
	for name, edit := range map[string]struct{ old, new string }{
		"no token":       {`header: "Region"`, `header: "two words"`},
		"empty":          {`header: "Region"`, `header: ""`},
		"twice the same": {`header: "Count"`, `header: "REGION"`},
		"of a double":    {`int32 count = 2`, `double count = 2`},
	} {
		source := noteFiles(t, strings.Replace(noteProto, edit.old, edit.new, 1))
		report, err := bridge.Inspect(t.Context(), []bridge.Backend{{Descriptors: source}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		offered, said := false, name == "empty" // which is not set at all
		for _, tool := range report.Tools {
			if tool.Name == "note_route" {
				offered = strings.Count(string(tool.Definition), "x-mcp-header") == 1
			}
		}
		for _, o := range report.Ignored {
			said = said || strings.Contains(o.Reason, "header")
		}
		if !offered || !said {
			t.Errorf("%s: the tool is offered with the other header: %v, the fault is reported: %v\n%+v", name, offered, said, report.Ignored)
		}
	}
}
