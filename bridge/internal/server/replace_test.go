package server_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// epochs counts who uses which of the catalogs that were served one after another.
type epochs struct {
	mu      sync.Mutex
	current int
	users   map[int]int
	empty   func(before int) // told, locked, of the first epoch that somebody is in
}

func (e *epochs) enter() (leave func(), open bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one := e.current
	e.users[one]++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.users[one]--; e.users[one] == 0 {
			delete(e.users, one)
		}
		e.tell()
	}, true
}

// next begins another epoch.
func (e *epochs) next() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current++
	e.tell()
}

// tell tells of the first epoch that somebody is in; the caller holds mu.
func (e *epochs) tell() {
	before := e.current
	for one := range e.users {
		before = min(before, one)
	}
	if e.empty != nil {
		e.empty(before)
	}
}

// String writes the users of each epoch.
func (e *epochs) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprint(e.users)
}

// replaceable is a fixture whose backends can be replaced.
type replaceable struct {
	*fixture
	*epochs
}

// newReplaceable builds a fixture over the desk that is served by the connection of its backend.
func newReplaceable(t *testing.T, script string) *replaceable {
	t.Helper()
	f := &replaceable{newFixtureOf(t, desk, script, nil), &epochs{users: map[int]int{}}}
	f.server = server.New(server.Config{Gate: f.gate, Catalog: f.offered.Load, Enter: f.enter})
	t.Cleanup(f.server.Close)
	return f
}

// over makes a catalog of the desk over a connection.
func (f *replaceable) over(t *testing.T, name string, conn grpc.ClientConnInterface, origin any, hide ...string) *catalog.Catalog {
	t.Helper()
	b, err := backend.New(backend.Config{Name: name, Conn: conn, Origin: origin})
	if err != nil {
		t.Fatal(err)
	}
	source := catalog.Source{Backend: b, Set: f.backend.set, Hide: hide}
	offered, err := catalog.Compile([]catalog.Source{source}, catalog.Options{Features: lifecycle.AllFeatures()})
	if err != nil {
		t.Fatal(err)
	}
	return offered
}

// replace puts a catalog in the place of that before, in the order in which it is to be done.
func (f *replaceable) replace(next *catalog.Catalog) {
	f.offered.Store(next)
	f.next()
	f.server.Changed()
}

// wantUsers holds the users of the epochs against the wanted.
func (f *replaceable) wantUsers(t *testing.T, want string) {
	t.Helper()
	synctest.Wait()
	if got := f.String(); got != "map["+want+"]" {
		t.Errorf("epochs have the users %s, want %s", got, want)
	}
}

// TestWatchesMove: when backends are replaced, a watch goes on over the connection that has its resource now, and lets go
// of the other at once, whatever that does; what it may have missed is said. Over a connection that stays nothing happens,
// and nothing holds what was served before.
func TestWatchesMove(t *testing.T) {
	for name, tt := range map[string]struct{ first, second string }{
		"both speak":               {"WatchPlace: stream", "WatchPlace: stream"},
		"neither says that it has": {"WatchPlace: silent", "WatchPlace: silent"},
		"the first hangs":          {"WatchPlace: hangs", "WatchPlace: stream"},
		"the first refuses":        {"WatchPlace: UNAVAILABLE gone", "WatchPlace: stream"},
	} {
		t.Run(name, func(t *testing.T) {
			loadAll(t)
			synctest.Test(t, func(t *testing.T) {
				f := newReplaceable(t, tt.first)
				other := newScripted(t, desk, tt.second)
				conn := other.serve(t)
				f.replace(f.over(t, "shelf", f.conn, "first"))
				h := f.open(t)
				l := f.listen(t, h)
				f.ask(t, h, "resources/subscribe", aboutDune)
				time.Sleep(time.Second)
				l.take(t)

				f.replace(f.over(t, "shelf", f.conn, "first", "*.ShowCover")) // as a reload does
				before := f.backend.open("WatchPlace")
				if got := l.take(t); got != toolsChanged {
					t.Errorf("told of %s", got)
				}
				f.replace(f.over(t, "shelf", conn, "second"))
				time.Sleep(time.Second)
				f.wantUsers(t, "3:1")
				if first, second := f.backend.open("WatchPlace"), other.open("WatchPlace"); first != 0 || second != 1 {
					t.Errorf("of %d streams to the first %d are open, and %d to the second", before, first, second)
				}
				if got := l.take(t); got != toolsChanged+", "+updatedDune {
					t.Errorf("told of %s", got)
				}
				other.tell("WatchPlace", "")
				if got := l.take(t); got != updatedDune {
					t.Errorf("told of %q by the second", got)
				}
				l.close()
				f.wantUsers(t, "")
			})
		})
	}
}

