package bridge_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// The advisories about others that concern JSON, sessions, Origin and headers. Those that have their tests in other places:
//
//	CVE-2026-27896  names in other case     jsonrpc TestKeysMatchExactly, TestKeysBesideTheirVariants
//	GO-2026-4770    names with U+0000       jsonrpc TestKeysMatchExactly, FuzzDecode
//	CVE-2026-33252  posts of web pages      streamable TestBrowserPosts, TestContentType
//	CVE-2026-34742  rebinding               streamable TestHosts, TestOrigins
//	CVE-2025-66414, CVE-2025-66416, CVE-2026-35568, CVE-2025-9611: the same
//	CVE-2025-6515   ids that can be guessed session TestNewID
//	CVE-2025-64443  open to other hosts     cmd/bridge TestUsageOfServers
//	CVE-2026-9739   the same
//	CVE-2026-48710  Host as input           streamable TestHosts, TestSmuggling
//	GHSA-g53w       headers to metadata     TestClientHeadersStayHere
//	CVE-2024-24786  endless JSON            transcode TestHeldJSONHasTheLimitsOfMessages, jsonrpc TestLimits
//	CVE-2026-33946  another's stream        lifecycle TestOpen (another principal's session), streamable TestForeignEventIDs
var advisories = map[string]func(*testing.T, *stage){
	"CVE-2026-27896-names-in-other-case":    checkFoldedNames,
	"GHSA-4gph-smuggled-names":              checkSmuggledNames,
	"CVE-2026-34742-rebinding":              checkRebinding,
	"CVE-2026-25536-answers-of-others":      checkSameIDs,
	"CVE-2026-48529-sessions-are-separate":  checkSessionsApart,
	"CVE-2026-47427-missing-members":        checkMissingMembers,
	"CVE-2026-33186-paths-from-names":       checkPaths,
	"CVE-2026-33946-stream-of-a-session":    checkSecondStream,
	"CVE-2026-33252-browser-shaped-request": checkBrowserPost,
}

// TestAdvisories has those that are a matter of the whole bridge.
func TestAdvisories(t *testing.T) {
	t.Parallel()
	for name, check := range advisories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, newStage(t))
		})
	}
}

func checkFoldedNames(t *testing.T, s *stage) {
	w := s.http(t, "2025-11-25")
	for _, text := range []string{
		`{"JSONRPC":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","Id":1,"Method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method\u0000":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{"name":"note_echo"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"note_echo","arguments":{}}}`,
	} {
		if a := w.post(t, text); len(a.messages) > 0 && a.messages[0].Result != nil {
			t.Errorf("%s has the result %s", text, a.messages[0].Result)
		}
	}
	if n := s.notes.called("Echo"); n > 0 {
		t.Errorf("the backend was called %d times", n)
	}
}

// checkSmuggledNames: what a second reader might take for the tool's name is not.
func checkSmuggledNames(t *testing.T, s *stage) {
	w := s.http(t, "2025-11-25")
	for _, members := range []string{
		`"name":"note_echo","Name":"note_fail","NAME":"note_fail","name\u0000":"note_fail"`,
		`"Name":"note_fail","name":"note_echo"`,
		`"arguments":{"name":"note_fail"},"name":"note_echo"`,
	} {
		w.request(t, "tools/call", `{`+members+`}`)
	}
	for _, members := range []string{`"name":"note_echo","name":"note_fail"`, `"name":"note_echo","n\u0061me":"note_fail"`} {
		w.request(t, "tools/call", `{`+members+`}`).wantStatus(t, 400)
	}
	if echo, fail := s.notes.called("Echo"), s.notes.called("Fail"); echo != 2 || fail != 0 {
		t.Errorf("Echo was called %d times, Fail %d times", echo, fail) // the third has an argument that does not exist
	}
}

func checkRebinding(t *testing.T, s *stage) {
	w := s.http(t, "2025-11-25")
	text := body(w.version, "1", "tools/call", everyMethod["tools/call"], "")
	for _, method := range []string{"POST", "GET", "DELETE", "OPTIONS", "PUT", "HEAD"} {
		for _, edit := range []string{"Host: evil.example", "Origin: http://evil.example", "Origin: null"} {
			w.do(t, method, text, edit).wantStatus(t, 403)
		}
	}
	if n := s.notes.called("Echo"); n > 0 {
		t.Errorf("the backend was called %d times", n)
	}
	w.ask(t, "tools/list", "{}").wantResult(t) // the session was not ended
}

// checkSameIDs: 200 clients of both eras that all use the ids 0, 1 and 2 get their own answers.
func checkSameIDs(t *testing.T, s *stage) {
	var wg sync.WaitGroup
	for i := range 200 {
		version := revisions[i%len(revisions)]
		w := s.http(t, version)
		wg.Go(func() {
			for id := range 3 {
				tag := fmt.Sprintf("client %d call %d", i, id)
				text := body(version, fmt.Sprint(id), "tools/call", `{"name":"note_echo","arguments":{"text":"`+tag+`"}}`, "")
				a := w.post(t, text)
				if a.status != 200 || len(a.messages) != 1 || !strings.Contains(string(a.messages[0].Result), tag+`\"`) {
					t.Errorf("%s is answered with %s", tag, a.text)
				}
			}
		})
	}
	wg.Wait()
}

