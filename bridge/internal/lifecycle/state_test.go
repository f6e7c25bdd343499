package lifecycle_test

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

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// onBoth runs a test on a conversation whose handshake is over, on either
// transport. conn returns a Conn of it: on HTTP a new one each time.
func onBoth(t *testing.T, cfg lifecycle.Config, test func(t *testing.T, g *lifecycle.Gate, conn func() *lifecycle.Conn)) {
	t.Helper()
	g := lifecycle.NewGate(cfg)
	id, stream := open(t, g, ""), g.Stream()
	initialize(t, g, stream, mcp.V20251125)
	g.Notify(context.Background(), stream, message(t, "", "notifications/initialized", ""))
	t.Run("HTTP", func(t *testing.T) {
		t.Parallel()
		test(t, g, func() *lifecycle.Conn { return get(t, g, id) })
	})
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		test(t, g, func() *lifecycle.Conn { return stream })
	})
}

// accepted fails if something was refused.
func accepted(t *testing.T, refusal *lifecycle.Refusal) {
	t.Helper()
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
}

// TestLegacyLogLevel: the level is the session's, from logging/setLevel on.
func TestLegacyLogLevel(t *testing.T) {
	t.Parallel()
	onBoth(t, lifecycle.Config{}, func(t *testing.T, g *lifecycle.Gate, conn func() *lifecycle.Conn) {
		list := message(t, "1", "tools/list", `{"_meta":{"progressToken":1}}`)
		for _, level := range []mcp.Level{mcp.LevelNone, mcp.LevelWarning, mcp.LevelDebug} {
			if level != mcp.LevelNone {
				accepted(t, conn().SetLogLevel(context.Background(), level))
			}
			scope, err := begin(t, g, conn(), list)
			checkError(t, err, 0, "")
			if scope.LogLevel != level {
				t.Errorf("the level is %v, want %v", scope.LogLevel, level)
			}
		}
	})
}

// TestModernLogLevel: 2026-07-28 server/utilities/logging: the level is the request's.
func TestModernLogLevel(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	c := g.Stream()
	initialize(t, g, c, mcp.V20251125)
	accepted(t, c.SetLogLevel(context.Background(), mcp.LevelDebug))
	for key, want := range map[string]mcp.Level{``: mcp.LevelNone, `,"io.modelcontextprotocol/logLevel":"error"`: mcp.LevelError} {
		scope, err := begin(t, g, c, message(t, "1", "tools/list", "{"+strings.TrimSuffix(modernMeta, "}")+key+"}}"))
		checkError(t, err, 0, "")
		if scope.LogLevel != want {
			t.Errorf("%s: the level is %v", key, scope.LogLevel)
		}
	}
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	onBoth(t, lifecycle.Config{MaxSubscriptions: 3}, func(t *testing.T, _ *lifecycle.Gate, conn func() *lifecycle.Conn) {
		listener := conn() // sees what others do
		check := func(want ...string) {
			t.Helper()
			got, refusal := listener.Subscriptions(ctx)
			accepted(t, refusal)
			if diff := cmp.Diff(strings.Join(want, " "), strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		}
		check()
		accepted(t, conn().Unsubscribe(ctx, "x:a"))
		for _, uri := range []string{"x:a", "x:b", "x:a", "x:c"} {
			accepted(t, conn().Subscribe(ctx, uri))
		}
		check("x:a", "x:b", "x:c")
		accepted(t, conn().Subscribe(ctx, "x:c")) // though it is full
		refusal := conn().Subscribe(ctx, "x:d")
		if statusOf(refusal) != 200 {
			t.Fatalf("got %+v", refusal)
		}
		checkError(t, refusal.Error, -32600, "3 resources are subscribed to")
		before, _ := listener.Subscriptions(ctx)
		accepted(t, conn().Unsubscribe(ctx, "x:a"))
		if before[0] != "x:a" {
			t.Error("a slice that was returned has changed")
		}
		accepted(t, conn().Subscribe(ctx, "x:d"))
		check("x:b", "x:c", "x:d")
	})
}

// TestSubscriptionsAreBounded: also in bytes, which the client chooses.
func TestSubscriptionsAreBounded(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	onBoth(t, lifecycle.Config{}, func(t *testing.T, _ *lifecycle.Gate, conn func() *lifecycle.Conn) {
		refusal := conn().Subscribe(ctx, strings.Repeat("x", 32<<10+1))
		if statusOf(refusal) != 200 {
			t.Fatalf("got %+v", refusal)
		}
		checkError(t, refusal.Error, -32600, "32768 is the most")
		accepted(t, conn().Subscribe(ctx, strings.Repeat("x", 32<<10)))
		if refusal := conn().Subscribe(ctx, "y"); refusal == nil {
			t.Error("one byte more is accepted")
		}
		accepted(t, conn().Unsubscribe(ctx, strings.Repeat("x", 32<<10)))
		for i := range lifecycle.DefaultMaxSubscriptions {
			accepted(t, conn().Subscribe(ctx, fmt.Sprint("x:", i)))
		}
		if refusal := conn().Subscribe(ctx, "x:one-more"); refusal == nil {
			t.Error("one more is accepted")
		}
	})
}

// TestSubscribeAtOnce: of subscriptions from many Conns at once none is lost.
func TestSubscribeAtOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	onBoth(t, lifecycle.Config{MaxSubscriptions: 40}, func(t *testing.T, _ *lifecycle.Gate, conn func() *lifecycle.Conn) {
		var wg sync.WaitGroup
		for i := range 40 {
			c := conn()
			wg.Go(func() {
				if refusal := c.Subscribe(ctx, fmt.Sprint("x:", i)); refusal != nil {
					t.Error(refusal.Error)
				}
			})
		}
		wg.Wait()
		if all, _ := conn().Subscriptions(ctx); len(all) != 40 {
			t.Errorf("%d of 40 are left", len(all))
		}
	})
}

