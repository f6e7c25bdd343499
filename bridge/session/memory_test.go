package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/session"
)

var _ session.Store = (*session.Memory)(nil)

func TestMemoryKeepsWhatItIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, m := context.Background(), session.NewMemory(session.MemoryOptions{})
		info := []byte(`{"name":"c"}`)
		r := session.Record{ID: "a", Principal: "p", Version: "v", Told: "t", ClientInfo: info, Capabilities: []byte(`{}`)}
		must(t, m.Create(ctx, r))
		info[2] = 'X' // the store has a copy of its own

		start := time.Now()
		time.Sleep(time.Second)
		subscriptions := []string{"x:a", "x:b"}
		must(t, m.Update(ctx, "a", func(r *session.Record) {
			r.ID, r.Created, r.Seen = "b", time.Time{}, time.Time{} // which are the store's
			r.Initialized, r.LogLevel, r.Subscriptions = true, "warning", subscriptions
		}))
		subscriptions[0] = "x:c"
		time.Sleep(time.Minute)
		got, err := m.Get(ctx, "a")
		must(t, err)
		want := r
		want.Initialized, want.LogLevel, want.Subscriptions = true, "warning", []string{"x:a", "x:b"}
		want.ClientInfo = []byte(`{"name":"c"}`)
		want.Created, want.Seen = start, start.Add(time.Second+time.Minute)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMemoryForgets(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	operations := map[string]func(*session.Memory) error{
		"get":    func(m *session.Memory) error { _, err := m.Get(ctx, "a"); return err },
		"update": func(m *session.Memory) error { return m.Update(ctx, "a", unchanged) },
		"delete": func(m *session.Memory) error { return m.Delete(ctx, "a") },
	}
	pasts := map[string]func(*testing.T, *session.Memory){
		"what never was": func(*testing.T, *session.Memory) {},
		"what has ended": func(t *testing.T, m *session.Memory) {
			must(t, m.Create(ctx, session.Record{ID: "a"}))
			must(t, m.Delete(ctx, "a"))
		},
		"what was idle": func(t *testing.T, m *session.Memory) {
			must(t, m.Create(ctx, session.Record{ID: "a", Initialized: true}))
			time.Sleep(session.DefaultIdle)
		},
		"what was never initialized": func(t *testing.T, m *session.Memory) {
			must(t, m.Create(ctx, session.Record{ID: "a"}))
			for range 4 { // use does not make it younger
				time.Sleep(session.DefaultHandshake / 4)
				_, _ = m.Get(ctx, "a")
				_ = m.Update(ctx, "a", unchanged)
			}
		},
	}
	for past, prepare := range pasts {
		for name, operate := range operations {
			t.Run(name+" "+past, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m := session.NewMemory(session.MemoryOptions{})
					prepare(t, m)
					if err := operate(m); !errors.Is(err, session.ErrNotFound) {
						t.Errorf("got %v", err)
					}
				})
			})
		}
	}
}

func TestMemoryUseKeepsAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, m := context.Background(), session.NewMemory(session.MemoryOptions{Idle: time.Hour})
		for _, id := range []string{"used", "updated", "idle"} {
			must(t, m.Create(ctx, session.Record{ID: id, Initialized: true}))
		}
		for range 10 {
			time.Sleep(50 * time.Minute)
			_, err := m.Get(ctx, "used")
			must(t, err)
			must(t, m.Update(ctx, "updated", unchanged))
		}
		if got := m.Len(); got != 2 {
			t.Errorf("%d sessions are left, want 2", got)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, m := context.Background(), session.NewMemory(session.MemoryOptions{Max: 2, Idle: time.Minute})
		must(t, m.Create(ctx, session.Record{ID: "a", Initialized: true}))
		time.Sleep(time.Second)
		must(t, m.Create(ctx, session.Record{ID: "b", Initialized: true}))
		time.Sleep(time.Second)
		err := m.Create(ctx, session.Record{ID: "c"})
		full, ok := errors.AsType[*session.FullError](err)
		if !ok || !errors.Is(err, session.ErrFull) || full.RetryAfter != 58*time.Second {
			t.Errorf("got %v, with %+v", err, full)
		}
		must(t, m.Delete(ctx, "a"))
		must(t, m.Create(ctx, session.Record{ID: "c", Initialized: true}))
		time.Sleep(time.Minute)
		must(t, m.Create(ctx, session.Record{ID: "d"})) // the idle ones make room
	})
}

