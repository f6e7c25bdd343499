package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// tape is a client's end of a stream. While shut it does not read, and after
// cut it has left.
type tape struct {
	mu       sync.Mutex
	messages []string
	gate     chan struct{} // nil, or closed when the client reads again
	gone     error
}

// Send implements server.Sink.
func (s *tape) Send(ctx context.Context, message []byte) error {
	s.mu.Lock()
	gate, gone := s.gate, s.gone
	s.mu.Unlock()
	if gone != nil {
		return gone
	}
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, string(message))
	return nil
}

// shut has the client stop to read, until the function is called.
func (s *tape) shut() (open func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gate := make(chan struct{})
	s.gate = gate
	return func() { close(gate) }
}

// cut has the client leave.
func (s *tape) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = errors.New("the client has left")
}

// take returns what has come since it was called last, each message as its
// method and, of an update, the URI.
func (s *tape) take(t *testing.T) string {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var heard []string
	for _, text := range s.messages {
		msg := decode(t, text)
		raw, _ := jsonrpc.Find(msg.Params, "uri")
		uri, _ := jsonrpc.Unquote(raw)
		heard = append(heard, strings.TrimSpace(strings.TrimPrefix(msg.Method, "notifications/")+" "+uri))
	}
	s.messages = nil
	return strings.Join(heard, ", ")
}

// listener is a GET of a legacy session.
type listener struct {
	tape
	leave context.CancelFunc
	end   chan error
}

// listen opens a GET in the session of the headers.
func (f *fixture) listen(t *testing.T, h lifecycle.Headers) *listener {
	t.Helper()
	conn, refusal := f.gate.Open(context.Background(), h, "")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	ctx, leave := context.WithCancel(context.Background())
	t.Cleanup(leave) // a listener that a failed test leaves behind would keep its bubble going
	l := &listener{leave: leave, end: make(chan error, 1)}
	go func() { l.end <- f.server.Listen(ctx, conn, l) }()
	synctest.Wait()
	return l
}

// close has the client leave, and returns how Listen has ended.
func (l *listener) close() error {
	l.leave()
	return <-l.end
}

// ask sends a request by POST and wants a result.
func (f *fixture) ask(t *testing.T, h lifecycle.Headers, method, params string) {
	t.Helper()
	reply := f.post(t, h, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
	if a := read(t, reply.Body); a.Error != nil {
		t.Fatalf("%s: %s", method, reply.Body)
	}
	synctest.Wait()
}

// bubble runs a test over the desk in a synctest bubble.
func bubble(t *testing.T, script string, test func(t *testing.T, f *fixture)) {
	t.Helper()
	loadAll(t)
	synctest.Test(t, func(t *testing.T) { test(t, newFixtureOf(t, desk, script, nil)) })
}

const (
	dune, emma     = "desk://books/dune/place", "desk://books/emma/place"
	aboutDune      = `{"uri":"` + dune + `"}`
	aboutEmma      = `{"uri":"` + emma + `"}`
	updatedDune    = "resources/updated " + dune
	toolsChanged   = "tools/list_changed"
	promptsChanged = "prompts/list_changed"
)

// TestAnnouncedOnce: what changes while no stream is open is said once, on the
// next one, and what was said is known to the session and not said again.
func TestAnnouncedOnce(t *testing.T) {
	bubble(t, "", func(t *testing.T, f *fixture) {
		h := f.open(t)
		f.swap(t, "*.ShowCover")
		first := f.listen(t, h)
		if got := first.take(t); got != toolsChanged {
			t.Errorf("first: %s", got)
		}
		f.swap(t, "*.ShowCover", "*.Summarise", "*.ReadAloud")
		f.server.Changed()
		if got := first.take(t); got != toolsChanged+", "+promptsChanged {
			t.Errorf("first: %s", got)
		}
		first.close()
		second := f.listen(t, h)
		if got := second.take(t); got != "" {
			t.Errorf("second: %s", got)
		}
		other := f.listen(t, f.open(t)) // which has seen no other catalog
		f.swap(t, "*.ShowCover", "*.Summarise", "*.ReadAloud", "*.Discuss")
		if got := second.take(t) + "; " + other.take(t); got != promptsChanged+"; "+promptsChanged {
			t.Errorf("both: %s", got)
		}
		second.close()
		other.close()
	})
}

// TestSubscribeWhileListening: a subscription made by another request of the
// session is heard at once, and one of another session is not.
func TestSubscribeWhileListening(t *testing.T) {
	bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
		h, other := f.open(t), f.open(t)
		l, stranger := f.listen(t, h), f.listen(t, other)
		f.ask(t, h, "resources/subscribe", aboutDune)
		f.backend.tell("WatchPlace", "")
		if got := l.take(t) + "; " + stranger.take(t); got != updatedDune+"; " {
			t.Errorf("got %s", got)
		}
		f.ask(t, h, "resources/unsubscribe", aboutDune)
		if n := f.backend.open("WatchPlace"); n != 0 {
			t.Errorf("%d streams are open that nobody wants", n)
		}
		l.close()
		stranger.close()
	})
}

// TestSubscribedBefore: subscriptions outlive the stream; when another one opens
// they are said to have changed, once.
func TestSubscribedBefore(t *testing.T) {
	bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
		h := f.open(t)
		f.ask(t, h, "resources/subscribe", aboutDune)
		if n := f.backend.open("WatchPlace"); n != 0 {
			t.Errorf("%d streams are open for nobody who listens", n)
		}
		l := f.listen(t, h)
		time.Sleep(time.Minute)
		if got := l.take(t); got != updatedDune {
			t.Errorf("got %s", got)
		}
		l.close()
	})
}

