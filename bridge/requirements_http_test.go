package bridge_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
)

// transportRequirements are those of basic/transports that all revisions have over HTTP.
var transportRequirements = []requirement{
	{"basic-transports/origin-is-validated", revisions, func(t *testing.T, s *stage, version string) {
		text := body(version, "1", "tools/list", "{}", "")
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions} {
			for _, origin := range []string{"https://evil.example", "null", "http://127.0.0.1.evil.example"} {
				s.http(t, version).do(t, method, text, "Origin: "+origin).wantStatus(t, 403)
			}
		}
		s.http(t, version).post(t, text, "Origin: http://localhost:3000").wantStatus(t, 200)
	}},
	{"basic-transports/host-is-validated", revisions, func(t *testing.T, s *stage, version string) {
		text := body(version, "1", "tools/list", "{}", "")
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions} {
			for _, host := range []string{"evil.example", "127.0.0.1.evil.example:80", "127.0.0.1@evil.example"} {
				if a := s.http(t, version).do(t, method, text, "Host: "+host); a.status != 403 && a.status != 400 {
					t.Errorf("%s for host %s: status %d", method, host, a.status)
				}
			}
		}
	}},
	{"basic-transports/content-type", revisions, func(t *testing.T, s *stage, version string) {
		text := body(version, "1", "tools/list", "{}", "")
		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""} {
			s.http(t, version).post(t, text, "Content-Type:"+kind).wantStatus(t, 415)
		}
	}},
	{"basic-transports/accept", revisions, func(t *testing.T, s *stage, version string) {
		w := s.http(t, version)
		text := body(version, "1", "tools/list", "{}", "")
		w.post(t, text, "Accept: text/html").wantStatus(t, 406)
		w.post(t, text, "Accept: application/json").wantStatus(t, 200)
	}},
	{"basic-transports/json-where-nothing-precedes-the-result", revisions, func(t *testing.T, s *stage, version string) {
		a := s.http(t, version).request(t, "tools/call", everyMethod["tools/call"]).wantStatus(t, 200)
		if kind := a.header.Get("Content-Type"); kind != "application/json" || len(a.messages) != 1 {
			t.Errorf("content type %s, %d messages", kind, len(a.messages))
		}
	}},
	{"basic-transports/body-is-bounded", revisions, func(t *testing.T, s *stage, version string) {
		s.http(t, version).request(t, "tools/call", `{"name":"`+strings.Repeat("x", 1<<20)+`"}`, "Mcp-Name:").wantStatus(t, 413)
	}},
}

// legacyHTTPRequirements are those of the legacy revisions' Streamable HTTP.
var legacyHTTPRequirements = []requirement{
	{"basic-transports/session-id", legacyRevisions, func(t *testing.T, s *stage, version string) {
		id := s.http(t, version).session
		if len(id) < 22 || strings.ContainsFunc(id, func(r rune) bool { return r < 0x21 || r > 0x7e }) || id == s.http(t, version).session {
			t.Errorf("session id %q", id)
		}
	}},
	{"basic-transports/session-id-missing", legacyRevisions, func(t *testing.T, s *stage, version string) {
		w := s.http(t, version)
		w.request(t, "tools/list", "{}", "Mcp-Session-Id:").wantStatus(t, 400).response(t).wantError(t, -32600, "Mcp-Session-Id")
		w.do(t, http.MethodGet, "", "Mcp-Session-Id:", "Accept: text/event-stream").wantStatus(t, 400)
		w.do(t, http.MethodDelete, "", "Mcp-Session-Id:").wantStatus(t, 400)
	}},
	{"basic-transports/session-id-unknown", legacyRevisions, func(t *testing.T, s *stage, version string) {
		w := s.http(t, version)
		w.request(t, "tools/list", "{}", "Mcp-Session-Id: none").wantStatus(t, 404)
		w.do(t, http.MethodGet, "", "Mcp-Session-Id: none", "Accept: text/event-stream").wantStatus(t, 404)
		w.do(t, http.MethodDelete, "", "Mcp-Session-Id: none").wantStatus(t, 404)
	}},
	{"basic-transports/session-ends", legacyRevisions, func(t *testing.T, s *stage, version string) {
		w := s.http(t, version)
		if a := w.do(t, http.MethodDelete, ""); a.status != 200 && a.status != 204 {
			t.Fatalf("DELETE: status %d", a.status)
		}
		w.request(t, "tools/list", "{}").wantStatus(t, 404)
		w.do(t, http.MethodGet, "", "Accept: text/event-stream").wantStatus(t, 404)
		w.do(t, http.MethodDelete, "").wantStatus(t, 404)
	}},
	{"basic-transports/version-header", legacyRevisions, func(t *testing.T, s *stage, version string) {
		w := s.http(t, version)
		w.request(t, "tools/list", "{}", "Mcp-Protocol-Version: 2020-01-01").wantStatus(t, 400)
		w.request(t, "tools/list", "{}", "Mcp-Protocol-Version:").wantStatus(t, 200)
	}},
	{"basic-transports/stream-ends-after-the-response", legacyRevisions, func(t *testing.T, s *stage, version string) {
		w := s.http(t, version)
		w.ask(t, "logging/setLevel", `{"level":"debug"}`).wantResult(t)
		a := w.request(t, "tools/call", everyMethod["tools/call"]).wantStatus(t, 200)
		if len(a.messages) < 2 || a.messages[0].Method != "notifications/message" || a.response(t).Result == nil {
			t.Errorf("messages %+v", a.messages)
		}
		if a.header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("header %v", a.header)
		}
	}},
	{"basic-transports/priming-event", legacyRevisions, checkPriming},
	{"basic-transports/event-ids-are-unique", legacyRevisions, func(t *testing.T, s *stage, version string) {
		w := s.http(t, version)
		w.ask(t, "logging/setLevel", `{"level":"debug"}`).wantResult(t)
		seen := map[string]bool{}
		for range 5 {
			for _, e := range w.request(t, "tools/call", everyMethod["tools/call"]).events {
				if e.id == "" || seen[e.id] {
					t.Errorf("event id %q", e.id)
				}
				seen[e.id] = true
			}
		}
	}},
	{"basic-transports/resumption", legacyRevisions, checkResumption},
	{"basic-transports/listening-stream", legacyRevisions, checkListeningStream},
}

