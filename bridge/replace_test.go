package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/services/conformance"
	"github.com/mcpgrpc/bridge/services/echo"
)

// TestReplaceUnderLoad replaces the backend again and again under 200 calls a second: no call is lost, and each connection
// but the last is released once, after its last call.
func TestReplaceUnderLoad(t *testing.T) {
	t.Parallel()
	conn := startServices(t)
	first := lend(t, conn)
	b := newBridge(t, []bridge.Backend{first.backend("books")})
	url := serveHTTP(t, b)
	var callers sync.WaitGroup
	var lost, made atomic.Int64
	stop := make(chan struct{})
	call := func(i int) {
		made.Add(1)
		r, err := b.Call(t.Context(), "library_get_book", []byte(`{"name":"books/dune"}`))
		if err != nil || r.IsError {
			lost.Add(1)
			t.Errorf("call %d: %v %+v", i, err, r)
		}
	}
	callers.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				callers.Go(func() { call(i) })
			}
		}
	})
	for _, version := range revisions[3:] {
		c := httpClient(t, url, version)
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(10 * time.Millisecond):
				}
				if r := c.call(t, "library_get_book", `{"name":"books/dune"}`); r.IsError {
					lost.Add(1)
				}
			}
		})
	}
	lentOut := []*lent{first}
	for range 30 {
		next := lend(t, conn)
		if err := b.Replace(t.Context(), []bridge.Backend{next.backend("books")}); err != nil {
			t.Error(err)
		}
		lentOut = append(lentOut, next)
		time.Sleep(20 * time.Millisecond)
	}
	close(stop)
	callers.Wait()
	if lost.Load() > 0 || made.Load() == 0 {
		t.Errorf("%d of %d calls are lost", lost.Load(), made.Load())
	}
	last := len(lentOut) - 1
	checkReleases(t, lentOut[:last], 1)
	checkReleases(t, lentOut[last:], 0)
	for range 2 {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	checkReleases(t, lentOut, 1)
	if _, err := b.Call(t.Context(), "library_get_book", nil); err == nil {
		t.Error("a call was taken after the end")
	}
}

func checkReleases(t *testing.T, all []*lent, want int) {
	t.Helper()
	for i, l := range all {
		if n := l.releases(); n != want {
			t.Errorf("connection %d was released %d times, want %d", i, n, want)
		}
	}
}

// TestReplaceWaitsForCalls: a connection is not released as long as a call lasts that began before, and calls that come later
// do not keep it.
func TestReplaceWaitsForCalls(t *testing.T) {
	t.Parallel()
	conn := startServices(t)
	old, next := lend(t, conn), lend(t, conn)
	old.gate = make(chan struct{})
	b := newBridge(t, []bridge.Backend{old.backend("a")})
	get := func() {
		if r, err := b.Call(t.Context(), "library_get_book", []byte(`{"name":"books/dune"}`)); err != nil || r.IsError {
			t.Errorf("%v %+v", err, r)
		}
	}
	var running sync.WaitGroup
	running.Go(get)
	until(t, func() bool { return old.count() > 0 })
	if err := b.Replace(t.Context(), []bridge.Backend{next.backend("a")}); err != nil {
		t.Fatal(err)
	}
	get()
	if err := b.Replace(t.Context(), []bridge.Backend{lend(t, conn).backend("a")}); err != nil {
		t.Fatal(err)
	}
	checkReleases(t, []*lent{old, next}, 0) // the call may still use either
	close(old.gate)
	running.Wait()
	checkReleases(t, []*lent{old, next}, 1)
}

// TestReplaceRefused: nothing changes, and what was new is released, unless it is in use.
func TestReplaceRefused(t *testing.T) {
	t.Parallel()
	conn := startServices(t)
	down := &changing{err: errors.New("connection refused")}
	for name, tt := range map[string]struct {
		change func(b *bridge.Backend)
		want   string
	}{
		"settings":    {func(b *bridge.Backend) { b.Deadline = -1 }, "deadline"},
		"quota":       {func(b *bridge.Backend) { b.Quota.Burst = 3 }, "burst"},
		"header":      {func(b *bridge.Backend) { b.ForwardHeaders = []bridge.ForwardedHeader{{Header: "Authorization"}} }, "Authorization"},
		"descriptors": {func(b *bridge.Backend) { b.Descriptors = down }, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old, next := lend(t, conn), lend(t, conn)
			b := newBridge(t, []bridge.Backend{old.backend("books")})
			again, fresh := old.backend("books"), next.backend("books")
			tt.change(&again)
			tt.change(&fresh)
			for _, refused := range []bridge.Backend{again, fresh} {
				if err := b.Replace(t.Context(), []bridge.Backend{refused}); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
			}
			checkReleases(t, []*lent{old}, 0)
			checkReleases(t, []*lent{next}, 1)
			if r, err := b.Call(t.Context(), "library_get_book", []byte(`{"name":"books/dune"}`)); err != nil || r.IsError {
				t.Errorf("%v %+v", err, r)
			}
		})
	}
	b := newBridge(t, []bridge.Backend{lend(t, conn).backend("books")})
	if err := b.Replace(t.Context(), nil); err == nil {
		t.Error("no backend at all was taken")
	}
}

