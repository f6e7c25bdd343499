package bridge_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/library"
)

// site is where a service is, which may be away.
type site struct {
	conn *grpc.ClientConn
	at   atomic.Pointer[bufconn.Listener]
}

// newSite returns one where there is nothing yet.
func newSite(t *testing.T, opts ...grpc.DialOption) *site {
	t.Helper()
	p := &site{}
	opts = append(opts,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 10 * time.Millisecond, MaxDelay: 50 * time.Millisecond, Multiplier: 1},
			MinConnectTimeout: 10 * time.Second,
		}),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			if lis := p.at.Load(); lis != nil {
				return lis.DialContext(ctx)
			}
			return nil, errors.New("connection refused")
		}))
	conn, err := grpc.NewClient("passthrough:///place", opts...)
	if err != nil {
		t.Fatal(err)
	}
	p.conn = conn
	t.Cleanup(func() { conn.Close() })
	return p
}

// serve has a service be there until stop is called.
func (p *site) serve(t *testing.T, service host.Service, opts ...grpc.ServerOption) (stop func()) {
	t.Helper()
	lis := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- host.ServeWith(ctx, lis, opts, service) }()
	p.at.Store(lis)
	return func() {
		p.at.Store(nil)
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the service ended with %v", err)
		}
	}
}

// TestOneOfTwoIsAway: the tools of the one stay listed while its calls fail, which have not been executed, and those of the
// other go on; then it comes back.
func TestOneOfTwoIsAway(t *testing.T) {
	t.Parallel()
	books, echoes := newSite(t), newSite(t)
	stop := books.serve(t, library.New())
	defer echoes.serve(t, echo.New())()
	b := newBridge(t, []bridge.Backend{{Name: "books", Conn: books.conn}, {Name: "echo", Conn: echoes.conn}})
	c := httpClient(t, serveHTTP(t, b), modern)
	get := func() toolResult { return c.call(t, "library_get_book", `{"name":"books/dune"}`) }
	if r := get(); r.IsError {
		t.Errorf("got %+v", r)
	}
	stop()
	if r := get(); !r.IsError || !strings.Contains(r.Content[0].Text, "not_executed") {
		t.Errorf("got %+v", r)
	}
	if err := b.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), `"books"`) || strings.Contains(err.Error(), `"echo"`) {
		t.Errorf("the reload says %v", err)
	}
	if got := prefixes(b); got != "echo library" {
		t.Errorf("serves %q", got)
	}
	if r := c.call(t, "echo_metadata", `{}`); r.IsError {
		t.Errorf("the other one says %+v", r)
	}
	if h := b.Health(t.Context()); len(h.Backends) != 2 || h.Backends[0].Up() || !h.Backends[1].Up() || h.Backends[0].Reason == "" {
		t.Errorf("health: %+v", h)
	}
	defer books.serve(t, library.New())()
	until(t, func() bool { return !get().IsError })
	until(t, func() bool { return b.Health(t.Context()).Backends[0].Connected })
}