// checkSessionsApart: what one session has set holds for no other.
func checkSessionsApart(t *testing.T, s *stage) {
	one, other := s.http(t, "2025-11-25"), s.http(t, "2025-11-25")
	one.ask(t, "logging/setLevel", `{"level":"debug"}`).wantResult(t)
	one.ask(t, "resources/subscribe", `{"uri":"note://welcome"}`).wantResult(t)
	for range 3 {
		mine, theirs := one.request(t, "tools/call", everyMethod["tools/call"]), other.request(t, "tools/call", everyMethod["tools/call"])
		if len(mine.messages) != 2 || len(theirs.messages) != 1 {
			t.Errorf("messages %+v and %+v", mine.messages, theirs.messages)
		}
	}
}

// checkMissingMembers: every method with each member missing, and of each wrong kind, is answered.
func checkMissingMembers(t *testing.T, s *stage) {
	const legacy = "2025-11-25"
	whole := map[string]string{
		"tools/list": `{"cursor":"x"}`, "tools/call": `{"name":"note_echo","arguments":{}}`, "resources/list": `{"cursor":"x"}`,
		"resources/read":           `{"uri":"note://welcome"}`,
		"resources/templates/list": `{"cursor":"x"}`, "resources/subscribe": `{"uri":"note://welcome"}`,
		"resources/unsubscribe": `{"uri":"note://welcome"}`,
		"prompts/list":          `{"cursor":"x"}`, "prompts/get": `{"name":"greet","arguments":{"name":"a"}}`,
		"logging/setLevel":     `{"level":"error"}`,
		"subscriptions/listen": `{"notifications":{"resourceSubscriptions":["x"]}}`,
		"completion/complete": `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"tone",` +
			`"value":""},"context":{"arguments":{"name":"a"}}}`,
		"initialize": opening(legacy),
	}
	for _, version := range []string{legacy, modern} {
		p := s.stdio(t, version)
		for method, params := range whole {
			for _, broken := range breakages(t, params) {
				m := p.ask(t, method, broken)
				if m.Error != nil && (m.Error.Code == -32603 || strings.Contains(m.Error.Message, "internal")) {
					t.Errorf("%s %s: %s", method, broken, m.Error.Message)
				}
			}
		}
		p.ask(t, "tools/list", "{}").wantResult(t)
	}
}

// breakages returns params with each member, at each depth, missing and of each wrong kind; those that listen are left out.
func breakages(t *testing.T, params string) []string {
	t.Helper()
	all := []string{`{}`}
	for name, value := range members(t, []byte(params)) {
		for _, wrong := range []string{`null`, `7`, `"x"`, `[]`, `[null]`, `true`} {
			all = append(all, strings.Replace(params, `"`+name+`":`+string(value), `"`+name+`":`+wrong, 1))
		}
		if strings.HasPrefix(string(value), "{") {
			for _, inner := range breakages(t, string(value)) {
				if listens := name == "notifications" && (inner == `{}` || strings.HasSuffix(inner, `[]}`)); !listens {
					all = append(all, strings.Replace(params, string(value), inner, 1))
				}
			}
		}
	}
	return all
}

// checkPaths: a tool is found by its name alone; no text becomes a path.
func checkPaths(t *testing.T, s *stage) {
	w := s.http(t, "2025-11-25")
	for _, name := range []string{
		"/note.v1.NoteService/Echo", "note.v1.NoteService/Echo", "note.v1.NoteService.Echo", "Echo", "note_echo/", "../note_echo",
		"note_echo\u0000", "NOTE_ECHO", "",
	} {
		w.ask(t, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{}}`, strings.ReplaceAll(name, "\x00", "~"))).wantError(t, -32602)
	}
	if n := s.notes.called("Echo"); n > 0 {
		t.Errorf("the backend was called %d times", n)
	}
}

// checkSecondStream: a second stream of the same session takes the place of the first; a foreign one has no place.
func checkSecondStream(t *testing.T, s *stage) {
	one, other := s.http(t, "2025-11-25"), s.http(t, "2025-11-25")
	mine, theirs := listenHTTP(t, one), listenHTTP(t, other)
	again := listenHTTP(t, one)
	for _, e := range events(mine, -1) {
		if e.data != "" {
			t.Errorf("on the replaced stream came %+v", e)
		}
	}
	for _, w := range []*wire{one, other} {
		w.ask(t, "resources/subscribe", `{"uri":"note://welcome"}`).wantResult(t)
	}
	s.notes.changeWatched(t)
	nextData(t, again)
	nextData(t, theirs)
}

func checkBrowserPost(t *testing.T, s *stage) {
	text := body(modern, "1", "tools/call", everyMethod["tools/call"], "")
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"} {
		s.fresh(modern).post(t, text, "Origin: https://evil.example", "Content-Type: "+kind, "Sec-Fetch-Site: cross-site").wantStatus(t, 403)
		s.fresh(modern).post(t, text, "Content-Type: "+kind, "Sec-Fetch-Site: cross-site").wantStatus(t, 415)
	}
	if n := s.notes.called("Echo"); n > 0 {
		t.Errorf("the backend was called %d times", n)
	}
}
