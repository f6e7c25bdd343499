package server_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// logged is a modern call of the shelf that asks for all log messages.
const logged = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shelf_get_book","arguments":{"name":"the secret ` +
	`book"},"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
	`"io.modelcontextprotocol/logLevel":"debug"}}}`

// TestLogKeepsSecrets: neither arguments nor results nor the backend's words go
// into a client's log.
func TestLogKeepsSecrets(t *testing.T) {
	t.Parallel()
	for _, does := range []string{"echo", "NOT_FOUND the secret shelf", "garbage", "bytes 3000", "not utf-8"} {
		f := newFixture(t, "GetBook: "+does, nil)
		heard := &tape{}
		f.server.Admit(t.Context(), f.gate.Stream(), decode(t, logged), heard).Run()
		text := strings.Join(heard.messages, "\n")
		if !strings.Contains(text, "/shelf.v1.ShelfService/GetBook") || strings.Contains(text, "secret") || strings.Contains(text, "xxx") {
			t.Errorf("%s: %s", does, text)
		}
	}
}

// TestNothingIsLoggedAfterCancellation: nor to a client without a stream.
func TestNothingIsLoggedAfterCancellation(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "GetBook: hangs", nil)
		ctx, cancel := context.WithCancel(context.Background())
		heard := &tape{}
		call := f.server.Admit(ctx, f.gate.Stream(), decode(t, logged), heard)
		done := make(chan server.Reply, 1)
		go func() { done <- call.Run() }()
		synctest.Wait()
		cancel()
		if reply := <-done; len(reply.Body) > 0 || len(heard.messages) > 0 {
			t.Errorf("got %s and %s", reply.Body, heard.messages)
		}
	})
}

// TestLogReaderIsGone: a client that cannot be sent its log has its answer all
// the same.
func TestLogReaderIsGone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "GetBook: {}", nil)
	gone := &tape{}
	gone.cut()
	if a := read(t, f.server.Admit(t.Context(), f.gate.Stream(), decode(t, logged), gone).Run().Body); a.Error != nil {
		t.Errorf("got %+v", a.Error)
	}
}

// broken is a store that cannot be written to while it has an error.
type broken struct {
	session.Store
	err atomic.Pointer[error]
}

// fail has the store fail from now on; nil mends it.
func (b *broken) fail(err error) { b.err.Store(&err) }

func (b *broken) Update(ctx context.Context, id string, change func(*session.Record)) error {
	if err := b.err.Load(); err != nil && *err != nil {
		return *err
	}
	return b.Store.Update(ctx, id, change)
}

// TestSessionsThatFail: what a session is to remember, and its store cannot, is
// refused as the transports refuse it.
func TestSessionsThatFail(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, desk, "", nil)
	store := &broken{Store: session.NewMemory(session.MemoryOptions{})}
	f.gate = lifecycle.NewGate(lifecycle.Config{Sessions: store})
	f.server = server.New(server.Config{Gate: f.gate, Catalog: f.offered.Load})
	h := f.open(t)
	for err, status := range map[error]int{session.ErrNotFound: 404, errors.New("the store is down"): 500} {
		store.fail(err)
		for method, params := range map[string]string{
			"logging/setLevel": `{"level":"info"}`, "resources/subscribe": aboutDune, "resources/unsubscribe": aboutDune,
		} {
			reply := f.post(t, h, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
			if a := read(t, reply.Body); reply.Status != status || a.Error == nil || strings.Contains(a.Error.Message, "down") {
				t.Errorf("%v, %s: %d %s", err, method, reply.Status, reply.Body)
			}
		}
	}
}
