package bridge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/ask"
)

// TestOutcomeOfAQuestion: a call that comes to no end because its question is not answered has done nothing, unless an attempt before
// the one that asked may have.
func TestOutcomeOfAQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []error // of one attempt after the other
		can     string
		want    string
	}{
		"asks at once":                 {[]error{ask.Require(ask.Roots("where"))}, "{}", "outcome: not_executed"},
		"asks after a failure":         {[]error{status.Error(codes.Unavailable, "half written"), ask.Require(ask.Roots("where"))}, "{}", "outcome: unknown"},
		"asks what cannot be asked":    {[]error{status.Error(codes.Unavailable, "half written"), ask.Require(ask.Roots(""))}, allCan, "outcome: unknown"},
		"asks once more after failure": {[]error{status.Error(codes.Unavailable, "half written"), ask.Require(ask.Roots("a")), ask.Require(ask.URL("b", "m", "https://a.example"))}, `{"roots":{}}`, "outcome: unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := -1
			_, backend := startJobs(t, func(context.Context, string) (proto.Message, error) {
				calls++
				return nil, c.answers[calls]
			})
			backend.Retry.Idempotent = []string{"*"}
			p := openPipe(t, newBridge(t, []bridge.Backend{backend}), "2025-11-25")
			p.ask(t, "initialize", strings.Replace(opening("2025-11-25"), `"capabilities":{}`, `"capabilities":`+c.can, 1)).wantResult(t)
			p.send(t, body("2025-11-25", "", "notifications/initialized", "", ""))
			p.send(t, body("2025-11-25", "7", "tools/call", `{"name":"job_work","arguments":{}}`, ""))
			m := p.next(t)
			for ; m.Method != ""; m = p.next(t) {
				p.send(t, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"roots":[]}}`)
			}
			m.wantResult(t, `"isError":true`, c.want)
		})
	}
}

// TestOutcomeOfALongForm: a failure says its outcome and what can be done, however much there is to say of an answer.
func TestOutcomeOfALongForm(t *testing.T) {
	t.Parallel()
	var choices []string
	for i := range 800 {
		choices = append(choices, fmt.Sprintf("choice-%04d", i))
	}
	_, backend := startJobs(t, func(context.Context, string) (proto.Message, error) {
		return nil, ask.Require(ask.Form("q", "Which?", ask.Enum("c", choices)))
	})
	p := openPipe(t, newBridge(t, []bridge.Backend{backend}), "2025-11-25")
	p.ask(t, "initialize", strings.Replace(opening("2025-11-25"), `"capabilities":{}`, `"capabilities":`+allCan, 1)).wantResult(t)
	p.send(t, body("2025-11-25", "", "notifications/initialized", "", ""))
	p.send(t, body("2025-11-25", "7", "tools/call", `{"name":"job_work","arguments":{}}`, ""))
	m := p.next(t)
	for ; m.Method != ""; m = p.next(t) {
		p.send(t, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"action":"accept","content":{"c":"none"}}}`)
	}
	m.wantResult(t, `"isError":true`, "must be one of choice-0000", "outcome: not_executed", "retry: ")
}