// TestReplaceKeeps: what has not changed is not read again and keeps its connection, also when the other of two goes; a
// connection that goes over to another backend is kept too.
func TestReplaceKeeps(t *testing.T) {
	t.Parallel()
	conn := startServices(t)
	stays, goes := lend(t, conn), lend(t, conn)
	source := &changing{source: libraryOnly}
	same := stays.backend("books")
	same.Descriptors = source
	other := goes.backend("echo")
	other.Descriptors = echoOnly
	b := newBridge(t, []bridge.Backend{same, other})
	read := source.loads.Load()
	if err := b.Replace(t.Context(), []bridge.Backend{same}); err != nil {
		t.Fatal(err)
	}
	if got := source.loads.Load(); got != read || prefixes(b) != "library" {
		t.Errorf("read %d times more; serves %q", got-read, prefixes(b))
	}
	checkReleases(t, []*lent{goes}, 1)
	changed := same
	changed.Name, changed.Deadline = "again", time.Minute
	if err := b.Replace(t.Context(), []bridge.Backend{changed}); err != nil {
		t.Fatal(err)
	}
	if got := source.loads.Load(); got != read+1 {
		t.Errorf("what has changed was read %d times more", got-read)
	}
	checkReleases(t, []*lent{stays}, 0)
	b.Close()
	checkReleases(t, []*lent{stays, goes}, 1)
}

// TestReplaceAtOnce: of several at once, and reloads beside them, each is whole, and nothing is released twice or never.
func TestReplaceAtOnce(t *testing.T) {
	t.Parallel()
	conn := startServices(t)
	first := lend(t, conn)
	b := newBridge(t, []bridge.Backend{first.backend("books")})
	all := []*lent{first}
	for range 12 {
		all = append(all, lend(t, conn))
	}
	var running sync.WaitGroup
	for i, l := range all[1:] {
		running.Go(func() {
			if err := b.Replace(t.Context(), []bridge.Backend{l.backend(fmt.Sprint("books", i%3))}); err != nil {
				t.Error(err)
			}
		})
		running.Go(func() {
			if err := b.Reload(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	left := 0
	for _, l := range all {
		left += 1 - l.releases()
	}
	if left != 1 {
		t.Errorf("%d connections are not released, want the one that is served", left)
	}
	b.Close()
	checkReleases(t, all, 1)
}

// TestReplaceAndTheEnd: a Replace that Close meets ends with an error, and what it brought is released; so is that of one which
// comes behind it, or gives up waiting for its turn.
func TestReplaceAndTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second, third, fourth := lend(t, nil), lend(t, nil), lend(t, nil), lend(t, nil)
		b, err := bridge.New(t.Context(), []bridge.Backend{first.backend("books")})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			hangs := second.backend("books")
			hangs.Descriptors = slow{time.Hour, libraryOnly}
			ended <- b.Replace(t.Context(), []bridge.Backend{hangs})
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.Replace(ctx, []bridge.Backend{third.backend("books")}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who could not wait got %v", err)
		}
		checkReleases(t, []*lent{third}, 1)
		checkReleases(t, []*lent{first, second}, 0)
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err == nil {
			t.Error("the end was not told of")
		}
		if err := b.Replace(t.Context(), []bridge.Backend{fourth.backend("books")}); err == nil {
			t.Error("a bridge was changed after its end")
		}
		checkReleases(t, []*lent{first, second, third, fourth}, 1)
	})
}

// TestReplaceDuringTheFirstReading: it does not wait for what New has left behind, and nothing of that is served later.
func TestReplaceDuringTheFirstReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late, next := lend(t, nil), lend(t, nil)
		hangs := late.backend("late")
		hangs.Descriptors = slow{time.Hour, libraryOnly}
		log := new(logbook)
		b, err := bridge.New(t.Context(), []bridge.Backend{hangs, {Name: "fast", Conn: noConn{}, Descriptors: echoOnly}},
			bridge.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		log.read()
		began := time.Now()
		if err := b.Replace(t.Context(), []bridge.Backend{next.backend("next")}); err != nil || time.Since(began) > 0 {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
		checkReleases(t, []*lent{late}, 1)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got, text := prefixes(b), log.read(); got != "library" || strings.Contains(text, "late") {
			t.Errorf("serves %q and logged %q", got, text)
		}
	})
}

