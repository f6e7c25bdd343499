package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// CallOption changes one call of [Bridge.Call]. A nil one is an error where it is used.
type CallOption func(*calling) error

// Answering has a call answer what its backend asks, in as many rounds as it asks in; see [WithMaxRounds].
//
// capabilities are what can be asked for, a JSON object as the ClientCapabilities of MCP, such as
// {"elicitation":{"form":{},"url":{}}}. A backend that asks for anything else fails the call. nil and {} declare nothing, and
// extensions, which change what a call returns, are an error.
//
// answer gets the inputRequests of one round, a JSON object of requests by their keys, in the order in which they were asked, and
// returns the inputResponses, an object of their results by the same keys (2026-07-28 basic/patterns/mrtr). An answer that is
// missing or does not fit, as [CheckInputResponse] tells, is asked for again. It is called within Call, in the same goroutine, with
// its ctx, owns what it is given, and has to return once ctx ends. Its error ends the call, and Call returns it as it is. What it
// returns that is no JSON object is an error that wraps [ErrProtocol]. The backend has done nothing while it is asked, and an answer
// that takes longer than [WithStateLifetime] comes too late. A nil answer is an error.
func Answering(capabilities []byte, answer func(ctx context.Context, inputRequests []byte) (inputResponses []byte, err error)) CallOption {
	return func(c *calling) error {
		if answer == nil {
			return errors.New("Answering: the function that answers is nil; leave the option out where nothing can be asked")
		}
		if len(capabilities) == 0 {
			capabilities = []byte("{}")
		}
		declared, ok := object(capabilities)
		if !ok {
			return errors.New(`Answering: the capabilities must be a JSON object, such as {"elicitation":{"form":{}}}`)
		}
		if _, extended := jsonrpc.Find(declared, "extensions"); extended {
			return errors.New("Answering: the capabilities have extensions, which change what a call returns: leave them out")
		}
		c.capabilities, c.answer = declared, answer
		return nil
	}
}

// CheckInputResponse holds an answer against its question, by the rules by which [Bridge.Call] and the bridge's clients have their
// answers checked: for who asks a user and wants to tell at once what does not fit. inputRequest is a value of inputRequests,
// {"method": …, "params": …}, and inputResponse the one for inputResponses, such as {"action": "accept", "content": {…}}
// (2026-07-28 basic/patterns/mrtr). The error is a sentence that names the field and the mend, such as `"agree" must be true or
// false`. What no field of the form asks for is passed over. Safe for concurrent use.
func CheckInputResponse(inputRequest, inputResponse []byte) error {
	return interaction.CheckAnswer(bytes.TrimSpace(inputRequest), bytes.TrimSpace(inputResponse))
}

// maxUnfit is how often more than [WithMaxRounds] answers may be asked for in one call: those that do not fit are asked for again,
// which is no new round.
const maxUnfit = 100

// calling is how one call is made.
type calling struct {
	capabilities []byte // of the client, a JSON object
	answer       func(ctx context.Context, inputRequests []byte) ([]byte, error)
}

func newCalling(opts []CallOption) (*calling, error) {
	c := &calling{capabilities: []byte("{}")}
	for i, opt := range opts {
		if opt == nil {
			return nil, fmt.Errorf("option %d of %d is nil", i+1, len(opts))
		}
		if err := opt(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// retry answers the questions of a result, and returns the members of params with which the call is made again. A result without
// questions, of a backend that only wants to be called again, needs no answer.
func (c *calling) retry(ctx context.Context, tool string, result []byte) (members []byte, err error) {
	if requests, asks := jsonrpc.Find(result, "inputRequests"); asks {
		if members, err = c.respond(ctx, tool, requests); err != nil {
			return nil, err
		}
	}
	if state, ok := jsonrpc.Find(result, "requestState"); ok {
		members = append(append(members, `,"requestState":`...), state...)
	}
	return members, nil
}

// respond has questions answered, and returns the answers as a member of params.
func (c *calling) respond(ctx context.Context, tool string, requests []byte) ([]byte, error) {
	if c.answer == nil {
		return nil, fmt.Errorf("call of %q: the bridge asks although nothing can be asked", tool)
	}
	answers, err := c.answer(ctx, bytes.Clone(requests))
	if err != nil {
		return nil, err
	}
	responses, ok := object(answers)
	if !ok {
		return nil, fmt.Errorf("%w: call of %q: the answers are no JSON object with one for each key of inputRequests", ErrProtocol, tool)
	}
	return append([]byte(`,"inputResponses":`), responses...), nil
}

// object returns a JSON object without the space around it; false for anything else.
func object(raw []byte) ([]byte, bool) {
	raw = bytes.TrimSpace(raw)
	return raw, len(raw) > 0 && raw[0] == '{' && jsonrpc.Check(raw, jsonrpc.DefaultLimits) == nil
}