// TestWatchesStay: a stream goes on over a connection that stays while others are replaced, and counts as one of what is
// served now.
func TestWatchesStay(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		f := newReplaceable(t, "WatchPlace: stream")
		f.replace(f.over(t, "shelf", f.conn, "first"))
		h := f.open(t)
		l := f.listen(t, h)
		f.ask(t, h, "resources/subscribe", aboutDune)
		f.wantUsers(t, "1:1")
		f.backend.takeNotes()
		for epoch := range 5 {
			f.replace(f.over(t, "shelf", f.conn, "first"))
			f.wantUsers(t, fmt.Sprintf("%d:1", epoch+2))
		}
		if notes := f.backend.takeNotes(); len(notes) > 0 {
			t.Errorf("the stream was disturbed: %s", notes)
		}
		f.replace(f.over(t, "desk", f.conn, "first")) // of another name, and so another backend
		f.wantUsers(t, "7:1")
		if n := f.backend.open("WatchPlace"); n != 1 {
			t.Errorf("%d streams are open", n)
		}
		l.close()
	})
}

// TestWatchesEnd: a backend that goes takes the streams to it along, also where somebody still wants to know of its
// resources, who is told when they come back.
func TestWatchesEnd(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		f := newReplaceable(t, "WatchPlace: stream")
		h := f.open(t)
		l := f.listen(t, h)
		f.ask(t, h, "resources/subscribe", aboutDune)
		f.ask(t, h, "resources/subscribe", aboutEmma)
		f.wantUsers(t, "0:2")
		f.replace(f.over(t, "other", nil, nil, "*.GetPlace", "*.WatchPlace"))
		f.wantUsers(t, "")
		if n := f.backend.open("WatchPlace"); n != 0 {
			t.Errorf("%d streams are open to a backend that is gone", n)
		}
		time.Sleep(time.Hour) // in which they are looked for now and then
		f.wantUsers(t, "")
		l.take(t)
		f.replace(f.over(t, "shelf", f.conn, nil))
		time.Sleep(time.Second)
		f.wantUsers(t, "2:2")
		told := strings.Split(l.take(t), ", ") // in the order in which the streams were open
		slices.Sort(told)
		if diff := cmp.Diff([]string{"resources/list_changed", updatedDune, "resources/updated " + emma}, told); diff != "" {
			t.Errorf("told of (-want +got):\n%s", diff)
		}
		l.close()
	})
}

// released is a connection of which it is known when nobody may use it any more.
type released struct {
	grpc.ClientConnInterface
	open     atomic.Int64
	released atomic.Bool
	late     *atomic.Int64 // uses of connections that were released
}

// NewStream implements grpc.ClientConnInterface with a stream that lasts until its context ends.
func (r *released) NewStream(ctx context.Context, _ *grpc.StreamDesc, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	if r.released.Load() {
		r.late.Add(1)
	}
	return lasting{ctx: ctx, conn: r}, nil
}

// lasting is such a stream.
type lasting struct {
	grpc.ClientStream
	ctx  context.Context
	conn *released
}

func (lasting) SendMsg(any) error            { return nil }
func (lasting) CloseSend() error             { return nil }
func (lasting) Header() (metadata.MD, error) { return metadata.MD{}, nil }

// RecvMsg implements grpc.ClientStream.
func (s lasting) RecvMsg(any) error {
	s.conn.open.Add(1)
	<-s.ctx.Done()
	if s.conn.released.Load() {
		s.conn.late.Add(1)
	}
	s.conn.open.Add(-1)
	return s.ctx.Err()
}

// TestWatchesUnderReplacement: clients come and go while connections are replaced again and again; none of those is used
// when nobody is left in the epochs that had it.
func TestWatchesUnderReplacement(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	f, late := newReplaceable(t, ""), new(atomic.Int64)
	var conns []*released // by epoch; under the lock of epochs
	done := 0
	f.empty = func(before int) {
		for ; done < before && done < len(conns); done++ {
			if conns[done].open.Load() > 0 {
				late.Add(1)
			}
			conns[done].released.Store(true)
		}
	}
	add := func() *catalog.Catalog {
		conn := &released{late: late}
		f.mu.Lock()
		conns = append(conns, conn)
		f.mu.Unlock()
		return f.over(t, "shelf", conn, conn)
	}
	f.offered.Store(add())
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for client := range 8 {
		random := rand.New(rand.NewPCG(seed, uint64(client)))
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				ctx, leave := context.WithTimeout(t.Context(), time.Duration(random.IntN(5))*time.Millisecond)
				wanted := fmt.Sprintf(`{"resourceSubscriptions":["desk://books/%d/place"]}`, random.IntN(4))
				text := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":` + wanted + `,` + modernMeta + `}}`
				f.server.Admit(ctx, f.gate.Stream(), decode(t, text), &tape{gone: sometimes(random)}).Run()
				leave()
			}
		})
	}
	for range 50 {
		f.replace(add())
		time.Sleep(time.Millisecond)
	}
	close(stop)
	clients.Wait()
	f.server.Close()
	f.next()
	if n := late.Load(); n > 0 || done != len(conns) || f.String() != "map[]" {
		t.Errorf("%d uses of connections that were released; of %d connections %d were; left are %s", n, len(conns), done, f.epochs)
	}
}

// sometimes returns an error now and then.
func sometimes(random *rand.Rand) error {
	if random.IntN(8) == 0 {
		return errors.New("the client has left")
	}
	return nil
}
