package server_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// TestWhatMayCome: where the catalog may be another one later on, prompts and
// resources are declared and announced before there are any; else they are not.
func TestWhatMayCome(t *testing.T) {
	for _, tt := range []struct {
		name     string
		reloads  bool
		hide     string // beside all prompts and resources
		declares bool
	}{
		{"it is read again at an interval", true, "*.Extend", true},
		{"a method changes it", false, "", true},
		{"it stays", false, "*.Extend", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, "", func(t *testing.T, f *fixture) {
				f.server = server.New(server.Config{Gate: f.gate, Catalog: f.offered.Load, Reloads: tt.reloads})
				defer f.server.Close()
				later := strings.Fields("*.ShowCover " + tt.hide)
				f.swap(t,
					append(later, "*.Summarise", "*.Discuss", "*.ListFacts", "*.GetRules", "*.GetPage", "*.WatchPage", "*.GetPlace", "*.WatchPlace")...)
				declared := `"prompts":{"listChanged":true},"resources":{"listChanged":true}`
				for what, text := range map[string]string{
					"initialize": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
						`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
					"discover": `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`,
				} {
					body := string(f.server.Handle(t.Context(), f.gate.Stream(), decode(t, text)).Body)
					if strings.Contains(body, declared) != tt.declares || strings.Contains(body, `"completions"`) != tt.declares ||
						strings.Contains(body, "subscribe") {
						t.Errorf("%s: %s", what, body)
					}
				}
				legacy, modern := f.listen(t, f.open(t)), f.hear(t)
				f.swap(t, later...)
				want := ""
				if tt.declares {
					want = promptsChanged + ", resources/list_changed"
				}
				if got := legacy.take(t); got != want {
					t.Errorf("a legacy client is told %q, want %q", got, want)
				}
				if got := modern.take(t); got != strings.TrimSuffix("subscriptions/acknowledged, "+want, ", ") {
					t.Errorf("a modern client is told %q, want %q", got, want)
				}
				legacy.close()
			})
		})
	}
}

// hear runs a subscriptions/listen for prompts and resources.
func (f *fixture) hear(t *testing.T) *tape {
	t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	t.Cleanup(leave)
	heard := &tape{}
	call := f.server.Admit(ctx, f.gate.Stream(),
		decode(t, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":`+
			`{"promptsListChanged":true,"resourcesListChanged":true},`+modernMeta+`}}`), heard)
	go call.Run()
	synctest.Wait()
	return heard
}
