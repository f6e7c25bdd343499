package lifecycle_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// get opens a GET of a session.
func get(t *testing.T, g *lifecycle.Gate, id string) *lifecycle.Conn {
	t.Helper()
	c, refusal := g.Open(context.Background(), headers("session="+id), "")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	return c
}

// attach attaches a stream that must be admitted.
func attach(t *testing.T, c *lifecycle.Conn, name string) (context.Context, func()) {
	t.Helper()
	ctx, end, refusal := c.Attach(context.Background(), name)
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	t.Cleanup(end)
	return ctx, end
}

func TestOpen(t *testing.T) {
	t.Parallel()
	ctx, g := context.Background(), lifecycle.NewGate(lifecycle.Config{})
	id := open(t, g, "alice")
	for _, tt := range []struct {
		headers, principal string
		status             int
		fault              string
	}{
		{"version=2026-07-28 session=" + id, "alice", 405, "subscriptions/listen"},
		{"version=2027-03-30", "alice", 405, "POST alone"},
		{"version=1 session=" + id, "alice", 400, "not served"},
		{"", "alice", 400, "Mcp-Session-Id header is missing"},
		{"session=x", "alice", 404, "session not found"},
		{"session=" + id, "bob", 404, "session not found"},
		{"session=" + id, "alice", 0, ""},
		{"version=2025-06-18 session=" + id, "alice", 0, ""},
	} {
		c, refusal := g.Open(ctx, headers(tt.headers), tt.principal)
		if statusOf(refusal) != tt.status || (c == nil) != (tt.status != 0) {
			t.Errorf("%s by %s: got %d, want %d", tt.headers, tt.principal, statusOf(refusal), tt.status)
			continue
		}
		if tt.status != 0 {
			checkError(t, refusal.Error, -32600, tt.fault)
			continue
		}
		if c.SessionID() != id || c.Key() != id || c.Features() != lifecycle.Features(mcp.V20251125) || c.DisconnectCancels() {
			t.Errorf("got %s of %+v", c.Key(), c.Features())
		}
		if !closed(c.Ready()) {
			t.Error("a session whose handshake is over is not ready")
		}
	}
}

// TestOpenDuringTheHandshake: a client may open its stream before it sends notifications/initialized, which the stream then
// learns of, in whatever order the two requests are served.
func TestOpenDuringTheHandshake(t *testing.T) {
	t.Parallel()
	ctx, g := context.Background(), lifecycle.NewGate(lifecycle.Config{})
	half, _ := g.Post(ctx, headers(""), message(t, "1", "initialize", ""), "alice")
	initialize(t, g, half, mcp.V20250618)
	in := headers("session=" + half.SessionID())
	var streams []*lifecycle.Conn
	for range 3 {
		c, refusal := g.Open(ctx, in, "alice")
		if refusal != nil || closed(c.Ready()) {
			t.Fatalf("refused with %v, or ready too early", refusal)
		}
		streams = append(streams, c)
	}
	attach := func(c *lifecycle.Conn, name string) {
		_, detach, refusal := c.Attach(ctx, name)
		if refusal != nil {
			t.Fatal(refusal.Error)
		}
		t.Cleanup(detach)
	}
	attach(streams[0], "before")
	note := message(t, "", "notifications/initialized", "")
	c, refusal := g.Post(ctx, in, note, "alice")
	if refusal != nil || g.Notify(ctx, c, note) != nil {
		t.Fatal("the handshake does not end")
	}
	attach(streams[1], "after")
	if refusal := streams[2].Touch(ctx); refusal != nil {
		t.Fatal(refusal.Error)
	}
	for i, name := range []string{"attached before", "attached after", "touched after"} {
		if !closed(streams[i].Ready()) {
			t.Errorf("the stream %s it is not ready", name)
		}
	}
}

// closed reports whether a channel is closed.
func closed(ready <-chan struct{}) bool {
	select {
	case <-ready:
		return true
	default:
		return false
	}
}

