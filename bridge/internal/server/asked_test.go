package server_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
)

// askingErase is what the backend asks before it erases an order.
const askingErase = `Erase: asks {"requests":[{"key":"where","roots":{}}]} | {"text":"erased"}`

// TestStateOfOneResource: a state is good for the resource that it was made for, whatever else the params have.
func TestStateOfOneResource(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, office, `Ledger: asks {"requests":[{"key":"where","roots":{}}]} | {"text":"nothing owed"}`, nil)
	read := func(params string) string {
		return string(f.server.Handle(t.Context(), f.gate.Stream(),
			decode(t, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{`+params+`,`+canRoots+`}}}`)).Body)
	}
	answered := `"name":"x","inputResponses":{"where":{"roots":[]}},` + sealed.FindString(read(`"uri":"ledger://1999","name":"x"`))
	if body := read(`"uri":"ledger://2000",` + answered); !strings.Contains(body, `"code":-32602`) {
		t.Errorf("another one: %s", body)
	}
	if body := read(`"uri":"ledger://1999",` + answered); !strings.Contains(body, "nothing owed") {
		t.Errorf("the same: %s", body)
	}
}

// asking is a legacy conversation with a client that can be asked for roots, and never answers.
type asking struct {
	*fixture
	conn  *lifecycle.Conn
	calls sync.WaitGroup
}

// newAsking opens a conversation with a bridge that logs to log; nil for nowhere.
func newAsking(t *testing.T, log *slog.Logger) *asking {
	t.Helper()
	f := newFixtureOf(t, office, askingErase, log)
	a := &asking{fixture: f, conn: f.gate.Stream()}
	a.say(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":`+
		`{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	a.say(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

func (a *asking) say(t *testing.T, text string) {
	t.Helper()
	a.server.Handle(t.Context(), a.conn, decode(t, text))
}

// erase begins a call that asks, and has done called with its answer.
func (a *asking) erase(t *testing.T, id int, done func(body string)) {
	t.Helper()
	message := decode(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"office_erase"}}`, id))
	call := a.server.Admit(context.Background(), a.conn, message, &tape{})
	a.calls.Go(func() { done(string(call.Run().Body)) })
	synctest.Wait()
}

// TestLeftWhileAsked: that a client leaves which is asked is no fault of the bridge, and not logged as one.
func TestLeftWhileAsked(t *testing.T) {
	loadAll(t)
	for name, cancel := range map[string]bool{"cancelled": true, "closed": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				a := newAsking(t, slog.New(slog.NewTextHandler(&log, nil)))
				a.erase(t, 1, func(body string) {
					if body != "" {
						t.Errorf("answered with %s", body)
					}
				})
				if cancel {
					a.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
				}
				a.conn.Close()
				a.calls.Wait()
				if log.Len() > 0 {
					t.Error(log.String())
				}
			})
		})
	}
}

// TestTooManyQuestions: a client that leaves too many questions open is told that, and that it may call again.
func TestTooManyQuestions(t *testing.T) {
	loadAll(t)
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t, nil)
		most := 256
		for i := range most {
			a.erase(t, i+1, func(string) {})
		}
		a.erase(t, most+1, func(body string) {
			if !strings.Contains(body, "too many are open") || !strings.Contains(body, "retry: yes") {
				t.Error(body)
			}
		})
		a.conn.Close()
		a.calls.Wait()
	})
}
