package server_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// TestOneWatchForAll: however many want to know of a resource, its backend has
// one stream to fill, which ends when the last of them leaves.
func TestOneWatchForAll(t *testing.T) {
	bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
		var all []*listener
		for range 20 {
			h := f.open(t)
			f.ask(t, h, "resources/subscribe", aboutDune)
			f.ask(t, h, "resources/subscribe", aboutEmma)
			all = append(all, f.listen(t, h))
		}
		if n := f.backend.open("WatchPlace"); n != 2 {
			t.Errorf("%d streams are open for two resources", n)
		}
		for _, l := range all[1:] {
			l.close()
		}
		synctest.Wait()
		if n := f.backend.open("WatchPlace"); n != 2 {
			t.Errorf("%d streams are open while one client listens", n)
		}
		all[0].close()
		synctest.Wait()
		if n := f.backend.open("WatchPlace"); n != 0 {
			t.Errorf("%d streams are open for nobody", n)
		}
	})
}

// TestPauses: a watch that cannot be opened is tried again after 1 s, 2 s, 4 s …
// 30 s and up to half as much more; it is logged once as a warning, and nobody is
// told of updates that nobody knows of.
func TestPauses(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		f := newFixtureOf(t, desk, "WatchPlace: UNAVAILABLE the desk is closed", slog.New(slog.NewTextHandler(&log, nil)))
		h := f.open(t)
		l := f.listen(t, h)
		f.ask(t, h, "resources/subscribe", aboutDune)
		const step = 10 * time.Millisecond // by which an attempt is seen late
		for _, seconds := range []int{1, 2, 4, 8, 16, 30, 30} {
			pause := time.Duration(seconds) * time.Second
			synctest.Wait()
			if n := len(f.backend.takeNotes()); n != 1 {
				t.Fatalf("%d attempts before the pause of %v", n, pause)
			}
			time.Sleep(pause - step)
			synctest.Wait()
			if n := len(f.backend.takeNotes()); n != 0 {
				t.Fatalf("an attempt after less than %v", pause)
			}
			for limit, waited := pause/2+step, time.Duration(0); f.attempts() == 0 && waited <= limit; waited += step {
				time.Sleep(step)
				synctest.Wait()
			}
		}
		if got := l.take(t); got != "" {
			t.Errorf("told of %s", got)
		}
		if n := strings.Count(log.String(), "level=WARN"); n != 1 || strings.Contains(log.String(), "dune") ||
			!strings.Contains(log.String(), "backend=shelf method=desk.v1.DeskService.WatchPlace") {
			t.Errorf("%d warnings: %s", n, log.String())
		}
		l.close()
	})
}

// attempts returns how many calls the backend has noted, without taking them.
func (f *fixture) attempts() int {
	f.backend.mu.Lock()
	defer f.backend.mu.Unlock()
	return len(f.backend.notes)
}

// TestStreamAfterStream: a backend that ends its stream after each message is
// followed all the same, and each of its messages is heard.
func TestStreamAfterStream(t *testing.T) {
	bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
		h := f.open(t)
		l := f.listen(t, h)
		f.ask(t, h, "resources/subscribe", aboutDune)
		for i := range 20 {
			f.backend.tell("WatchPlace", "")
			f.backend.tell("WatchPlace", "OK")
			if got := l.take(t); got != updatedDune {
				t.Fatalf("message %d: %q", i, got)
			}
			time.Sleep(50 * time.Second)
			if got := l.take(t); got != updatedDune { // for what may have been missed
				t.Fatalf("after stream %d: %q", i, got)
			}
		}
		l.close()
	})
}

// TestManyWatches: a backend has so many watches and no more; behind that is a
// clear error, and a warning where a client cannot be told.
func TestManyWatches(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		f := newFixtureOf(t, desk, "WatchPlace: stream", slog.New(slog.NewTextHandler(&log, nil)))
		ctx, leave := context.WithCancel(context.Background())
		listen := func(client int) *tape {
			var uris []string
			for book := range 16 {
				uris = append(uris, fmt.Sprintf(`"desk://books/%d-%d/place"`, client, book))
			}
			heard := &tape{}
			call := f.server.Admit(ctx, f.gate.Stream(),
				decode(t, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":[`+
					strings.Join(uris, ",")+`]},`+modernMeta+`}}`), heard)
			go call.Run()
			synctest.Wait()
			return heard
		}
		for client := range 4 {
			listen(client)
		}
		if n := f.backend.open("WatchPlace"); n != 64 {
			t.Errorf("%d streams are open", n)
		}
		late := listen(4)
		if len(late.messages) != 1 || strings.Contains(late.messages[0], "desk://") {
			t.Errorf("honoured: %s", late.messages)
		}
		h := f.open(t)
		reply := f.post(t, h, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":`+aboutDune+`}`)
		if a := read(t, reply.Body); a.Error == nil || a.Error.Code != -32603 ||
			!strings.Contains(a.Error.Message, `64 resources of the backend "shelf" are watched`) {
			t.Errorf("got %s", reply.Body)
		}
		f.ask(t, h, "resources/subscribe", `{"uri":"desk://books/0-0/place"}`) // which is watched already
		elsewhere, _ := f.gate.Open(ctx, h, "")
		if refusal := elsewhere.Subscribe(ctx, dune); refusal != nil {
			t.Fatal(refusal.Error)
		}
		f.listen(t, h).close()
		if n := strings.Count(log.String(), "not told of updates"); n != 1 {
			t.Errorf("the log has: %s", log.String())
		}
		leave()
		synctest.Wait()
		if n := f.backend.open("WatchPlace"); n != 0 {
			t.Errorf("%d streams are left open", n)
		}
	})
}

// TestCatalogMoves: after a change of the catalog that is no change of the call a
// stream goes on; where the resource has gone it ends, and comes back with it.
func TestCatalogMoves(t *testing.T) {
	bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
		h := f.open(t)
		l := f.listen(t, h)
		f.ask(t, h, "resources/subscribe", aboutDune)
		f.backend.takeNotes()
		f.swap(t, "*.ShowCover")
		synctest.Wait()
		if notes := f.backend.takeNotes(); len(notes) > 0 {
			t.Errorf("the stream was disturbed: %s", notes)
		}
		f.swap(t, "*.GetPlace", "*.WatchPlace")
		synctest.Wait()
		if n := f.backend.open("WatchPlace"); n != 0 {
			t.Errorf("%d streams are open for a resource that is gone", n)
		}
		l.take(t)
		f.swap(t)
		time.Sleep(2 * time.Second)
		if got := l.take(t); got != "resources/list_changed, "+updatedDune {
			t.Errorf("got %s", got)
		}
		l.close()
	})
}

// TestCloseEndsWatches: Close waits for the watches, and nothing begins after it.
func TestCloseEndsWatches(t *testing.T) {
	bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
		h := f.open(t)
		f.ask(t, h, "resources/subscribe", aboutDune)
		l := f.listen(t, h)
		f.server.Close()
		f.server.Close()
		if err := l.close(); err != nil && err.Error() != server.ErrStopped.Error() {
			t.Error(err)
		}
		f.server.Changed()
		late := f.listen(t, h)
		late.close()
		if n := f.backend.open("WatchPlace"); n != 0 {
			t.Errorf("%d streams are open", n)
		}
	})
}
