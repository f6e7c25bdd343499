package bridge_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// booking is a method of the ledger as a history calls it.
type booking struct {
	tool    string
	streams bool
	most    int // how often a call may be carried out
}

// bookings are all methods of the ledger.
var bookings = []booking{{"ledger_add", false, 1}, {"ledger_put", false, 3}, {"ledger_follow", true, 1}, {"ledger_read", true, 3}}

// The outcomes of calls: that of a result, and those that a tool's failure has.
const (
	outcomeOK          = "ok"
	outcomeExecuted    = "executed"
	outcomeNotExecuted = "not_executed"
	outcomeUnknown     = "unknown"
)

// record is a call as its client saw it.
type record struct {
	booking

	key     string
	replies int  // that were asked for
	refused bool // whether the backend had to refuse it, at its end

	answer    string // as it came
	outcome   string // "" where none came
	truncated bool   // a stream that the bridge ended, of which the rest is missing
	got       []booked
	late      time.Duration // beyond its deadline
}

// booked is a reply.
type booked struct {
	Key    string `json:"key"`
	Number int    `json:"number"`
}

// read takes the record's outcome and replies out of the answer.
func (r *record) read(answer []byte) {
	r.answer = string(answer)
	var m struct {
		Result *struct {
			Content []struct{ Text string }
			IsError bool
			Meta    struct {
				Failure struct{ Outcome string } `json:"io.github.mcpgrpc.bridge/error"`
			} `json:"_meta"`
		}
		Error *struct{ Data struct{ Outcome string } }
	}
	switch err := json.Unmarshal(answer, &m); {
	case err != nil:
	case m.Error != nil:
		r.outcome = m.Error.Data.Outcome
	case m.Result == nil:
	default:
		r.outcome = outcomeOK
		if m.Result.IsError {
			r.outcome = m.Result.Meta.Failure.Outcome
		}
		for _, block := range m.Result.Content { // not every revision has structuredContent
			if strings.HasPrefix(block.Text, "{") {
				r.take([]byte(block.Text))
			}
		}
	}
}

// take reads replies.
func (r *record) take(content []byte) {
	var c struct {
		booked

		Items     []booked
		Truncated bool
	}
	if err := json.Unmarshal(content, &c); err != nil {
		r.outcome = ""
		return
	}
	r.truncated = c.Truncated
	if r.got = c.Items; !r.streams {
		r.got = []booked{c.booked}
	}
}

// violations are the promises that the bridge has broken with a call that its backend has begun so often. A call may take grace
// longer than its deadline.
func (r *record) violations(executions int, grace time.Duration) []string {
	var found []string
	wrong := func(format string, args ...any) {
		found = append(found, fmt.Sprintf("%s %s: ", r.tool, r.key)+fmt.Sprintf(format, args...)+": "+r.answer)
	}
	least, most := 0, r.most
	switch r.outcome {
	case outcomeOK, outcomeExecuted:
		least = 1
	case outcomeNotExecuted:
		most = 0
	case outcomeUnknown:
	default:
		wrong("it has no outcome")
	}
	if executions < least || executions > most {
		wrong("%s, and was carried out %d times", cmp.Or(r.outcome, "nothing"), executions)
	}
	if r.outcome == outcomeOK && (r.refused && !r.truncated || !r.truncated && len(r.got) != r.replies) || len(r.got) > r.replies {
		wrong("%d of %d replies, refused: %t", len(r.got), r.replies, r.refused)
	}
	for i, b := range r.got {
		if b != (booked{r.key, i}) {
			wrong("reply %d is %+v", i, b)
		}
	}
	if r.late > grace {
		wrong("its outcome came %v after its deadline", r.late)
	}
	return found
}

// TestHistoryViolations: the check of a history finds what it is for.
func TestHistoryViolations(t *testing.T) {
	t.Parallel()
	one, many := bookings[0], bookings[3]
	failed := func(outcome string) string {
		return `{"result":{"isError":true,"content":[{"text":"UNAVAILABLE"}],"_meta":{"io.github.mcpgrpc.bridge/error":{"outcome":"` + outcome +
			`"}}}}`
	}
	const (
		ok    = `{"result":{"content":[{"text":"{\"key\":\"k\",\"number\":0}"}]}}`
		items = `{"result":{"content":[{"text":"{\"items\":[{\"key\":\"k\"},{\"key\":\"k\",\"number\":1}]}"}]}}`
	)
	for _, c := range []struct {
		name       string
		call       record
		answer     string
		executions int
		want       string
	}{
		{"a reply", record{booking: one, replies: 1}, ok, 1, ""},
		{"a reply to what was not done", record{booking: one, replies: 1}, ok, 0, "ok, and was carried out 0 times"},
		{"a reply to what was done twice", record{booking: one, replies: 1}, ok, 2, "ok, and was carried out 2 times"},
		{"another's reply", record{booking: one, replies: 1}, strings.Replace(ok, `:\"k`, `:\"l`, 1), 1, "reply 0 is {Key:l Number:0}"},
		{"the reply to what was refused", record{booking: one, replies: 1, refused: true}, ok, 1, "1 of 1 replies, refused: true"},
		{"an honest failure", record{booking: one, replies: 1}, failed("not_executed"), 0, ""},
		{
			"a failure that was carried out",
			record{booking: one, replies: 1},
			failed("not_executed"), 1,
			"not_executed, and was carried out 1 times",
		},
		{"one that may have been", record{booking: one, replies: 1}, failed("unknown"), 1, ""},
		{"and twice", record{booking: one, replies: 1}, failed("unknown"), 2, "unknown, and was carried out 2 times"},
		{"an answer of nobody", record{booking: one, replies: 1}, failed("executed"), 0, "executed, and was carried out 0 times"},
		{"a failure without an outcome", record{booking: one, replies: 1}, failed(""), 0, "it has no outcome"},
		{"an error without one", record{booking: one, replies: 1}, `{"error":{"code":-32603}}`, 0, "it has no outcome"},
		{"an error with one", record{booking: one, replies: 1}, `{"error":{"data":{"outcome":"unknown"}}}`, 1, ""},
		{"no answer", record{booking: one, replies: 1}, "", 1, "it has no outcome"},
		{"a late one", record{booking: one, replies: 1, late: 2 * time.Second}, ok, 1, "its outcome came 2s after its deadline"},
		{"a stream", record{booking: many, replies: 2}, items, 3, ""},
		{"a stream too often", record{booking: many, replies: 2}, items, 4, "ok, and was carried out 4 times"},
		{"a stream that lacks a reply", record{booking: many, replies: 3}, items, 1, "2 of 3 replies, refused: false"},
		{"a stream that was ended", record{booking: many, replies: 3}, strings.Replace(items, `\"items`, `\"truncated\":true,\"items`, 1), 1, ""},
		{
			"a stream with one twice",
			record{booking: many, replies: 2},
			strings.Replace(items, `,\"number\":1`, "", 1), 1,
			"reply 1 is {Key:k Number:0}",
		},
		{
			"data and a failure",
			record{booking: many, replies: 3},
			strings.Replace(failed("unknown"), `}]`, `},{"text":"{\"items\":[{\"key\":\"l\"}]}"}]`, 1), 1, "reply 0 is {Key:l Number:0}",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.call.key = "k"
			c.call.read([]byte(c.answer))
			found := strings.Join(c.call.violations(c.executions, time.Second), "\n")
			if (c.want == "") != (found == "") || !strings.Contains(found, c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}
