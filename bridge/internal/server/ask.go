package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// question is why a call came to no end: its backend has to know more first. A
// modern client takes it along and comes back with the answers; so does whoever
// waits for a task.
type question struct {
	// asked is all that the backend asked for, its state included.
	asked *bridgev1.InputRequired
	// open is what is still to be asked, given what has been answered already, and
	// faults what is wrong with the answers that were not taken.
	open   []interaction.Request
	given  []*bridgev1.InputResponse
	faults []string
	// round counts the times that the backend has asked, from 1.
	round int
}

// Error implements error.
func (*question) Error() string {
	return "the backend has to know more before it can carry out the call"
}

// attempt makes a call once, with the answers there are; nil for none.
type attempt func(ctx context.Context, answers *bridgev1.InputResponses) *backend.Failure

// converse makes a call, and makes it again with the answers, as often as its
// backend asks: here it is decided for tools, prompts and resources who is asked
// and how. The error is a *[backend.Failure], a *[question] or, where the client's
// program is to know, a *[jsonrpc.Error]. The client is told meanwhile how far
// the call has come.
func (s *Server) converse(c *call, once attempt) error {
	r := c.request
	answers, round, err := s.answersOf(c)
	if err != nil {
		return err
	}
	c.progress = c.tells()
	defer c.progress.end()
	begun := false
	for ctx := s.outgoing(r.ctx, c); ; round++ {
		sent, err := s.interacting(ctx, c, answers)
		if err != nil {
			return err
		}
		c.progress.restart()
		c.attempted = time.Now()
		failure := once(sent, answers)
		if failure == nil {
			return nil
		}
		s.countRefusal(c.target.backend, failure)
		begun = begun || failure.Begun
		if failure.Input == nil || r.ctx.Err() != nil {
			return honest(failure, begun)
		}
		if answers, err = s.answersTo(c, failure.Input, round+1); err != nil {
			return honest(err, begun)
		}
	}
}

// honest returns the error of a call of which something may have been done before.
func honest(err error, begun bool) error {
	if failure, ok := errors.AsType[*backend.Failure](err); ok && begun {
		return failure.AfterBegun()
	}
	return err
}

// answersTo gets the answers to what a backend asks: from the client at once, or as
// a *[question].
func (s *Server) answersTo(c *call, in *bridgev1.InputRequired, round int) (*bridgev1.InputResponses, error) {
	q, err := s.question(c, in, round)
	if err != nil {
		return nil, err
	}
	if !c.request.leaves() {
		return s.ask(c.request, q)
	}
	if answers := c.request.ahead(c, q); answers != nil {
		return answers, nil
	}
	return nil, q
}

// leaves reports whether questions go to whoever waits for the call, and the call
// ends: so it is in the modern era and in a task.
func (r *request) leaves() bool { return r.scope.Features.Modern || r.progress != nil }

// outgoing is a context in which the backend is called, below ctx.
//
// The call goes on with the trace of its request (2026-07-28 basic/index,
// "_meta": traceparent and tracestate): as the client gave it, or, with
// telemetry, from the request's own span on, which is in the context.
func (s *Server) outgoing(ctx context.Context, c *call) context.Context {
	r := c.request
	if s.telemetry == nil {
		ctx = backend.WithTrace(ctx, backend.Trace(r.trace(r.scope)))
	}
	return backend.WithForwarded(ctx, r.conn.Peer().Forwarded)
}

// interacting has the call tell the backend what its client can be asked for, and
// carry the answers where the request has no field for them.
func (s *Server) interacting(ctx context.Context, c *call, answers *bridgev1.InputResponses) (context.Context, error) {
	var told backend.Interaction
	if r := c.request; r.out != nil || r.leaves() {
		told.Capabilities = interaction.Capabilities(r.scope.Capabilities, r.scope.Features)
	}
	if answers != nil && c.answersField() == nil {
		var err error
		if told.Responses, err = proto.Marshal(answers); err != nil {
			return nil, fmt.Errorf("write the answers of a client: %w", err)
		}
	}
	if told.Capabilities == nil && told.Responses == nil {
		return ctx, nil
	}
	return backend.WithInteraction(ctx, told), nil
}

// question reads what a backend asks for, and refuses what this client cannot be
// asked.
func (s *Server) question(c *call, in *bridgev1.InputRequired, round int) (*question, error) {
	requests, err := interaction.Read(in)
	if err != nil {
		s.log.WarnContext(c.request.ctx, "a backend asks what cannot be asked", "method", c.target.method.FullName(), "error", err)
		return nil, unasked(codes.Internal, "the backend asks what cannot be asked: "+err.Error())
	}
	if round > s.maxRounds {
		return nil, unasked(codes.Aborted, fmt.Sprintf("the backend has asked %d times and asks again, which is too often", s.maxRounds))
	}
	for i := range requests {
		if err := c.request.canBe(&requests[i]); err != nil {
			return nil, err
		}
	}
	c.request.operation.InputRequired(round, len(requests))
	return &question{asked: in, open: requests, round: round}, nil
}