// flaky is a source that fails some times before it answers.
type flaky struct {
	fails  atomic.Int64
	source descriptor.Source
}

func failing(times int64, source descriptor.Source) *flaky {
	f := &flaky{source: source}
	f.fails.Store(times)
	return f
}

func (f *flaky) Load(ctx context.Context) (*descriptor.Set, error) {
	if f.fails.Add(-1) >= 0 {
		return nil, errors.New("connection refused")
	}
	return f.source.Load(ctx)
}

// TestReplaceKeepsToolsOfTheUnread: a backend whose settings have changed while it is down keeps its tools; one that is slow
// does not hold up the other. Both are read on until they have been.
func TestReplaceKeepsToolsOfTheUnread(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]descriptor.Source{
		"down": failing(5, conformanceOnly),
		"slow": slow{3 * time.Second, conformanceOnly},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log := new(logbook)
				books := bridge.Backend{Name: "books", Conn: noConn{}, Descriptors: libraryOnly}
				b, err := bridge.New(t.Context(), []bridge.Backend{books}, bridge.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
				if err != nil {
					t.Fatal(err)
				}
				defer b.Close()
				books.Deadline, books.Descriptors = time.Minute, source
				began := time.Now()
				if err := b.Replace(t.Context(), []bridge.Backend{books, {Name: "echo", Conn: noConn{}, Descriptors: echoOnly}}); err != nil {
					t.Fatal(err)
				}
				if got := prefixes(b); got != "echo library" || time.Since(began) > 2*time.Second {
					t.Errorf("serves %q after %v", got, time.Since(began))
				}
				if text := log.read(); !strings.Contains(text, "trying again") || !strings.Contains(text, "backend=books") {
					t.Errorf("logged %q", text)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := prefixes(b); strings.Contains(got, "library") || !strings.Contains(got, "echo") {
					t.Errorf("serves %q", got)
				}
			})
		})
	}
}

// TestReplaceMovesWatches: a resource that a client subscribes to is watched over the connection that is served, and that
// before is released; a watch that stays where it is keeps no other from being released.
func TestReplaceMovesWatches(t *testing.T) {
	t.Parallel()
	conn := startServices(t, conformance.New(), echo.New())
	old, next, other := lend(t, conn), lend(t, conn), lend(t, conn)
	backend := func(l *lent, name string, source descriptor.Source) bridge.Backend {
		one := l.backend(name)
		one.Descriptors = source
		return one
	}
	source := &changing{source: conformanceOnly}
	b := newBridge(t, []bridge.Backend{backend(old, "c", source), backend(other, "e", echoOnly)})
	subscribe(t, b, "test://watched-resource")
	until(t, func() bool { return old.count() > 0 })
	if err := b.Replace(t.Context(), []bridge.Backend{backend(next, "c", source), backend(other, "e", echoOnly)}); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return old.releases() == 1 && next.count() > 0 })
	if err := b.Replace(t.Context(), []bridge.Backend{backend(next, "c", source)}); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return other.releases() == 1 })
	if n := next.count(); n != 1 {
		t.Errorf("a watch that stays where it is was opened %d times", n)
	}
	b.Close()
	checkReleases(t, []*lent{old, next, other}, 1)
}

// subscribe subscribes to a resource on a stdio stream that lasts as long as the test.
func subscribe(t *testing.T, b *bridge.Bridge, uri string) {
	t.Helper()
	in, client := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- b.ServeStdio(context.WithoutCancel(t.Context()), in, io.Discard) }()
	t.Cleanup(func() {
		client.Close()
		if err := <-ended; err != nil {
			t.Errorf("stdio ended with %v", err)
		}
	})
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c",` +
			`"version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"` + uri + `"}}`,
	} {
		if _, err := io.WriteString(client, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
}

// until waits for what comes soon, or fails.
func until(t *testing.T, done func() bool) {
	t.Helper()
	for range 2000 {
		if done() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("it never came")
}