// TestOneOfTwoComesLater: a bridge starts with the one that is there, and serves the other once it has come, without reloading.
func TestOneOfTwoComesLater(t *testing.T) {
	t.Parallel()
	books, echoes := newSite(t), newSite(t)
	defer echoes.serve(t, echo.New())()
	log := new(logbook)
	b := newBridge(t, []bridge.Backend{{Name: "books", Conn: books.conn}, {Name: "echo", Conn: echoes.conn}},
		bridge.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
	if got, text := prefixes(b), log.read(); got != "echo" || !strings.Contains(text, "backend=books in=1") {
		t.Errorf("serves %q and logged %q", got, text)
	}
	if h := b.Health(t.Context()); h.Backends[0].Described || h.Backends[0].Up() || !h.Backends[1].Up() {
		t.Errorf("health: %+v", h)
	}
	defer books.serve(t, library.New())()
	until(t, func() bool { return prefixes(b) == "echo library" })
	if r, err := b.Call(t.Context(), "library_get_book", []byte(`{"name":"books/dune"}`)); err != nil || r.IsError {
		t.Errorf("%v %+v", err, r)
	}
}

// noted is a source that fails some times and notes when it is asked.
type noted struct {
	*flaky

	times chan time.Time
}

func (n noted) Load(ctx context.Context) (*descriptor.Set, error) {
	n.times <- time.Now()
	return n.flaky.Load(ctx)
}

// TestPausesBetweenReadings: 1 s, 2 s, 4 s … 60 s and up to half as much more lie between attempts, each of which is logged
// with the next; there is none behind the first that succeeds, nor with reloads that come often enough.
func TestPausesBetweenReadings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		opts []bridge.Option
		want []int // seconds
	}{
		"alone":             {nil, []int{1, 2, 4, 8, 16, 32, 60, 60}},
		"beside slow loads": {[]bridge.Option{bridge.WithReload(100 * time.Hour)}, []int{1, 2, 4, 8, 16, 32, 60, 60}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				away := noted{failing(int64(len(tt.want)), libraryOnly), make(chan time.Time, 100)}
				log := new(logbook)
				b, err := bridge.New(t.Context(),
					[]bridge.Backend{{Name: "away", Conn: noConn{}, Descriptors: away}, {Conn: noConn{}, Descriptors: echoOnly}},
					append(tt.opts, bridge.WithLogger(slog.New(slog.NewTextHandler(log, nil))))...)
				if err != nil {
					t.Fatal(err)
				}
				defer b.Close()
				last := <-away.times
				for _, seconds := range tt.want {
					next, pause := <-away.times, time.Duration(seconds)*time.Second
					if waited := next.Sub(last); waited < pause || waited > pause+pause/2 {
						t.Errorf("waited %v, want %v and up to half as much more", waited, pause)
					}
					last = next
				}
				synctest.Wait()
				if got, n := prefixes(b), strings.Count(log.read(), "backend=away in="); got != "echo library" || n != len(tt.want) {
					t.Errorf("serves %q, and logged %d attempts, want %d", got, n, len(tt.want))
				}
				time.Sleep(time.Hour)
				if n := len(away.times); n != 0 {
					t.Errorf("read %d times more", n)
				}
			})
		})
	}
}

// TestSlowOneOfTwo: what hangs keeps a bridge without reloading from nothing but its own tools, and the end of the bridge ends it.
func TestSlowOneOfTwo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		b, err := bridge.New(t.Context(), []bridge.Backend{
			{Name: "hangs", Conn: noConn{}, Descriptors: slow{time.Hour, libraryOnly}},
			{Name: "slow", Conn: noConn{}, Descriptors: slow{3 * time.Second, echoOnly}},
		})
		if err != nil || time.Since(began) != 3*time.Second || prefixes(b) != "echo" {
			t.Fatalf("got %v after %v", err, time.Since(began))
		}
		if err := b.Close(); err != nil || time.Since(began) != 3*time.Second {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
}

// TestNamesOfTwoBackends: two backends leave each other's names alone, and where both have the same service, all its tools have
// names of their own.
func TestNamesOfTwoBackends(t *testing.T) {
	t.Parallel()
	tools := func(sources ...descriptor.Source) map[string]string {
		var backends []bridge.Backend
		for i, source := range sources {
			backends = append(backends, bridge.Backend{Name: string(rune('a' + i)), Conn: noConn{}, Descriptors: source})
		}
		found := map[string]string{}
		for _, tool := range newBridge(t, backends).Report().Tools {
			found[tool.Name] = tool.Method
		}
		return found
	}
	books, echoes := tools(libraryOnly), tools(echoOnly)
	both := tools(libraryOnly, echoOnly)
	if len(both) != len(books)+len(echoes) {
		t.Errorf("%d and %d tools became %d", len(books), len(echoes), len(both))
	}
	for name, method := range both {
		if books[name] != method && echoes[name] != method {
			t.Errorf("%s is %s only beside the other backend", name, method)
		}
	}
	if twice := tools(libraryOnly, libraryOnly); len(twice) != 2*len(books) {
		t.Errorf("%d tools twice became %v", len(books), twice)
	}
}
