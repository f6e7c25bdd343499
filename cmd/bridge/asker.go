package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// asker answers what a tool asks its user: with what --answer says, one after the other, and then by asking whoever sits at the
// terminal.
type asker struct {
	given    []string  // by --answer, and not used yet
	used     int       // of those given
	terminal *terminal // nil where nobody can be asked
	shown    io.Writer // where questions are shown that nobody answers
	can      bool      // there was somebody or something to answer from the start
	waits    bool      // a question is not answered
}

// elicitResult is the answer to a question.
type elicitResult struct {
	Action  string                     `json:"action"`
	Content map[string]json.RawMessage `json:"content,omitzero"`
}

const (
	actionAccept  = "accept"
	actionDecline = "decline"
	actionCancel  = "cancel"
)

// newAsker checks what --answer says. Somebody can be asked who sees stderr and types on stdin, which is not read for the arguments.
func newAsker(cmd *cobra.Command, given, args []string) (*asker, error) {
	for _, text := range given {
		if _, err := parseAnswer(text); err != nil {
			return nil, err
		}
	}
	a := &asker{given: given, shown: cmd.ErrOrStderr()}
	if !slices.Equal(args, []string{"-"}) && isTerminal(cmd.InOrStdin()) && isTerminal(cmd.ErrOrStderr()) {
		a.terminal = newTerminal(cmd.InOrStdin(), cmd.ErrOrStderr())
	}
	a.can = a.terminal != nil || len(given) > 0
	return a, nil
}

// parseAnswer reads a value of --answer.
func parseAnswer(text string) (elicitResult, error) {
	switch text = strings.TrimSpace(text); text {
	case actionDecline, actionCancel:
		return elicitResult{Action: text}, nil
	}
	result := elicitResult{Action: actionAccept}
	if err := json.Unmarshal([]byte(text), &result.Content); err != nil || result.Content == nil {
		return result, usagef(`--answer %q: give the form as a JSON object, such as '{"agree": true}', or decline or cancel`, text)
	}
	return result, nil
}

// capabilities are those of a client that can be asked for what this one can answer, a JSON object. They stay the same in all rounds
// of a call. a may be nil.
func (a *asker) capabilities() json.RawMessage {
	if a == nil || !a.can {
		return json.RawMessage("{}")
	}
	return json.RawMessage(`{"elicitation":{"form":{},"url":{}}}`)
}

// answer answers the inputRequests of one round, in their order, and returns the inputResponses.
func (a *asker) answer(ctx context.Context, requests []byte) ([]byte, error) {
	a.waits = true
	questions, err := readQuestions(requests)
	if err != nil {
		return nil, err
	}
	responses := map[string]elicitResult{}
	for i := range questions {
		if responses[questions[i].key], err = a.one(ctx, &questions[i]); err != nil {
			return nil, err
		}
	}
	a.waits = false
	return json.Marshal(responses)
}

func (a *asker) one(ctx context.Context, q *question) (elicitResult, error) {
	if len(a.given) > 0 {
		text := a.given[0]
		a.given, a.used = a.given[1:], a.used+1
		result, err := parseAnswer(text)
		if err == nil && result.Action == actionAccept {
			err = q.check(result.Content)
		}
		if err != nil {
			a.show(q)
			return result, fmt.Errorf("the --answer number %d does not fit what the tool asks: %w", a.used, err)
		}
		if q.page != nil {
			result.Content = nil
		}
		return result, nil
	}
	if a.terminal != nil {
		return a.terminal.ask(ctx, q)
	}
	a.show(q)
	return elicitResult{}, errors.New("the tool asks, and no --answer is left: " + onceMoreMend)
}

// show shows a question that is not answered.
func (a *asker) show(q *question) {
	lines := q.lines()
	for i := range q.fields {
		lines = append(lines, q.fields[i].lines()...)
	}
	fmt.Fprintln(a.shown, strings.Join(lines, "\n"))
}

// aftermath says what an interrupted call has come to: otherwise, unless a question is open.
func (a *asker) aftermath(otherwise string) string {
	if a.waits {
		return ": what the tool asks was not answered"
	}
	return otherwise
}

// warn tells of what was given and not asked for.
func (a *asker) warn() {
	if n := len(a.given); n > 0 {
		fmt.Fprintf(a.shown, "bridge: warning: %d of %d --answer were not asked for\n", n, n+a.used)
	}
}

// sortedKeys are the names of an object's members in their order.
func sortedKeys(object map[string]json.RawMessage) []string { return slices.Sorted(maps.Keys(object)) }