// TestReady: the handshake of a stdio stream, which may not come at all.
func TestReady(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	c, late := g.Stream(), g.Stream()
	ready := c.Ready()
	for _, conn := range []*lifecycle.Conn{c, late} {
		if conn.Features() != (mcp.Features{}) || conn.Batches() {
			t.Error("there are features before the handshake")
		}
		initialize(t, g, conn, mcp.V20250326)
		if closed(ready) {
			t.Error("ready during the handshake")
		}
		if !conn.Batches() || !conn.Features().Batches {
			t.Error("2025-03-26 has no batches")
		}
	}
	for _, conn := range []*lifecycle.Conn{c, late} {
		g.Notify(context.Background(), conn, message(t, "", "notifications/initialized", ""))
		g.Notify(context.Background(), conn, message(t, "", "notifications/initialized", ""))
	}
	if !closed(ready) || !closed(c.Ready()) || !closed(late.Ready()) {
		t.Error("not ready after the handshake")
	}
	modern, refusal := g.Post(context.Background(), headers("version=2026-07-28 method=tools/list"),
		message(t, "1", "tools/list", "{"+modernMeta+"}"), "")
	if refusal != nil || closed(modern.Ready()) {
		t.Errorf("a modern POST is ready for a handshake, or refused: %+v", refusal)
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	one, two := open(t, g, ""), open(t, g, "")
	keys := map[string]bool{}
	for _, c := range []*lifecycle.Conn{get(t, g, one), get(t, g, one), get(t, g, two), g.Stream(), g.Stream()} {
		keys[c.Key()] = true
	}
	if len(keys) != 4 || keys[""] {
		t.Errorf("two sessions and two streams have the keys %v", keys)
	}
}

// TestAttach: one stream of a name, the newest; others beside it.
func TestAttach(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	id, other := open(t, g, ""), open(t, g, "")
	first, endFirst := attach(t, get(t, g, id), "listen")
	beside, _ := attach(t, get(t, g, id), "stream 1")
	foreign, _ := attach(t, get(t, g, other), "listen")
	second, endSecond := attach(t, get(t, g, id), "listen")
	if !lifecycle.Replaced(first) || lifecycle.Cancelled(first) {
		t.Errorf("the first ends with %v", context.Cause(first))
	}
	endFirst() // late, and not of the second
	third, _ := attach(t, get(t, g, id), "listen")
	if !lifecycle.Replaced(second) {
		t.Errorf("the second ends with %v", context.Cause(second))
	}
	endSecond()
	for name, ctx := range map[string]context.Context{"another name": beside, "another session": foreign, "the newest": third} {
		if ctx.Err() != nil || lifecycle.Replaced(ctx) {
			t.Errorf("%s has ended: %v", name, context.Cause(ctx))
		}
	}
	if refusal := g.End(context.Background(), headers("session="+id), ""); refusal != nil {
		t.Fatal(refusal.Error)
	}
	if !lifecycle.Cancelled(beside) || !lifecycle.Cancelled(third) || lifecycle.Replaced(third) {
		t.Errorf("the streams of an ended session end with %v and %v", context.Cause(beside), context.Cause(third))
	}
	if foreign.Err() != nil {
		t.Error("the stream of another session ends too")
	}
}

// TestAttachOfStreams: on stdio, where the end of the stream ends all, and in
// the modern era, where there is nothing to attach to.
func TestAttachOfStreams(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{MaxStreams: 1})
	c := g.Stream()
	mine, _ := attach(t, c, "listen")
	theirs, _ := attach(t, g.Stream(), "listen")
	if c.Touch(context.Background()) != nil {
		t.Error("a stdio stream is gone")
	}
	c.Close()
	if !lifecycle.Cancelled(mine) || theirs.Err() != nil {
		t.Errorf("mine ends with %v, theirs with %v", context.Cause(mine), context.Cause(theirs))
	}
	msg := message(t, "1", "subscriptions/listen", "{"+modernMeta+"}")
	post, refusal := g.Post(context.Background(), headers("version=2026-07-28 method=subscriptions/listen"), msg, "")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	for range 3 {
		if ctx, _ := attach(t, post, "listen"); ctx.Err() != nil || post.Key() != "" {
			t.Error("modern streams replace each other")
		}
	}
}

// TestMaxStreams: the bound is of one session, and holds as many as are open.
func TestMaxStreams(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{MaxStreams: 2})
	c, other := get(t, g, open(t, g, "")), get(t, g, open(t, g, ""))
	_, end := attach(t, c, "1")
	attach(t, c, "2")
	attach(t, c, "2") // in its place
	_, _, refusal := c.Attach(context.Background(), "3")
	if statusOf(refusal) != 429 || refusal.RetryAfter <= 0 {
		t.Fatalf("got %+v", refusal)
	}
	checkError(t, refusal.Error, -32600, "2 streams of this session are open")
	attach(t, other, "3")
	end()
	end() // does no harm
	attach(t, c, "3")

	g = lifecycle.NewGate(lifecycle.Config{})
	c = get(t, g, open(t, g, ""))
	for i := range lifecycle.DefaultMaxStreams {
		attach(t, c, fmt.Sprint(i))
	}
	if _, _, refusal := c.Attach(context.Background(), "one more"); statusOf(refusal) != 429 {
		t.Errorf("got %d", statusOf(refusal))
	}
}

// TestAttachEndsWithItsRequest: the context is a child of the caller's.
func TestAttachEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	parent, cancel := context.WithTimeout(context.Background(), time.Hour)
	ctx, end, refusal := get(t, g, open(t, g, "")).Attach(parent, "listen")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	defer end()
	cancel()
	<-ctx.Done()
	if lifecycle.Replaced(ctx) || lifecycle.Cancelled(ctx) {
		t.Errorf("it ends with %v", context.Cause(ctx))
	}
}
