package server

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// TestHubUnderLoad: whatever listeners do at once, what is left behind is nothing.
func TestHubUnderLoad(t *testing.T) {
	t.Parallel()
	empty, err := catalog.Compile(nil, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	h := newHub(func() *catalog.Catalog { return empty }, slog.New(slog.DiscardHandler))
	var all sync.WaitGroup
	for client := range 16 {
		random := rand.New(rand.NewPCG(seed, uint64(client)))
		all.Go(func() {
			for range 50 {
				l := h.join(fmt.Sprint(client % 4))
				for range random.IntN(8) {
					var uris []string
					for range random.IntN(6) {
						uris = append(uris, fmt.Sprint(random.IntN(10)))
					}
					h.want(l, uris)
					l.mark(uris...)
					h.resubscribed(fmt.Sprint(random.IntN(4)))
					h.changed()
					l.takeUpdated()
					l.takeResubscribed()
				}
				h.leave(l)
			}
		})
	}
	all.Wait()
	if len(h.listeners) != 0 || len(h.watches) != 0 {
		t.Errorf("%d listeners and %d watches are left", len(h.listeners), len(h.watches))
	}
	l := h.join("")
	h.want(l, []string{"a", "b"})
	h.close()
	if added := h.want(h.join(""), []string{"c"}); added != nil {
		t.Errorf("watched after the end: %v", added)
	}
}

// TestTold: what is written of what a client knows is read back, and of what
// differs each list is named once.
func TestTold(t *testing.T) {
	t.Parallel()
	const text = "tools=a resources=c"
	known := parseTold(text)
	if got := known.String(); got != text {
		t.Errorf("got %q", got)
	}
	now := catalog.Digests{Tools: "a", Prompts: "b", Resources: "d"}
	if got := fmt.Sprint(known.outdated(now)); got != "[notifications/resources/list_changed]" {
		t.Errorf("got %s", got)
	}
	if got := known.outdated(now); got != nil {
		t.Errorf("again %s", got)
	}
}
