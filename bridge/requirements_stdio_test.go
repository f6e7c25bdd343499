package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// stdioRequirements are those of basic/transports, "stdio", and of basic/utilities/cancellation on it.
var stdioRequirements = []requirement{
	{"basic-transports-stdio/one-message-a-line", revisions, func(t *testing.T, s *stage, version string) {
		p := s.stdio(t, version)
		p.ask(t, "tools/call", `{"name":"note_echo","arguments":{"text":"a\nb\r\n\u2028c"}}`).wantResult(t, `a\\nb`)
		p.quiet(t)
	}},
	{"basic-transports-stdio/the-end-of-the-input-ends-it", revisions, checkEndOfInput},
	{"basic-transports-stdio/garbage-is-answered", revisions, func(t *testing.T, s *stage, version string) {
		p := s.stdio(t, version)
		for _, text := range []string{"hello", "\x00\xff", `{"jsonrpc":"2.0"`, strings.Repeat("x", 2<<20)} {
			p.send(t, text)
			if m := p.next(t); m.Error == nil || m.ID != nil {
				t.Errorf("%.40q is answered with %+v", text, m)
			}
		}
		p.ask(t, "tools/list", "{}").wantResult(t)
	}},
	{"basic-utilities-cancellation/stops-the-work-and-is-not-answered", revisions, checkCancellation},
	{"basic-utilities-cancellation/unknown-and-late-is-ignored", revisions, func(t *testing.T, s *stage, version string) {
		p := s.stdio(t, version)
		p.ask(t, "tools/list", "{}").wantResult(t)
		for _, params := range []string{`{"requestId":1}`, `{"requestId":"none"}`, `{"requestId":null}`, `{}`, `[]`, `7`} {
			if version != modern || strings.HasPrefix(params, "{") {
				p.send(t, body(version, "", "notifications/cancelled", params, ""))
			}
		}
		p.ask(t, "tools/list", "{}").wantResult(t)
		for _, m := range p.seen {
			if m.Error == nil || m.ID != nil {
				t.Errorf("received %+v", m)
			}
		}
	}},
	{"basic-utilities-cancellation/listen-streams-of-the-server", modernRevision, checkTearDown},
}

// checkEndOfInput: with a call in flight, a listen stream and a watch open.
func checkEndOfInput(t *testing.T, _ *stage, version string) {
	s := newStage(t)
	p := s.stdio(t, version)
	if version == modern {
		p.send(t, body(version, `"l"`, "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["note://welcome"]}}`, ""))
		p.next(t)
	} else {
		p.ask(t, "resources/subscribe", `{"uri":"note://welcome"}`).wantResult(t)
	}
	p.send(t, body(version, `"c"`, "tools/call", `{"name":"note_wait","arguments":{}}`, ""))
	<-s.notes.waiting
	p.in.Close()
	select {
	case err := <-p.done:
		if err != nil {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
	if err := <-s.notes.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ends with %v", err)
	}
	answered := 0
	for line := range p.lines {
		switch m := parse(t, strings.TrimSpace(line))[0]; {
		case m.ID == nil: // changes are told of to the end
		case string(m.ID) == `"c"` && strings.Contains(line, `"code":-32603`):
			answered++
		default:
			t.Errorf("received %s", line)
		}
	}
	if answered != 1 {
		t.Errorf("the call in flight was answered %d times, want once, with an error", answered)
	}
}

func checkCancellation(t *testing.T, _ *stage, version string) {
	s := newStage(t)
	p := s.stdio(t, version)
	for id := range 3 {
		p.send(t, body(version, fmt.Sprintf(`"c%d"`, id), "tools/call", `{"name":"note_wait","arguments":{}}`, ""))
		<-s.notes.waiting
		p.send(t, body(version, "", "notifications/cancelled", fmt.Sprintf(`{"requestId":"c%d","reason":"enough"}`, id), ""))
		if err := <-s.notes.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the call ends with %v", err)
		}
	}
	p.ask(t, "tools/list", "{}").wantResult(t)
	if len(p.seen) > 0 {
		t.Errorf("received %+v", p.seen)
	}
}

// checkTearDown: "the server MUST send notifications/cancelled" for a listen stream that it ends, after its result: when the
// stream is told to end, and when the bridge is closed while the stream goes on.
func checkTearDown(t *testing.T, _ *stage, version string) {
	s := newStage(t)
	for _, end := range []func(*pipe){
		func(p *pipe) { p.stop() },
		func(*pipe) { s.bridge.Close() },
	} {
		p := s.stdio(t, version)
		p.send(t, body(version, `"l"`, "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`, ""))
		if m := p.next(t); m.Method != "notifications/subscriptions/acknowledged" {
			t.Fatalf("received %+v", m)
		}
		end(p)
		checkEnded(t, p)
	}
}

// checkEnded wants the result of the listen call l, and its cancellation.
func checkEnded(t *testing.T, p *pipe) {
	t.Helper()
	result := p.next(t)
	result.wantResult(t, `"resultType":"complete"`, `"io.modelcontextprotocol/subscriptionId":"l"`)
	var cancelled struct{ RequestID string }
	m := p.next(t)
	if err := json.Unmarshal(m.Params, &cancelled); err != nil || m.Method != "notifications/cancelled" || cancelled.RequestID != "l" {
		t.Errorf("received %+v", m)
	}
}