// TestSubscribedElsewhere: a subscription that wakes nobody here, because it was
// made at another replica, is found by looking again.
func TestSubscribedElsewhere(t *testing.T) {
	bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
		h := f.open(t)
		l := f.listen(t, h)
		conn, refusal := f.gate.Open(context.Background(), h, "")
		if refusal != nil {
			t.Fatal(refusal.Error)
		}
		if refusal := conn.Subscribe(context.Background(), dune); refusal != nil {
			t.Fatal(refusal.Error)
		}
		time.Sleep(20 * time.Second)
		if got := l.take(t); got != updatedDune {
			t.Errorf("got %s", got)
		}
		l.close()
	})
}

// TestSlowReader: who does not read holds up nobody, and what he has missed is
// said once when he reads again, however often it happened.
func TestSlowReader(t *testing.T) {
	bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
		slow, quick := f.open(t), f.open(t)
		f.ask(t, slow, "resources/subscribe", aboutDune)
		f.ask(t, quick, "resources/subscribe", aboutDune)
		a, b := f.listen(t, slow), f.listen(t, quick)
		a.take(t)
		b.take(t)
		open := a.shut()
		for i := range 50 {
			f.backend.tell("WatchPlace", "")
			if got := b.take(t); got != updatedDune {
				t.Fatalf("message %d reached the quick one as: %s", i, got)
			}
		}
		open()
		if got := a.take(t); got != updatedDune+", "+updatedDune { // the one that was being sent, and one for all others
			t.Errorf("the slow one heard: %s", got)
		}
		a.close()
		b.close()
	})
}

// TestHowListenEnds: Listen says why it has ended.
func TestHowListenEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		end  func(t *testing.T, f *fixture, l *listener, h lifecycle.Headers)
		want string
	}{
		"the client leaves": {func(_ *testing.T, _ *fixture, l *listener, _ lifecycle.Headers) { l.leave() }, "<nil>"},
		"the server closes": {func(_ *testing.T, f *fixture, _ *listener, _ lifecycle.Headers) { f.server.Close() }, server.ErrStopped.Error()},
		"nothing can be sent": {func(t *testing.T, f *fixture, l *listener, _ lifecycle.Headers) {
			l.cut()
			f.swap(t, "*.ShowCover")
		}, "the client has left"},
		"the session is over": {func(_ *testing.T, f *fixture, _ *listener, h lifecycle.Headers) {
			f.gate.End(context.Background(), h, "")
		}, "session not found"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
				h := f.open(t)
				f.ask(t, h, "resources/subscribe", aboutDune)
				l := f.listen(t, h)
				tt.end(t, f, l, h)
				time.Sleep(20 * time.Second) // in which the session is looked at
				got := "it goes on"
				select {
				case err := <-l.end:
					got = fmt.Sprint(err)
				default:
				}
				if !strings.HasPrefix(got, tt.want) {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				synctest.Wait()
				if n := f.backend.open("WatchPlace"); n != 0 {
					t.Errorf("%d streams are left open", n)
				}
				l.leave()
			})
		})
	}
}

// TestListenWaitsForTheHandshake: nothing is sent before it is over, and what
// ends it before is no matter.
func TestListenWaitsForTheHandshake(t *testing.T) {
	bubble(t, "", func(t *testing.T, f *fixture) {
		conn := f.gate.Stream()
		defer conn.Close()
		for _, end := range []func(context.CancelFunc){
			func(cancel context.CancelFunc) { cancel() }, func(context.CancelFunc) { f.server.Close() },
		} {
			ctx, cancel := context.WithCancel(context.Background())
			heard := &tape{}
			ended := make(chan error, 1)
			go func() { ended <- f.server.Listen(ctx, conn, heard) }()
			f.swap(t, "*.ShowCover")
			if got := heard.take(t); got != "" {
				t.Errorf("got %s", got)
			}
			end(cancel)
			if err := <-ended; err != nil && !errors.Is(err, server.ErrStopped) {
				t.Error(err)
			}
			cancel()
		}
	})
}

// TestToldIsRead: what another version of the bridge, or nobody, has noted of a
// session makes no announcement.
func TestToldIsRead(t *testing.T) {
	for _, told := range []string{"", "nonsense", "tools", "v2:abc=def = =="} {
		bubble(t, "", func(t *testing.T, f *fixture) {
			h := f.open(t)
			conn, _ := f.gate.Open(context.Background(), h, "")
			conn.SetTold(context.Background(), told)
			l := f.listen(t, h)
			f.swap(t, "*.ShowCover")
			if diff := cmp.Diff("", l.take(t)); diff != "" {
				t.Errorf("%q: %s", told, diff)
			}
			l.close()
		})
	}
}

// TestStoreFailsWhileListening: announcements go on while sessions cannot be
// reached, and what was told is noted when they can be again.
func TestStoreFailsWhileListening(t *testing.T) {
	bubble(t, "WatchPlace: stream", func(t *testing.T, f *fixture) {
		store := &broken{Store: session.NewMemory(session.MemoryOptions{})}
		f.gate = lifecycle.NewGate(lifecycle.Config{Sessions: store})
		f.server = server.New(server.Config{Gate: f.gate, Catalog: f.offered.Load})
		h := f.open(t)
		l := f.listen(t, h)
		store.fail(errors.New("the store is down"))
		f.swap(t, "*.ShowCover")
		if got := l.take(t); got != toolsChanged {
			t.Errorf("while it is down: %s", got)
		}
		store.fail(nil)
		time.Sleep(20 * time.Second)
		l.close()
		again := f.listen(t, h)
		if got := again.take(t); got != "" {
			t.Errorf("told twice: %s", got)
		}
		again.close()
	})
}
