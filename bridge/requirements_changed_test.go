package bridge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge"
)

// changedRequirements are those of the pages of tools, prompts and resources, "List Changed Notification".
var changedRequirements = []requirement{
	{"server-tools/list-changed", revisions, announced("tools", "Says a text again.", "Says it again.")},
	{"server-prompts/list-changed", revisions, announced("prompts", "Greets somebody.", "Greets anybody.")},
	{"server-resources/list-changed", revisions, announced("resources", "Reads pictures.", "Reads a picture.")},
	{"server-resources/list-changed/templates", revisions, announced("resources", `name: "note"`, `name: "a_note"`)},
}

// announced has one change of the backend made, and wants it announced once, as one of its kind and no other, to who asked.
func announced(kind, old, now string) func(*testing.T, *stage, string) {
	return func(t *testing.T, _ *stage, version string) {
		t.Helper()
		n, backend := startNotes(t)
		source := &changing{}
		source.set(backend.Descriptors, nil)
		backend.Descriptors = source
		b := newBridge(t, []bridge.Backend{backend})
		s := &stage{notes: n, bridge: b, url: serveHTTP(t, b)}
		p, next := s.stdio(t, version), listening(t, s, version, kind)
		if version == modern {
			p.send(t, body(version, `"l"`, "subscriptions/listen", filter(kind), ""))
			wantMethod(t, p.next(t), "notifications/subscriptions/acknowledged")
		}
		source.set(noteFiles(t, strings.Replace(noteProto, old, now, 1)), nil)
		if err := b.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := "notifications/" + kind + "/list_changed"
		for transport, m := range map[string]message{"HTTP": next(), "stdio": p.next(t)} {
			if m.Method != want || strings.Contains(string(m.Params), `"l"`) != (version == modern) {
				t.Errorf("%s: received %s %s, want %s", transport, m.Method, m.Params, want)
			}
		}
		p.ask(t, "tools/call", everyMethod["tools/call"]).wantResult(t)
		if len(p.seen) > 0 {
			t.Errorf("received %+v", p.seen)
		}
	}
}

// filter asks for changes of one kind of list.
func filter(kind string) string { return fmt.Sprintf(`{"notifications":{"%sListChanged":true}}`, kind) }

// listening opens the HTTP stream for changes of one kind, and returns what reads its messages.
func listening(t *testing.T, s *stage, version, kind string) func() message {
	t.Helper()
	if version == modern {
		next := listenModern(t, s, filter(kind))
		wantMethod(t, next(), "notifications/subscriptions/acknowledged")
		return next
	}
	stream := listenHTTP(t, s.http(t, version))
	return func() message { return parse(t, nextData(t, stream))[0] }
}
