package server_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestChangeRightBehindSubscribe: who has the answer to subscribe misses no change, since the answer waits for the stream
// that tells of changes.
func TestChangeRightBehindSubscribe(t *testing.T) {
	bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
		h := f.open(t)
		l := f.listen(t, h)
		f.ask(t, h, "resources/subscribe", aboutDune)
		f.backend.tell("WatchPlace", "")
		if got := l.take(t); got != "resources/updated desk://books/dune/place" {
			t.Errorf("heard %q", got)
		}
	})
}

// TestSilentWatch: a backend that does not say that it has the call holds up one subscription for a quarter of a second,
// and no other one; one without a listener waits for nothing.
func TestSilentWatch(t *testing.T) {
	bubble(t, "WatchPlace: silent", func(t *testing.T, f *fixture) {
		waits := func(want time.Duration, params string) {
			t.Helper()
			h := f.open(t)
			if want >= 0 {
				f.listen(t, h)
			}
			began := time.Now()
			f.ask(t, h, "resources/subscribe", params)
			if took := time.Since(began); took != max(want, 0) {
				t.Errorf("it took %v, want %v", took, want)
			}
			synctest.Wait()
		}
		waits(-1, aboutDune)
		waits(250*time.Millisecond, aboutDune)
		waits(0, aboutEmma)
		waits(0, aboutDune)
	})
}
