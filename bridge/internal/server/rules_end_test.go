package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// lending is the tool with rules, and lend a call of it that breaks none.
const (
	lending = "counter_lend_books"
	lend    = `{"cardNumber":"A-1234","bookLoans":[{"isbn":"9780441013593"}],"myself":true}`
)

// newLending is a server over the counter whose checks of the tool call during at each field.
func newLending(t *testing.T, deadline time.Duration, during func()) *fixture {
	t.Helper()
	f := newFixtureOf(t, counter, "LendBooks: {}", nil)
	b, err := backend.New(backend.Config{Name: "counter", Conn: f.conn, Deadline: deadline})
	if err != nil {
		t.Fatal(err)
	}
	offered, err := catalog.Compile([]catalog.Source{{Backend: b, Set: f.backend.set}}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tool, ok := offered.Tool(lending)
	if !ok {
		t.Fatal("no tool")
	}
	set := rules.NewSet()
	set.Hide = func(protoreflect.FieldDescriptor) bool {
		during()
		return false
	}
	tool.Rules = set.Checker(tool.Method.Input())
	f.offered.Store(offered)
	return f
}

// uncalled fails the test if the backend was called.
func (f *fixture) uncalled(t *testing.T) {
	t.Helper()
	if notes := f.backend.takeNotes(); len(notes) != 0 {
		t.Errorf("the backend was called: %q", notes)
	}
}

// TestCheckedInTime: a call is made behind a check that has the time.
func TestCheckedInTime(t *testing.T) {
	t.Parallel()
	f := newLending(t, 0, func() {})
	if a := f.call(t, context.Background(), lending, lend); a.Error != nil || strings.Contains(string(a.Result), `"isError":true`) {
		t.Errorf("got %s, error %+v", a.Result, a.Error)
	}
	if notes := f.backend.takeNotes(); len(notes) != 1 {
		t.Errorf("notes %q", notes)
	}
}

// TestCheckOverDeadline: a check that takes all the time of its call ends it, and the call is not made.
func TestCheckOverDeadline(t *testing.T) {
	t.Parallel()
	f := newLending(t, time.Nanosecond, func() {})
	a := f.call(t, context.Background(), lending, lend)
	var result toolResult
	if err := json.Unmarshal(a.Result, &result); err != nil {
		t.Fatal(err)
	}
	const want = "DEADLINE_EXCEEDED: the rules of the API could not be checked within the deadline of 1ns (deadline of its backend, " +
		"or --deadline)\n" +
		"outcome: not_executed "
	if text := result.Content[0].Text; !result.IsError || !strings.HasPrefix(text, want) {
		t.Errorf("text %q", text)
	}
	f.uncalled(t)
}

// TestCheckCancelled: a call that is cancelled while it is checked is not made.
func TestCheckCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := newLending(t, 0, cancel)
	msg := decode(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+lending+`","arguments":`+lend+`,`+modernMeta+`}}`)
	reply := f.server.Handle(ctx, f.gate.Stream(), msg)
	if strings.Contains(string(reply.Body), `"lent"`) {
		t.Errorf("reply %s", reply.Body)
	}
	f.uncalled(t)
}

// TestCheckAtClose: a check that goes on while the endpoint is closed ends, and its call is not made.
func TestCheckAtClose(t *testing.T) {
	t.Parallel()
	inside, release := make(chan struct{}, 100), make(chan struct{})
	f := newLending(t, 0, func() {
		inside <- struct{}{}
		<-release
	})
	handler := streamable.New(streamable.Config{Server: f.server, Gate: f.gate})
	endpoint := httptest.NewServer(handler)
	defer endpoint.Close()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + lending + `","arguments":` + lend + `,` + modernMeta + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": lending,
	} {
		r.Header.Set(name, value)
	}
	answered := make(chan error)
	go func() {
		reply, err := endpoint.Client().Do(r)
		if err == nil {
			err = reply.Body.Close()
		}
		answered <- err
	}()
	select {
	case <-inside:
	case err := <-answered:
		t.Fatalf("answered without a check, error %v", err)
	}
	handler.Close()
	close(release)
	handler.Wait()
	<-answered
	f.uncalled(t)
}