func TestTold(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	onBoth(t, lifecycle.Config{}, func(t *testing.T, _ *lifecycle.Gate, conn func() *lifecycle.Conn) {
		if told := conn().Told(); told != "lists at initialize" {
			t.Errorf("initialize told %q", told)
		}
		c := conn()
		accepted(t, c.SetTold(ctx, "lists later"))
		for _, c := range []*lifecycle.Conn{c, conn()} {
			if told := c.Told(); told != "lists later" {
				t.Errorf("told %q", told)
			}
		}
	})
	if told := lifecycle.NewGate(lifecycle.Config{}).Stream().Told(); told != "" {
		t.Errorf("before initialize: told %q", told)
	}
}

// TestTouchKeepsASession: one whose client only listens.
func TestTouchKeepsASession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := lifecycle.NewGate(lifecycle.Config{Sessions: session.NewMemory(session.MemoryOptions{Idle: time.Minute})})
		c := get(t, g, open(t, g, ""))
		for range 10 {
			time.Sleep(50 * time.Second)
			accepted(t, c.Touch(t.Context()))
		}
		time.Sleep(time.Minute)
		if status := statusOf(c.Touch(t.Context())); status != 404 {
			t.Errorf("an idle session answers %d", status)
		}
	})
}

// TestEndedSessionIsTold: whatever is done on a Conn whose session has ended
// meanwhile says so, and one whose store fails says that.
func TestEndedSessionIsTold(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), &breaking{Memory: session.NewMemory(session.MemoryOptions{})}
	g := lifecycle.NewGate(lifecycle.Config{Sessions: store})
	id := open(t, g, "")
	c := get(t, g, id)
	operations := map[string]func() *lifecycle.Refusal{
		"touch":         func() *lifecycle.Refusal { return c.Touch(ctx) },
		"set level":     func() *lifecycle.Refusal { return c.SetLogLevel(ctx, mcp.LevelInfo) },
		"subscribe":     func() *lifecycle.Refusal { return c.Subscribe(ctx, "x:y") },
		"unsubscribe":   func() *lifecycle.Refusal { return c.Unsubscribe(ctx, "x:y") },
		"subscriptions": func() *lifecycle.Refusal { _, refusal := c.Subscriptions(ctx); return refusal },
		"told":          func() *lifecycle.Refusal { return c.SetTold(ctx, "x") },
	}
	for _, want := range []int{500, 404} {
		if want == 404 {
			store.err = nil
			accepted(t, g.End(ctx, headers("session="+id), ""))
		} else {
			store.err = errors.New("dial tcp 10.0.0.7: refused")
		}
		for name, operation := range operations {
			if status := statusOf(operation()); status != want {
				t.Errorf("%s: got %d, want %d", name, status, want)
			}
		}
	}
	if c.Told() != "lists at initialize" {
		t.Error("what could not be stored is remembered")
	}
}

// breaking is a store that cannot be reached while err is set.
type breaking struct {
	*session.Memory
	err error
}

func (b *breaking) Get(ctx context.Context, id string) (session.Record, error) {
	if b.err != nil {
		return session.Record{}, b.err
	}
	return b.Memory.Get(ctx, id)
}

func (b *breaking) Update(ctx context.Context, id string, change func(*session.Record)) error {
	if b.err != nil {
		return b.err
	}
	return b.Memory.Update(ctx, id, change)
}
