package session_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/session"
)

// TestMemoryIsNotLockedByStrangers: whoever fills the store with sessions that he
// leaves keeps others out for a short time, and takes none from a client that
// uses its own.
func TestMemoryIsNotLockedByStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const room = 100
		ctx, m := context.Background(), session.NewMemory(session.MemoryOptions{Max: room})
		must(t, m.Create(ctx, session.Record{ID: "client", Initialized: true}))
		flood := func(wave int) (opened int, err error) {
			for i := range 10 * room {
				if err = m.Create(ctx, session.Record{ID: fmt.Sprint(wave, " ", i)}); err != nil {
					return i, err
				}
				must(t, m.Update(ctx, fmt.Sprint(wave, " ", i), initialized))
			}
			return 10 * room, nil
		}
		opened, err := flood(0)
		full, _ := errors.AsType[*session.FullError](err)
		if opened != room-1 || full == nil || full.RetryAfter != session.DefaultReclaim {
			t.Fatalf("%d sessions were opened, then %v with %+v", opened, err, full)
		}
		for wave := range 10 {
			for range 8 { // as often as a stream is kept alive
				time.Sleep(session.DefaultReclaim / 8)
				_, err := m.Get(ctx, "client")
				must(t, err)
			}
			must(t, m.Create(ctx, session.Record{ID: fmt.Sprint("late ", wave)}))
			must(t, m.Update(ctx, fmt.Sprint("late ", wave), initialized))
			if opened, _ = flood(wave + 1); opened != room-2 {
				t.Errorf("wave %d: %d sessions were opened", wave, opened)
			}
		}
		if got := m.Len(); got != room {
			t.Errorf("%d sessions are open", got)
		}
	})
}

// TestMemoryReclaims: the longest unused session gives way, at its time and not
// before, and one that is not initialized before all others.
func TestMemoryReclaims(t *testing.T) {
	for name, tt := range map[string]struct {
		opts session.MemoryOptions
		want time.Duration
	}{
		"by default":    {session.MemoryOptions{}, session.DefaultReclaim},
		"as configured": {session.MemoryOptions{Reclaim: time.Minute}, time.Minute},
		"at most Idle":  {session.MemoryOptions{Reclaim: time.Hour, Idle: 10 * time.Second}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.opts.Max = 3
				ctx, m := context.Background(), session.NewMemory(tt.opts)
				for _, id := range []string{"a", "b", "c"} {
					must(t, m.Create(ctx, session.Record{ID: id, Initialized: true}))
					time.Sleep(time.Second)
				}
				_, err := m.Get(ctx, "a") // b is now the longest unused
				must(t, err)
				time.Sleep(tt.want - 3*time.Second) // b is 2 s older
				full, ok := errors.AsType[*session.FullError](m.Create(ctx, session.Record{ID: "d"}))
				if !ok || full.RetryAfter != time.Second {
					t.Fatalf("got %+v, want that there is room in 1 s", full)
				}
				time.Sleep(full.RetryAfter)
				must(t, m.Create(ctx, session.Record{ID: "d"}))
				must(t, m.Create(ctx, session.Record{ID: "e"}))
				for id, want := range map[string]error{"a": nil, "b": session.ErrNotFound, "c": nil, "d": session.ErrNotFound, "e": nil} {
					if _, err := m.Get(ctx, id); !errors.Is(err, want) {
						t.Errorf("%s: got %v, want %v", id, err, want)
					}
				}
			})
		})
	}
}

// TestLimitsBelowZero: they are the defaults.
func TestLimitsBelowZero(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := session.NewMemory(session.MemoryOptions{Idle: -1, Handshake: -1, Reclaim: -1, Max: -1})
		for _, r := range []session.Record{{ID: "open", Initialized: true}, {ID: "half"}} {
			if err := m.Create(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(session.DefaultHandshake)
		if _, err := m.Get(t.Context(), "half"); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("after the handshake's time: %v", err)
		}
		time.Sleep(session.DefaultIdle - session.DefaultHandshake - 1)
		if _, err := m.Get(t.Context(), "open"); err != nil {
			t.Error(err)
		}
	})
}
