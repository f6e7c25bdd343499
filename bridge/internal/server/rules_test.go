package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// TestRulesBeforeTheCall: a request that breaks rules does not reach the backend.
func TestRulesBeforeTheCall(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, counter, "LendBooks: {}", nil)
	loans := strings.Repeat(`{"isbn":"x"},`, 28) + `{"isbn":""}`
	a := f.call(t, context.Background(), "counter_lend_books", `{"cardNumber":"A-1234","bookLoans":[`+loans+`],"myself":true}`)
	var result toolResult
	if err := json.Unmarshal(a.Result, &result); err != nil {
		t.Fatal(err)
	}
	text := result.Content[0].Text
	const head = "INVALID_ARGUMENT: 29 arguments break the rules of the API:\n- bookLoans[0].isbn: must be at least 10 characters\n"
	const tail = "\n- and 9 more\noutcome: not_executed (the backend was not called)\nretry: no, correct the arguments first"
	if !result.IsError || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || len(text) > 4000 {
		t.Errorf("text %q", text)
	}
	if notes := f.backend.takeNotes(); len(notes) != 0 {
		t.Errorf("the backend was asked: %q", notes)
	}
}

// TestRulesSkipped: an operator can leave the judgement to the backend.
func TestRulesSkipped(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, counter, "LendBooks: {}", nil)
	b, err := backend.New(backend.Config{Name: "counter", Conn: f.conn})
	if err != nil {
		t.Fatal(err)
	}
	offered, err := catalog.Compile([]catalog.Source{{Backend: b, Set: f.backend.set, SkipRules: true}}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.offered.Store(offered)
	if a := f.call(t, context.Background(), "counter_lend_books", `{}`); strings.Contains(string(a.Result), "isError\":true") {
		t.Errorf("got %s", a.Result)
	}
}

// TestRulesThatCannotBeChecked are told to the operator once.
func TestRulesThatCannotBeChecked(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	f := newFixtureOf(t, counter, "Stamp: {}", slog.New(slog.NewTextHandler(&log, nil)))
	for range 3 {
		if a := f.call(t, context.Background(), "counter_stamp", `{"ink":"red"}`); strings.Contains(string(a.Result), "isError\":true") {
			t.Errorf("got %s", a.Result)
		}
	}
	text := log.String()
	if strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, "method=counter.v1.CounterService.Stamp") ||
		!strings.Contains(text, "colour") {
		t.Errorf("log %q", text)
	}
}
