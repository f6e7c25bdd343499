package lifecycle_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// TestLegacyPost: 2025-11-25 basic/transports, "Session Management" and
// "Protocol Version Header". No answer to a legacy request has a modern code.
func TestLegacyPost(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	id := open(t, g, "alice")
	for name, tt := range map[string]struct {
		headers, method, principal string
		status                     int
	}{
		"with the session":              {"version=2025-11-25 session=" + id, "tools/list", "alice", 0},
		"without a version header":      {"session=" + id, "tools/list", "alice", 0},
		"with another legacy version":   {"version=2025-06-18 session=" + id, "tools/list", "alice", 0},
		"without a session":             {"version=2025-11-25", "tools/list", "alice", 400},
		"with an unknown session":       {"session=x", "tools/list", "alice", 404},
		"with an empty session":         {"session=", "tools/list", "alice", 404},
		"with another's session":        {"session=" + id, "tools/list", "bob", 404},
		"with nobody's name":            {"session=" + id, "tools/list", "", 404},
		"with a version of the past":    {"version=2000-01-01 session=" + id, "tools/list", "alice", 400},
		"with a version between":        {"version=2026-07-27 session=" + id, "tools/list", "alice", 400},
		"with a date that is none":      {"version=2099-99-99 session=" + id, "tools/list", "alice", 400},
		"with a version of no shape":    {"version=invalid-protocol-version", "tools/list", "alice", 400},
		"initialize anew":               {"", "initialize", "alice", 0},
		"initialize in a lost session":  {"session=x", "initialize", "alice", 404},
		"initialize with a bad version": {"version=2000-01-01", "initialize", "alice", 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, refusal := g.Post(context.Background(), headers(tt.headers), message(t, "1", tt.method, ""), tt.principal)
			if tt.status == 0 {
				if refusal != nil || c == nil {
					t.Errorf("refused: %+v", refusal)
				}
				return
			}
			if refusal == nil || refusal.Status != tt.status {
				t.Fatalf("got %+v, want %d", refusal, tt.status)
			}
			checkError(t, refusal.Error, -32600, "")
		})
	}
}

func TestInitializeInAnOpenSession(t *testing.T) {
	t.Parallel()
	g := lifecycle.NewGate(lifecycle.Config{})
	id := open(t, g, "")
	msg := message(t, "1", "initialize", "")
	c, refusal := g.Post(context.Background(), headers("session="+id), msg, "")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	_, err := begin(t, g, c, msg)
	checkError(t, err, -32600, "initialized once")
}

func TestEnd(t *testing.T) {
	t.Parallel()
	ctx, g := context.Background(), lifecycle.NewGate(lifecycle.Config{})
	id := open(t, g, "alice")
	call := message(t, "1", "tools/list", "")
	c, _ := g.Post(ctx, headers("session="+id), call, "alice")
	running, _, end, err := g.Begin(ctx, c, call)
	checkError(t, err, 0, "")
	defer end()

	for _, tt := range []struct {
		headers, principal string
		status             int
	}{
		{"version=2026-07-28", "alice", 405},
		{"version=2027-03-30 session=" + id, "alice", 405},
		{"version=2026-07-28 session=" + id, "alice", 405},
		{"version=1 session=" + id, "alice", 400},
		{"", "alice", 400},
		{"session=x", "alice", 404},
		{"session=" + id, "bob", 404},
		{"session=" + id, "alice", 0},
		{"session=" + id, "alice", 404},
	} {
		refusal := g.End(ctx, headers(tt.headers), tt.principal)
		if status := statusOf(refusal); status != tt.status {
			t.Errorf("%s by %s: got %d, want %d", tt.headers, tt.principal, status, tt.status)
		}
	}
	if !lifecycle.Cancelled(running) {
		t.Error("what was in flight in the session still runs")
	}
	if _, refusal := g.Post(ctx, headers("session="+id), call, "alice"); statusOf(refusal) != 404 {
		t.Errorf("the ended session answers %d", statusOf(refusal))
	}
}

