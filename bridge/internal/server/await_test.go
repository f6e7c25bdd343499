package server_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
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

// TestSilentWatch: a backend that does not say that it has the call holds up one
// subscription for a quarter of a second, and no other one until it has said so
// in time; one without a listener waits for nothing.
func TestSilentWatch(t *testing.T) {
	bubble(t, "WatchPlace: silent", func(t *testing.T, f *fixture) {
		waits := func(want time.Duration, params string) {
			t.Helper()
			h := f.open(t)
			if want >= 0 {
				f.listen(t, h)
			}
			f.waits(t, h, max(want, 0), params)
		}
		waits(-1, aboutDune)
		waits(250*time.Millisecond, aboutDune)
		waits(0, aboutEmma)
		waits(0, aboutDune)
		f.backend.learn("WatchPlace: stream")
		waits(0, `{"uri":"desk://books/ulysses/place"}`)
		f.backend.learn("WatchPlace: silent")
		waits(250*time.Millisecond, `{"uri":"desk://books/walden/place"}`)
	})
}

// waits subscribes and wants the answer after so long.
func (f *fixture) waits(t *testing.T, h lifecycle.Headers, want time.Duration, params string) {
	t.Helper()
	began := time.Now()
	f.ask(t, h, "resources/subscribe", params)
	if took := time.Since(began); took != want {
		t.Errorf("it took %v, want %v", took, want)
	}
	synctest.Wait()
}

// TestChangeWhileListeningBegins: who has subscribed before it listens misses no change between the announcement that it gets first
// and the opening of a stream that takes longer.
func TestChangeWhileListeningBegins(t *testing.T) {
	bubble(t, "WatchPlace: silent", func(t *testing.T, f *fixture) {
		h := f.open(t)
		f.ask(t, h, "resources/subscribe", aboutDune)
		l := f.listen(t, h)
		time.Sleep(250 * time.Millisecond)
		if got := l.take(t); got != updatedDune {
			t.Errorf("at first %q", got)
		}
		time.Sleep(time.Second)
		if got := l.take(t); got != updatedDune {
			t.Errorf("once it is open %q", got)
		}
		l.close()
	})
}

// TestPatienceOfConversation: the subscriptions of one conversation wait together
// for a quarter of a second in each second, however many they are; what had not
// the whole time is not held to be silent.
func TestPatienceOfConversation(t *testing.T) {
	bubble(t, "WatchPlace: silent", func(t *testing.T, f *fixture) {
		h := f.open(t)
		f.listen(t, h)
		f.waits(t, h, 250*time.Millisecond, aboutDune)
		f.backend.learn("WatchPlace: stream")
		f.waits(t, h, 0, aboutEmma)
		f.backend.learn("WatchPlace: silent")
		for book := range 10 {
			f.waits(t, h, 0, fmt.Sprintf(`{"uri":"desk://books/%d/place"}`, book))
		}
		time.Sleep(time.Second)
		f.waits(t, h, 250*time.Millisecond, `{"uri":"desk://books/walden/place"}`)
	})
}

// TestLateWatch: a change between an answer that came first and the opening of
// the watch is heard: once the watch counts as open, an update is told, of a
// resource for which nobody has waited long enough or at all; and only then.
func TestLateWatch(t *testing.T) {
	bubble(t, "WatchPlace: silent", func(t *testing.T, f *fixture) {
		h := f.open(t)
		l := f.listen(t, h)
		for i, uri := range []string{dune, emma} {
			f.waits(t, h, time.Duration(1-i)*250*time.Millisecond, `{"uri":"`+uri+`"}`)
			if got := l.take(t); got != "" {
				t.Errorf("%s: heard %q before the watch is open", uri, got)
			}
			time.Sleep(time.Second)
			if got := l.take(t); got != "resources/updated "+uri {
				t.Errorf("%s: heard %q", uri, got)
			}
		}
		other := f.open(t)
		second := f.listen(t, other)
		f.ask(t, other, "resources/subscribe", aboutDune) // which is open
		time.Sleep(time.Second)
		if got := l.take(t) + second.take(t); got != "" {
			t.Errorf("heard %q of a watch that was open", got)
		}
	})
}
