package session_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/session"
)

// endings notes what a store tells of sessions that have ended.
type endings struct {
	mu    sync.Mutex
	store *session.Memory
	told  []string
}

func (e *endings) note(r session.Record, lasted time.Duration, reason session.EndReason) {
	open := e.store.Len() // which it could not ask for while the store were locked
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = append(e.told, fmt.Sprintf("%s %s after %v as %s, %d left", r.ID, r.Version, lasted, reason, open))
}

// TestMemoryTellsOfEnds: of each session that has ended it is told once, with the time that it lasted, however late the
// store looks.
func TestMemoryTellsOfEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, told := context.Background(), &endings{}
		told.store = session.NewMemory(session.MemoryOptions{
			Max: 2, Idle: time.Hour, Handshake: time.Minute, Reclaim: time.Minute, Ended: told.note,
		})
		m := told.store
		create := func(id string, ready bool) {
			must(t, m.Create(ctx, session.Record{ID: id, Version: "2025-11-25", Initialized: ready}))
		}
		create("deleted", true)
		time.Sleep(3 * time.Second)
		must(t, m.Update(ctx, "deleted", unchanged)) // in which it is kept anew, and does not end
		must(t, m.Delete(ctx, "deleted"))

		create("half", false)
		time.Sleep(time.Hour)
		create("idle", true)
		time.Sleep(2 * time.Hour)
		create("unused", true)
		create("crowding", false)
		time.Sleep(2 * time.Second)
		create("crowded", false) // in the place of the one that is not initialized
		time.Sleep(time.Minute)
		create("early", true)
		create("late", true) // in the place of the one that was unused for the longest time

		want := []string{
			"deleted 2025-11-25 after 3s as client, 0 left",
			"half 2025-11-25 after 1m0s as handshake, 1 left",
			"idle 2025-11-25 after 1h0m0s as idle, 1 left",
			"crowding 2025-11-25 after 2s as evicted, 2 left",
			"crowded 2025-11-25 after 1m0s as handshake, 2 left",
			"unused 2025-11-25 after 1m2s as evicted, 2 left",
		}
		if diff := cmp.Diff(want, told.told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// TestMemoryTellsOnce: whoever ends sessions at the same time, each of them is told of once.
func TestMemoryTellsOnce(t *testing.T) {
	t.Parallel()
	ctx, told := context.Background(), &endings{}
	told.store = session.NewMemory(session.MemoryOptions{Max: 20, Ended: told.note})
	var all sync.WaitGroup
	for client := range 8 {
		all.Go(func() {
			for i := range 100 {
				id := fmt.Sprint(client, "-", i)
				must(t, told.store.Create(ctx, session.Record{ID: id}))
				_ = told.store.Delete(ctx, id)
			}
		})
	}
	all.Wait()
	if len(told.told) != 800 {
		t.Errorf("told of %d of 800", len(told.told))
	}
}