// TestSessionEndsDuringTheHandshake: the session is gone when initialized comes to be noted.
func TestSessionEndsDuringTheHandshake(t *testing.T) {
	t.Parallel()
	ctx, g := context.Background(), lifecycle.NewGate(lifecycle.Config{})
	c, _ := g.Post(ctx, headers(""), message(t, "1", "initialize", ""), "")
	initialize(t, g, c, "2025-06-18")
	ready := message(t, "", "notifications/initialized", "")
	h := headers("session=" + c.SessionID())
	c, refusal := g.Post(ctx, h, ready, "")
	if refusal != nil {
		t.Fatal(refusal.Error)
	}
	if refusal := g.End(ctx, h, ""); refusal != nil {
		t.Fatal(refusal.Error)
	}
	if status := statusOf(g.Notify(ctx, c, ready)); status != 404 {
		t.Errorf("got %d, want 404", status)
	}
}

// failing is a store that cannot be reached, or is full.
type failing struct {
	session.Store
	err error
}

func (f failing) Create(context.Context, session.Record) error { return f.err }

func (f failing) Get(context.Context, string) (session.Record, error) {
	return session.Record{}, f.err
}

func TestSessionStoreFails(t *testing.T) {
	t.Parallel()
	ctx, broken := context.Background(), errors.New("dial tcp 10.0.0.7: refused")
	for err, status := range map[error]int{broken: 500, session.ErrFull: 503} {
		g := lifecycle.NewGate(lifecycle.Config{Sessions: failing{err: err}})
		c, _ := g.Post(ctx, headers(""), message(t, "1", "initialize", ""), "")
		_, refusal := g.Initialize(ctx, c, initializeParams, "")
		if statusOf(refusal) != status {
			t.Errorf("%v: got %d, want %d", err, statusOf(refusal), status)
		}
		checkError(t, refusal.Error, -32603, "try again later")
		if _, refusal = g.Post(ctx, headers("session=x"), message(t, "1", "ping", ""), ""); statusOf(refusal) != status {
			t.Errorf("%v: got %d, want %d", err, statusOf(refusal), status)
		}
		if err == broken && !errors.Is(refusal.Cause, broken) {
			t.Errorf("the cause is %v", refusal.Cause)
		}
	}
}

// TestNoRoomForSessions: the refusal tells when there may be room, and the log
// is told once a minute, however many are refused.
func TestNoRoomForSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, full := context.Background(), &session.FullError{RetryAfter: time.Hour}
		g := lifecycle.NewGate(lifecycle.Config{Sessions: failing{err: full}})
		for _, causes := range []int{1, 1} {
			for range 1000 {
				c, _ := g.Post(ctx, headers(""), message(t, "1", "initialize", ""), "")
				_, refusal := g.Initialize(ctx, c, initializeParams, "")
				if statusOf(refusal) != 503 || refusal.RetryAfter != time.Hour {
					t.Fatalf("got %+v", refusal)
				}
				if refusal.Cause != nil {
					causes--
				}
			}
			if causes != 0 {
				t.Errorf("%d lines too few for the log", causes)
			}
			time.Sleep(time.Minute)
		}
	})
}

// TestHandshakesDoNotLockTheGate: a client is served whatever number of
// sessions others have opened and left in the handshake.
func TestHandshakesDoNotLockTheGate(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g := lifecycle.NewGate(lifecycle.Config{Sessions: session.NewMemory(session.MemoryOptions{Max: 10})})
	mine := open(t, g, "")
	for range 100 {
		c, _ := g.Post(ctx, headers(""), message(t, "1", "initialize", ""), "")
		initialize(t, g, c, "2025-11-25")
	}
	open(t, g, "")
	if _, refusal := g.Post(ctx, headers("session="+mine), message(t, "1", "tools/list", ""), ""); refusal != nil {
		t.Errorf("the session in use is refused: %v", refusal.Error)
	}
}

func statusOf(r *lifecycle.Refusal) int {
	if r == nil {
		return 0
	}
	return r.Status
}
