package bridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// subscriptionRequirements are those of server/resources, "Subscriptions", in the legacy revisions.
var subscriptionRequirements = []requirement{
	{"server-resources/subscribe", legacyRevisions, func(t *testing.T, _ *stage, version string) {
		s := newStage(t)
		p := s.stdio(t, version)
		if m := p.ask(t, "resources/subscribe", `{"uri":"note://notes/1"}`); string(m.Result) != "{}" {
			t.Errorf("subscribe is answered with %s %+v", m.Result, m.Error)
		}
		s.notes.changeWatched(t)
		if m := p.next(t); m.Method != "notifications/resources/updated" || !strings.Contains(string(m.Params), `"uri":"note://notes/1"`) {
			t.Errorf("received %+v", m)
		}
	}},
	{"server-resources/unsubscribe", legacyRevisions, func(t *testing.T, _ *stage, version string) {
		s := newStage(t)
		p := s.stdio(t, version)
		p.ask(t, "resources/subscribe", `{"uri":"note://notes/1"}`).wantResult(t)
		s.notes.changeWatched(t)
		p.next(t)
		if m := p.ask(t, "resources/unsubscribe", `{"uri":"note://notes/1"}`); string(m.Result) != "{}" {
			t.Errorf("unsubscribe is answered with %s %+v", m.Result, m.Error)
		}
		p.seen = nil
		s.notes.change()
		p.ask(t, "tools/call", everyMethod["tools/call"]).wantResult(t)
		s.notes.change()
		p.ask(t, "ping", "").wantResult(t)
		if len(p.seen) > 0 {
			t.Errorf("received %+v", p.seen)
		}
	}},
	{"server-resources/subscribe/to-what-there-is", legacyRevisions, both(func(t *testing.T, c talker, _ string) {
		c.ask(t, "resources/subscribe", `{"uri":"note://none"}`).wantError(t, -32002, `"uri":"note://none"`)
		c.ask(t, "resources/subscribe", `{"uri":"note://picture"}`).wantError(t, -32602, "cannot be watched")
		c.ask(t, "resources/subscribe", `{}`).wantError(t, -32602, "uri")
	})},
}

// listenRequirements are those of 2026-07-28 basic/patterns/subscriptions.
var listenRequirements = []requirement{
	{"basic-patterns-subscriptions/acknowledged-first", modernRevision, checkAcknowledged},
	{"basic-patterns-subscriptions/updates-of-resources", modernRevision, func(t *testing.T, _ *stage, _ string) {
		s := newStage(t)
		ask := `{"notifications":{"resourceSubscriptions":["note://welcome"]}}`
		stream := listenModern(t, s, ask)
		p := s.stdio(t, modern)
		p.send(t, body(modern, `"l"`, "subscriptions/listen", ask, ""))
		for _, next := range []func() message{stream, func() message { return p.next(t) }} {
			wantMethod(t, next(), "notifications/subscriptions/acknowledged")
		}
		s.notes.changeWatched(t)
		for _, next := range []func() message{stream, func() message { return p.next(t) }} {
			wantMethod(t, next(), "notifications/resources/updated", `"uri":"note://welcome"`)
		}
	}},
	{"basic-patterns-subscriptions/client-cancels", modernRevision, func(t *testing.T, _ *stage, _ string) {
		s := newStage(t)
		p := s.stdio(t, modern)
		p.send(t, body(modern, `"l"`, "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["note://welcome"]}}`, ""))
		wantMethod(t, p.next(t), "notifications/subscriptions/acknowledged")
		p.send(t, body(modern, "", "notifications/cancelled", `{"requestId":"l"}`, ""))
		p.ask(t, "tools/list", "{}").wantResult(t)
		s.notes.change()
		p.ask(t, "tools/call", everyMethod["tools/call"]).wantResult(t)
		if len(p.seen) > 0 {
			t.Errorf("received %+v", p.seen)
		}
	}},
	{"basic-patterns-subscriptions/server-ends-with-a-result", modernRevision, func(t *testing.T, _ *stage, _ string) {
		s := newStage(t)
		stream := listenModern(t, s, `{"notifications":{"toolsListChanged":true}}`)
		wantMethod(t, stream(), "notifications/subscriptions/acknowledged")
		s.bridge.Close()
		stream().wantResult(t, `"resultType":"complete"`, `"io.modelcontextprotocol/subscriptionId":"l"`)
	}},
	{"basic-patterns-subscriptions/invalid-filter", modernRevision, both(func(t *testing.T, c talker, _ string) {
		for _, params := range []string{
			`{}`, `{"notifications":[]}`, `{"notifications":{"toolsListChanged":1}}`,
			`{"notifications":{"resourceSubscriptions":"note://welcome"}}`,
		} {
			c.ask(t, "subscriptions/listen", params).wantError(t, -32602, "notifications")
		}
	})},
	{"basic-patterns-subscriptions/needs-a-stream", modernRevision, func(t *testing.T, s *stage, _ string) {
		s.fresh(modern).request(t, "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`,
			"Accept: application/json").response(t).wantError(t, -32600, "text/event-stream")
	}},
}

// listenModern opens a listen stream with the id "l" and returns what reads its messages.
func listenModern(t *testing.T, s *stage, params string) func() message {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	resp := s.fresh(modern).open(ctx, t, http.MethodPost, body(modern, `"l"`, "subscriptions/listen", params, ""))
	t.Cleanup(func() { cancel(); resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || resp.Header.Get("X-Accel-Buffering") != "no" {
		t.Fatalf("status %d, header %v", resp.StatusCode, resp.Header)
	}
	r := bufio.NewReader(resp.Body)
	return func() message {
		t.Helper()
		var m message
		if err := json.Unmarshal([]byte(nextData(t, r)), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// wantMethod holds a notification of a listen stream with the id "l" against its method and params.
func wantMethod(t *testing.T, m message, method string, says ...string) {
	t.Helper()
	if m.Method != method || m.ID != nil {
		t.Fatalf("received %+v, want %s", m, method)
	}
	for _, part := range append(says, `"io.modelcontextprotocol/subscriptionId":"l"`) {
		if !strings.Contains(string(m.Params), part) {
			t.Errorf("%s has params %s without %q", method, m.Params, part)
		}
	}
}

// checkAcknowledged: the first message says what is honoured of what was asked.
func checkAcknowledged(t *testing.T, s *stage, _ string) {
	for asked, honoured := range map[string]string{
		`{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`: `{"toolsListChanged":true,` +
			`"promptsListChanged":true,"resourcesListChanged":true}`,
		`{"toolsListChanged":true,"promptsListChanged":false}`:                        `{"toolsListChanged":true}`,
		`{"resourceSubscriptions":["note://welcome","note://picture","note://none"]}`: `{"resourceSubscriptions":["note://welcome"]}`,
		`{}`: `{}`,
	} {
		params := `{"notifications":` + asked + `}`
		m := listenModern(t, s, params)()
		wantMethod(t, m, "notifications/subscriptions/acknowledged")
		p := s.stdio(t, modern)
		p.send(t, body(modern, `"l"`, "subscriptions/listen", params, ""))
		for transport, got := range map[string]message{"HTTP": m, "stdio": p.next(t)} {
			if filter := members(t, got.Params)["notifications"]; string(filter) != honoured {
				t.Errorf("%s: of %s is honoured %s, want %s", transport, asked, filter, honoured)
			}
		}
	}
}
