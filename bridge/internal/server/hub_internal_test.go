package server

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
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
	h := newHub(func() *catalog.Catalog { return empty }, always, slog.New(slog.DiscardHandler))
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
					h.retainFor(fmt.Sprint(random.IntN(4)), fmt.Sprint(random.IntN(10)))
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
	if added, _ := h.want(h.join(""), []string{"c"}); added != nil {
		t.Errorf("watched after the end: %v", added)
	}
}

// TestRoom: watches are bounded, altogether and by backend; one that moves from a
// backend to another, or from none, needs room there, and one that ends makes
// room.
func TestRoom(t *testing.T) {
	t.Parallel()
	empty, _ := catalog.Compile(nil, catalog.Options{})
	h := newHub(func() *catalog.Catalog { return empty }, always, slog.New(slog.DiscardHandler))
	defer h.close()
	l, uris := h.join(""), make([]string, maxWatches+1)
	for i := range uris {
		uris[i] = fmt.Sprint(i)
	}
	if added, left := h.want(l, uris); len(added) != maxWatches || !left {
		t.Errorf("%d are watched, some left out: %v", len(added), left)
	}
	if err := h.hasRoom("more", ""); err == nil || !strings.HasPrefix(err.Message, "1000 resources are watched") {
		t.Errorf("got %v", err)
	}
	h.want(l, nil)

	h.mu.Lock() // watches without a goroutine, which would find that the catalog has no resource
	var all []*watch
	for i := range maxBackendWatches + 1 {
		w := &watch{
			hub: h, uri: fmt.Sprint(i), cancel: func() {}, wake: make(chan struct{}, 1), opened: make(chan struct{}),
			listeners: map[*listener]struct{}{l: {}},
		}
		h.watches[w.uri], all = w, append(all, w)
	}
	h.mu.Unlock()
	for i, w := range all {
		if ok := h.take(w, "shelf"); ok != (i < maxBackendWatches) {
			t.Errorf("watch %d has room: %v", i, ok)
		}
	}
	if err := h.hasRoom("more", "shelf"); err == nil || !strings.HasPrefix(err.Message, `64 resources of the backend "shelf"`) {
		t.Errorf("got %v", err)
	}
	if err := h.hasRoom("more", "desk"); err != nil {
		t.Errorf("another backend: %v", err)
	}
	last := all[maxBackendWatches]
	if !h.take(all[0], "desk") || !h.take(last, "shelf") || !h.take(all[0], "") || h.take(all[0], "shelf") {
		t.Error("a watch that moves finds no room, or one too many does")
	}
	h.want(l, nil)
	if len(h.taken) != 0 || h.take(last, "desk") {
		t.Errorf("left are %v", h.taken)
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