// checkPriming: 2025-11-25 basic/transports: "an SSE event consisting of an event ID and an empty data field", in that
// revision alone: clients of others may take it for a broken message.
func checkPriming(t *testing.T, s *stage, version string) {
	w := s.http(t, version)
	w.ask(t, "logging/setLevel", `{"level":"debug"}`).wantResult(t)
	a := w.request(t, "tools/call", everyMethod["tools/call"])
	if len(a.events) == 0 {
		t.Fatal("no events")
	}
	first := a.events[0]
	if primed := first.id != "" && first.data == ""; primed != (version == "2025-11-25") {
		t.Errorf("the first event is %+v", first)
	}
}

// checkResumption: GET with Last-Event-ID has the rest of that stream, and nothing of others.
func checkResumption(t *testing.T, s *stage, version string) {
	w := s.http(t, version)
	w.ask(t, "logging/setLevel", `{"level":"debug"}`).wantResult(t)
	whole := w.request(t, "tools/call", everyMethod["tools/call"])
	w.request(t, "tools/call", everyMethod["tools/call"]) // another stream
	for i, e := range whole.events[:len(whole.events)-1] {
		rest := w.do(t, http.MethodGet, "", "Accept: text/event-stream", "Last-Event-ID: "+e.id).wantStatus(t, 200)
		if len(rest.events) != len(whole.events)-i-1 {
			t.Fatalf("after event %d of %d came %d", i+1, len(whole.events), len(rest.events))
		}
		for j, again := range rest.events {
			if want := whole.events[i+1+j]; again.id != want.id || again.data != want.data {
				t.Errorf("event %+v came back as %+v", want, again)
			}
		}
	}
	last := whole.events[0].id
	w.do(t, http.MethodGet, "", "Accept: text/event-stream", "Last-Event-ID: x"+last).wantStatus(t, 400)
	if a := s.http(t, version).do(t, http.MethodGet, "", "Accept: text/event-stream", "Last-Event-ID: "+
		last); a.status != 400 && a.status != 404 {
		t.Errorf("another session is given the stream: %d %s", a.status, a.text)
	}
}

// listenHTTP opens the listening stream of a legacy session and returns its events.
func listenHTTP(t *testing.T, w *wire) *bufio.Reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	resp := w.open(ctx, t, http.MethodGet, "", "Accept: text/event-stream")
	t.Cleanup(func() { cancel(); resp.Body.Close() })
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		t.Fatalf("GET: status %d, %s", resp.StatusCode, kind)
	}
	return bufio.NewReader(resp.Body)
}

// nextData returns the data of the next event that has some.
func nextData(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	for {
		e := events(r, 1)
		if len(e) == 0 {
			t.Fatal("the stream has ended")
		}
		if e[0].data != "" {
			return e[0].data
		}
	}
}

// checkListeningStream: a GET opens a stream for what belongs to no request; responses never come on it.
func checkListeningStream(t *testing.T, _ *stage, version string) {
	s := newStage(t)
	w := s.http(t, version)
	w.do(t, http.MethodGet, "", "Accept: application/json").wantStatus(t, 406)
	stream := listenHTTP(t, w)
	w.ask(t, "resources/subscribe", `{"uri":"note://welcome"}`).wantResult(t)
	w.ask(t, "tools/call", everyMethod["tools/call"]).wantResult(t)
	s.notes.changeWatched(t)
	if data := nextData(t, stream); !strings.Contains(data, "notifications/resources/updated") {
		t.Errorf("received %s", data)
	}
	if a := w.do(t, http.MethodDelete, ""); a.status >= 300 {
		t.Fatalf("DELETE: status %d", a.status)
	}
	if rest := events(stream, -1); len(rest) > 1 {
		t.Errorf("after the end of the session came %+v", rest)
	}
}
