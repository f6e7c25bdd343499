package server

import (
	"errors"
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// retry is what a modern request brings that is sent again with answers. Without a
// state, the answers are to what the backend asks first.
type retry struct {
	state     *interaction.State // nil for none
	responses []byte             // the answers by their keys, raw; nil for none
	err       *jsonrpc.Error
}

// kept is what a request brings, without its message; nil for nothing.
func (r *retry) kept() *retry {
	if r == nil {
		return nil
	}
	return &retry{state: r.state, responses: slices.Clone(r.responses), err: r.err}
}

// resume reads what a request brings from an earlier round: before its span
// begins, which belongs to the trace of that round.
func (c *Call) resume(scope *lifecycle.Scope) {
	if !scope.Features.Modern || !canAsk(c.name) {
		return
	}
	given, err := mcp.ParseRetry(c.request.params)
	if err != nil {
		c.request.retry = &retry{err: err}
		return
	}
	if given.State == "" {
		if given.Responses != nil {
			c.request.retry = &retry{responses: given.Responses}
		}
		return
	}
	b := binding(c.name, scope, c.request.params, c.destination())
	state, failure := c.server.sealer.Open(given.State, &b)
	c.request.retry = &retry{state: state, responses: given.Responses, err: stale(failure)}
}

// canAsk reports whether there is a call of a backend behind a method, which may
// ask (2026-07-28 basic/patterns/mrtr).
func canAsk(method string) bool {
	return method == mcp.MethodToolsCall || method == mcp.MethodPromptsGet || method == mcp.MethodResourcesRead
}

// stale is the error for a state that does not open; nil for none.
func stale(failure error) *jsonrpc.Error {
	switch {
	case failure == nil:
		return nil
	case errors.Is(failure, interaction.ErrExpired):
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
			"requestState has expired: start again, with the request as it was at first, without requestState and inputResponses")
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "requestState is not one that this server gave for this request: "+
		"start again, with the request as it was at first, without requestState and inputResponses")
}

// destination names the backend and the method that a request goes to; "" for
// none.
func (c *Call) destination() string {
	offered := c.server.catalog()
	switch c.name {
	case mcp.MethodToolsCall:
		if params, err := mcp.ParseCallTool(c.request.params); err == nil {
			if tool := calledTool(offered, params); tool != nil {
				t := toolTarget(tool)
				return t.destination()
			}
		}
	case mcp.MethodPromptsGet:
		if prompt, ok := offered.Prompt(c.param("name")); ok {
			t := promptTarget(prompt)
			return t.destination()
		}
	case mcp.MethodResourcesRead:
		if address, ok := offered.Resource(c.param("uri")); ok {
			t := readingTarget(address.Reading)
			return t.destination()
		}
	}
	return ""
}

// destination names the backend and the method.
func (t *target) destination() string { return t.backend.Name() + " " + string(t.method.FullName()) }

// binding is what a state is good for: this request alone, of this principal.
func binding(method string, scope *lifecycle.Scope, params jsonrpc.Object, destination string) interaction.Binding {
	naming := "name"
	if method == mcp.MethodResourcesRead {
		naming = "uri"
	}
	name, _ := params.Find(naming)
	arguments, _ := params.Find("arguments")
	told, _ := jsonrpc.Unquote(name)
	return interaction.Binding{
		Principal: scope.Principal, Method: method,
		Target:    strings.Join([]string{destination, told}, " "),
		Arguments: interaction.Digest(arguments),
	}
}

// trace is where the request stands: at the place that it names itself, else at
// that of the first round.
func (r *request) trace(scope *lifecycle.Scope) mcp.Trace {
	if own := scope.Meta.Trace; own.Parent != "" {
		return own
	}
	return mcp.Trace{Parent: r.retry.continues()}
}

// continues is the traceparent of the first round; "" for none.
func (r *retry) continues() string {
	if r == nil || r.state == nil {
		return ""
	}
	return r.state.TraceParent
}

// ahead returns the answers that a request has brought to its first question
// without a state, as clients do that know it already: nil where there are none,
// or not all, and then those that there are stand in the question.
func (r *request) ahead(c *call, q *question) *bridgev1.InputResponses {
	if r.retry == nil || r.retry.state != nil || q.round > 1 {
		return nil
	}
	if c.sort(q, nil); len(q.open) > 0 {
		return nil
	}
	return &bridgev1.InputResponses{Responses: q.given, State: q.asked.GetState()}
}

// answersOf returns the answers that a request brings, nil for none, and how
// often its backend has asked. Answers that are missing or do not fit are a
// *question.
func (s *Server) answersOf(c *call) (*bridgev1.InputResponses, int, error) {
	again := c.request.retry
	switch {
	case again == nil:
		return nil, 0, nil
	case again.err != nil:
		return nil, 0, again.err
	case again.state == nil:
		return nil, 0, nil
	}
	state := again.state
	requests, err := interaction.Read(state.Asked)
	if err != nil {
		return nil, 0, stale(interaction.ErrState)
	}
	q := &question{asked: state.Asked, open: requests, round: state.Round}
	if c.sort(q, state.Given); len(q.open) == 0 {
		return &bridgev1.InputResponses{Responses: q.given, State: state.Asked.GetState()}, state.Round, nil
	}
	for i := range q.open {
		if err := c.request.canBe(&q.open[i]); err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, q
}

// sort holds the answers that the request brings against a question, which then
// has those that are still missing. kept are those that were brought before.
func (c *call) sort(q *question, kept []*bridgev1.InputResponse) {
	sorted := interaction.Sort(q.open, kept, c.request.retry.responses)
	q.given, q.open, q.faults = sorted.Given, sorted.Missing, sorted.Faults
	for _, fault := range q.faults {
		c.log(mcp.LevelWarning, fault, "INVALID_ARGUMENT")
	}
}

// appendQuestion appends the result by which a modern client learns what its
// request needs: the questions, and the state that it brings back with the
// answers, sealed. What was wrong with the answers before stands in the questions,
// and in _meta.
func (s *Server) appendQuestion(r *request, dst []byte, t *target, q *question) ([]byte, *jsonrpc.Error) {
	f := r.scope.Features
	result := mcp.InputRequiredResult{Meta: merged(s.metas[f], faultsMeta(q.faults))}
	for i := range q.open {
		result.Requests = append(result.Requests, q.open[i].Wire(f))
	}
	state := &interaction.State{Asked: q.asked, Given: q.given, Round: q.round, TraceParent: r.firstPlace()}
	b := binding(r.method, r.scope, r.params, t.destination())
	var err error
	if result.State, err = s.sealer.Seal(state, &b); err != nil {
		s.log.ErrorContext(r.ctx, "the state of a call cannot be sealed", "method", t.method.FullName(), "error", err)
		return nil, jsonrpc.Internal()
	}
	return result.AppendJSON(dst), nil
}

// firstPlace is the traceparent of the first round of the request.
func (r *request) firstPlace() string {
	if first := r.retry.continues(); first != "" {
		return first
	}
	return telemetry.Parent(r.ctx)
}
