package streamable_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// forgetting is a journal that cannot be written to.
type forgetting struct{ session.Journal }

func (forgetting) Open(context.Context, string, uint64) error { return errUnreachable }

// flaky is a journal of which single operations fail.
type flaky struct {
	session.Journal
	append, read, forget bool
	last                 bool // the append that ends a stream fails
}

var errUnreachable = errors.New("dial 10.0.0.1: refused")

func (f *flaky) Append(ctx context.Context, session string, stream uint64, data []byte, last bool) (uint64, error) {
	if f.append || f.last && last {
		return 0, errUnreachable
	}
	return f.Journal.Append(ctx, session, stream, data, last)
}

func (f *flaky) Read(ctx context.Context, session string, stream, after uint64) ([]session.Event, bool, error) {
	if f.read {
		return nil, false, errUnreachable
	}
	return f.Journal.Read(ctx, session, stream, after)
}

func (f *flaky) Forget(ctx context.Context, session string) error {
	if f.forget {
		return errUnreachable
	}
	return f.Journal.Forget(ctx, session)
}

func journaled(j session.Journal) func(*streamable.Config) {
	return func(c *streamable.Config) { c.Journal = j }
}

// TestBrokenJournal: without a journal a stream is served as it is, and cannot be resumed.
func TestBrokenJournal(t *testing.T) {
	t.Parallel()
	for name, j := range map[string]session.Journal{
		"cannot be opened":  forgetting{},
		"cannot be written": &flaky{Journal: session.NewMemoryJournal(session.JournalOptions{}), append: true},
	} {
		var log bytes.Buffer
		h := scripted(&script{run: counts(2)}, journaled(j), logTo(&log))
		all, _ := events(string(callAs(t, h, mcp.V20251125).body))
		if diff := cmp.Diff(conversation(2), messages(all)); diff != "" || all[len(all)-1].id != "" {
			t.Errorf("%s: events %+v, messages (-want +got):\n%s", name, all, diff)
		}
		if !strings.Contains(log.String(), errUnreachable.Error()) {
			t.Errorf("%s: log %s", name, log.String())
		}
	}
}

// TestUnreadableJournal: what lies behind a failure is for the log alone, and the end of a session does not depend on it.
func TestUnreadableJournal(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := scripted(&script{run: counts(2)}, logTo(&log),
		journaled(&flaky{Journal: session.NewMemoryJournal(session.JournalOptions{}), read: true, forget: true}))
	id := open(t, h, mcp.V20251125)
	all, _ := events(string(serve(h, request("POST", call, in(id))).body))
	says := wantError(t, serve(h, request("GET", "", in(id), header("Last-Event-ID", all[0].id))), 500, jsonrpc.CodeInternal, "")
	if strings.Contains(says, "10.0.0.1") || !strings.Contains(log.String(), "10.0.0.1") {
		t.Errorf("message %q, log %s", says, log.String())
	}
	log.Reset()
	if resp := serve(h, request("DELETE", "", in(id))); resp.StatusCode != http.StatusNoContent ||
		!strings.Contains(log.String(), "10.0.0.1") {
		t.Errorf("DELETE: status %d, log %s", resp.StatusCode, log.String())
	}
}

// TestOvertaken: a GET whose stream is taken from it before it has begun is told.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		script, steps := stepping()
		journal := session.NewMemoryJournal(session.JournalOptions{})
		h := scripted(script, journaled(journal))
		_, lis := start(t, h)
		id := open(t, h, mcp.V20251125)
		c := lis.dial(t)
		c.send(t, call, len(call), "Accept: text/event-stream, application/json", "Mcp-Session-Id: "+id)
		give(t, steps, struct{}{})
		stream := c.head(t)
		stream.next(t)
		last := header("Last-Event-ID", stream.next(t).id)
		early := make(chan answer, 1)
		go func() { early <- serve(h, request("GET", "", in(id), last)) }()
		time.Sleep(time.Millisecond)
		late := make(chan answer, 1)
		go func() { late <- serve(h, request("GET", "", in(id), last)) }()
		wantError(t, take(t, early), 409, jsonrpc.CodeInvalidRequest, "")
		close(steps)
		resp := take(t, late)
		if rest, _ := events(string(resp.body)); len(rest) != 1 || rest[0].data != reply {
			t.Errorf("the other has %+v", rest)
		}

		// As another process would have it, which has the call.
		must(t, journal.Open(t.Context(), id, 7))
		away := header("Last-Event-ID", streamable.EventID(id, 7, 0))
		go func() { early <- serve(h, request("GET", "", in(id), away)) }()
		time.Sleep(time.Millisecond)
		h.Close()
		wantError(t, take(t, early), 503, jsonrpc.CodeInternal, "")
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestStreamOfAnotherProcess: what another process adds to a journal that both have is sent on, until this one is closed.
func TestStreamOfAnotherProcess(t *testing.T) {
	t.Parallel()
	journal := session.NewMemoryJournal(session.JournalOptions{})
	h := scripted(&script{}, journaled(journal))
	s := listen(t, h)
	id := open(t, h, mcp.V20251125)
	must(t, journal.Open(t.Context(), id, 7))
	stream := begin(t, s, "GET", "", in(id), header("Last-Event-ID", streamable.EventID(id, 7, 0)))
	_, err := journal.Append(t.Context(), id, 7, notification(0), false)
	must(t, err)
	if e := stream.next(t); e.data != string(notification(0)) {
		t.Errorf("event %+v", e)
	}
	h.Close()
	if rest := stream.rest(t); len(rest) != 0 {
		t.Errorf("at the end: %+v", rest)
	}
}