// TestMemoryIsNotLockedByHandshakes: sessions that are never initialized make
// room for new ones, the oldest first, and none that is initialized does.
func TestMemoryIsNotLockedByHandshakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, m := context.Background(), session.NewMemory(session.MemoryOptions{Max: 3})
		must(t, m.Create(ctx, session.Record{ID: "client"}))
		must(t, m.Update(ctx, "client", initialized))
		time.Sleep(session.DefaultIdle / 2)
		for i := range 1000 {
			must(t, m.Create(ctx, session.Record{ID: fmt.Sprint(i)}))
			_, _ = m.Get(ctx, fmt.Sprint(i-1)) // use does not save it
		}
		for id, want := range map[string]error{"client": nil, "997": session.ErrNotFound, "998": nil, "999": nil} {
			if _, err := m.Get(ctx, id); !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", id, err, want)
			}
		}
		must(t, m.Update(ctx, "998", initialized))
		must(t, m.Update(ctx, "999", initialized))
		if err := m.Create(ctx, session.Record{ID: "stranger"}); !errors.Is(err, session.ErrFull) {
			t.Errorf("with sessions that are all in use: got %v", err)
		}
		time.Sleep(session.DefaultIdle / 2)
		if got := m.Len(); got != 3 {
			t.Errorf("%d sessions are left, want 3: each was just used", got)
		}
	})
}

func TestMemoryRefusesUnusableIDs(t *testing.T) {
	t.Parallel()
	ctx, m := context.Background(), session.NewMemory(session.MemoryOptions{})
	must(t, m.Create(ctx, session.Record{ID: "a", Principal: "first"}))
	for _, id := range []string{"", "a"} {
		if err := m.Create(ctx, session.Record{ID: id}); err == nil {
			t.Errorf("id %q was accepted", id)
		}
	}
	if r, err := m.Get(ctx, "a"); err != nil || r.Principal != "first" {
		t.Errorf("the first session is %+v, %v", r, err)
	}
}

func TestMemoryIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	ctx, m := context.Background(), session.NewMemory(session.MemoryOptions{Max: 50})
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			r := session.Record{ID: fmt.Sprint(i)}
			if err := m.Create(ctx, r); err != nil {
				return
			}
			_, _ = m.Get(ctx, r.ID)
			_ = m.Update(ctx, r.ID, initialized)
			_ = m.Delete(ctx, r.ID)
		})
	}
	wg.Wait()
	if got := m.Len(); got != 0 {
		t.Errorf("%d sessions are left", got)
	}
}

// TestMemoryUpdatesAreOneStep: of changes at once none is lost.
func TestMemoryUpdatesAreOneStep(t *testing.T) {
	t.Parallel()
	ctx, m := context.Background(), session.NewMemory(session.MemoryOptions{})
	must(t, m.Create(ctx, session.Record{ID: "a", Initialized: true}))
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			_ = m.Update(ctx, "a", func(r *session.Record) {
				r.Subscriptions = append(slices.Clip(r.Subscriptions), fmt.Sprint("x:", i))
			})
		})
	}
	wg.Wait()
	r, err := m.Get(ctx, "a")
	must(t, err)
	if got := len(slices.Compact(slices.Sorted(slices.Values(r.Subscriptions)))); got != 100 {
		t.Errorf("%d of 100 changes are left", got)
	}
}

func TestNewID(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		id := session.NewID()
		if seen[id] || len(id) < 26 {
			t.Fatalf("id %q is short or not new", id)
		}
		seen[id] = true
		for _, c := range id {
			if c < 0x21 || c > 0x7e {
				t.Fatalf("id %q holds %q, which is not visible ASCII", id, c)
			}
		}
	}
}

// unchanged changes nothing of a session, initialized ends its handshake.
func unchanged(*session.Record)     {}
func initialized(r *session.Record) { r.Initialized = true }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