// canBe refuses a request that needs what the client has not declared.
func (r *request) canBe(q *interaction.Request) error {
	switch {
	case interaction.Can(r.scope.Capabilities, r.scope.Features, q.Needs):
		return nil
	case r.scope.Features.Modern:
		return mcp.MissingCapability(q.Needs)
	}
	failure := unasked(codes.FailedPrecondition, fmt.Sprintf(
		"the backend asks something (%s) that needs a client with the capability %s, which this one does not have", q.Key, q.Needs))
	failure.Advice = "no, this client cannot do it; tell the user that it needs one with that capability"
	return failure
}

// maxUnasked bounds, in bytes, what is said of a question.
const maxUnasked = 1 << 10

// unasked is the failure of a call whose backend has asked, which it does before
// it has done anything, and got no answer.
func unasked(code codes.Code, message string) *backend.Failure {
	return &backend.Failure{Code: code, Message: jsonrpc.Clip(message, maxUnasked), Execution: backend.NotExecuted}
}

// leftAlone is the failure of a call whose client left while it waited for
// something else than its backend.
func leftAlone(done backend.Execution) *backend.Failure {
	return &backend.Failure{Code: codes.Canceled, Message: "the call was cancelled", Execution: done, Cancelled: true}
}

// ask asks a legacy client all at once and in order, on the stream of its request
// (2025-11-25 client/elicitation, client/sampling, client/roots), and returns its
// answers.
func (s *Server) ask(r *request, q *question) (*bridgev1.InputResponses, error) {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	answers := make([]*bridgev1.InputResponse, len(q.open))
	errs := make([]error, len(q.open))
	var asking sync.WaitGroup
	for i := range q.open {
		asked := make(chan struct{})
		next := sync.OnceFunc(func() { close(asked) })
		asking.Go(func() {
			defer next()
			if answers[i], errs[i] = s.askOne(ctx, r, &q.open[i], next); errs[i] != nil {
				cancel()
			}
		})
		<-asked
	}
	asking.Wait()
	if r.ctx.Err() != nil {
		return nil, leftAlone(backend.NotExecuted)
	}
	if err := first(errs); err != nil {
		return nil, err
	}
	return &bridgev1.InputResponses{Responses: answers, State: q.asked.GetState()}, nil
}

// first returns the first error that is not only the end of all.
func first(errs []error) (err error) {
	for _, e := range errs {
		if e != nil && !errors.Is(e, context.Canceled) {
			return e
		}
		if err == nil {
			err = e
		}
	}
	return err
}

// askOne asks one thing, and once more where the answer does not fit. It calls
// asked once it has been sent.
func (s *Server) askOne(ctx context.Context, r *request, q *interaction.Request, asked func()) (*bridgev1.InputResponse, error) {
	for again := false; ; again = true {
		raw, err := s.askOnce(ctx, r, q, asked)
		if err != nil {
			return nil, err
		}
		answer, err := q.Answer(raw)
		if err == nil {
			return answer, nil
		}
		if again {
			return nil, unasked(codes.FailedPrecondition, fmt.Sprintf("the client's answer to %q does not fit, for the second time: %v", q.Key, err))
		}
		q.Fault = err.Error()
	}
}

// askOnce waits for an answer.
func (s *Server) askOnce(ctx context.Context, r *request, q *interaction.Request, asked func()) ([]byte, error) {
	waiting, cancel := context.WithTimeout(ctx, s.answerTimeout)
	defer cancel()
	if r.out == nil {
		return nil, unasked(codes.FailedPrecondition, cannotAsk)
	}
	send := func(ctx context.Context, message []byte) error {
		defer asked()
		return r.out.Send(ctx, message)
	}
	raw, err := r.conn.Ask(waiting, send, q.Method, q.Params(r.scope.Features))
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return raw, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &refused):
		return nil, unasked(codes.FailedPrecondition, fmt.Sprintf("the client answered the question %q with an error: %s (code %d)",
			q.Key, jsonrpc.Echo(refused.Message), refused.Code))
	case errors.Is(err, session.ErrMailboxFull):
		full := unasked(codes.ResourceExhausted, fmt.Sprintf("the question %q could not be asked: too many are open, which have to be answered first", q.Key))
		full.Retryable = true
		return nil, full
	case errors.Is(err, session.ErrNotFound), errors.Is(err, session.ErrNoQuestion):
		return nil, unasked(codes.Unavailable, fmt.Sprintf("the question %q has no answer: the session of its client has ended", q.Key))
	case errors.Is(err, lifecycle.ErrCannotAsk):
		return nil, unasked(codes.FailedPrecondition, cannotAsk)
	case waiting.Err() != nil:
		return nil, unasked(codes.DeadlineExceeded, fmt.Sprintf("the question %q was not answered within %v", q.Key, s.answerTimeout))
	}
	return nil, unasked(codes.Unavailable, fmt.Sprintf("the question %q could not be asked: the client cannot be reached", q.Key))
}

// cannotAsk is told where nothing can be sent to a client but the answer.
const cannotAsk = "the backend asks something, and this client takes no stream on which it could be asked"
