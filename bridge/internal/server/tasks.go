package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/task"
	"github.com/mcpgrpc/bridge/bridge/internal/telemetry"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// hasTasks reports whether the client of a request can be given a task.
func (r *request) hasTasks() bool {
	return r.scope.Features.Tasks && mcp.HasCapability(r.scope.Capabilities, mcp.CapabilityTasks)
}

// inTask decides whether a call goes on as a task behind its answer: where its
// tool allows it and its client has tasks. A tool that is a task and nothing else
// cannot be called by a modern client that has none; a legacy one cannot have
// them, and waits.
func (r *request) inTask(tool *catalog.Tool) (bool, *jsonrpc.Error) {
	switch {
	case tool.Task == catalog.Never:
		return false, nil
	case r.hasTasks():
		return true, nil
	case tool.Task == catalog.Required && r.scope.Features.Modern:
		return false, mcp.MissingCapability(mcp.CapabilityTasks)
	}
	return false, nil
}

// runLater makes a call that may be a task one. A method that begins an operation
// is called before there is a task for it; any other that may be one is called in
// it. Where there is no room the call goes on as that of a client without tasks,
// over being false, unless its tool is a task and nothing else.
func (s *Server) runLater(r *request, tool *catalog.Tool, arguments []byte) (end ending, over bool) {
	full := true
	if tool.Operation {
		full = errors.Is(s.tasks.Room(r.scope.Principal), task.ErrFull)
	} else {
		t := toolTarget(tool)
		if path := t.lacks(r.scope.Capabilities); path != "" {
			return ending{err: mcp.MissingCapability(path)}, true
		}
		if begun, err := s.startTask(r, tool, arguments, nil); begun || err != nil {
			return ending{err: err}, true
		}
	}
	if !full || tool.Task != catalog.Required {
		return ending{}, false
	}
	return ending{result: s.withoutRoom()}, true
}

// withoutRoom is the result of a tool that has to be a task, and cannot now.
func (s *Server) withoutRoom() *mcp.CallToolResult {
	failure := &backend.Failure{
		Code: codes.ResourceExhausted, Message: "this tool is called as a task: " + task.ErrFull.Error(), Execution: backend.NotExecuted,
		Retryable: true, RetryAfter: s.tasks.PollInterval(),
	}
	return outcome(nil, nil, &fault{kind: faultBackend, code: failure.CodeName(), failure: failure})
}

// startTask makes a call a task, which is the answer. arguments are those of the
// message, and are copied; op is an operation that the backend has begun already,
// nil for none. A state that is not for this call is refused before. Where there
// is no room for a task none has begun, which is no error.
func (s *Server) startTask(r *request, tool *catalog.Tool, arguments []byte, op *backend.Operation) (begun bool, _ *jsonrpc.Error) {
	if r.retry != nil && r.retry.err != nil {
		return false, r.retry.err
	}
	if r.ctx.Err() != nil { // nobody would learn of the task
		return false, jsonrpc.Errorf(jsonrpc.CodeInternal, "the call was cancelled")
	}
	leave, open := s.enter()
	if !open {
		leave()
		return false, taskError(task.ErrClosed, op)
	}
	release := r.release
	work := &work{server: s, request: r.apart(r.ctx, nil, nil, nil, 0), tool: tool, arguments: slices.Clone(arguments), operation: op}
	created, err := s.tasks.Start(r.ctx, r.scope.Principal, func(ctx context.Context, t *task.Task) {
		defer leave()
		defer release()
		work.run(ctx, t)
	})
	if err != nil {
		leave()
		if errors.Is(err, task.ErrFull) {
			return false, nil
		}
		return false, taskError(err, op)
	}
	r.created, r.release = &created, func() {}
	return true, nil
}

// taskError is the error of a call for which there can be no task. An operation, nil
// for none, goes on all the same.
func taskError(err error, op *backend.Operation) *jsonrpc.Error {
	e, came := jsonrpc.Errorf(jsonrpc.CodeInternal, "%v", err), backend.NotExecuted
	if op != nil {
		e.Message = fmt.Sprintf("the operation %q goes on, do not start it again; it cannot be followed: %v", jsonrpc.Echo(op.Name), err)
		came = backend.Executed
	}
	e.Data = []byte(`{"outcome":"` + string(came) + `"}`)
	return e
}

// work is what a task does.
type work struct {
	server    *Server
	request   *request // of which each round has a copy
	tool      *catalog.Tool
	arguments []byte
	operation *backend.Operation // that the backend has begun; nil for none
	seen      observation        // of the task as a whole, all its rounds
}

// run makes the call, and makes it again with the answers, as often as its backend
// asks.
func (w *work) run(ctx context.Context, t *task.Task) {
	ctx = w.observe(ctx)
	defer w.observed(ctx)
	defer w.rescue(ctx, t)
	told := func(p *mcp.Progress) { t.Say(said(p)) }
	var asked *bridgev1.InputRequired
	var answers []*bridgev1.InputResponse
	for round := 0; ; {
		r := w.request.apart(backend.WithDeadline(ctx, w.server.tasks.TTL()), told, asked, answers, round)
		r.operation, r.content = w.seen.operation, w.seen.content
		end := w.attempt(r)
		switch {
		case ctx.Err() != nil:
			w.seen.outcome = endOf(ctx)
			return
		case end.operation != nil:
			w.operation = end.operation
		case end.err != nil:
			w.seen.outcome = telemetry.Outcome{Code: end.err.Code, Message: cmp.Or(r.fault, end.err.Message)}
			t.Fail(end.err)
			return
		case end.question == nil:
			result := w.server.appendTool(r, nil, end.result)
			w.seen.outcome = r.outcome
			t.Complete(result)
			return
		default:
			given, err := t.Ask(ctx, end.question.open, r.scope.Features)
			if err != nil {
				w.seen.outcome = endOf(ctx)
				return
			}
			asked, round, w.operation = end.question.asked, end.question.round, nil
			answers = append(slices.Clip(end.question.given), given...)
		}
	}
}

// attempt makes the call once, or goes on with the operation that it has begun.
func (w *work) attempt(r *request) ending {
	scratch := new([]byte)
	if w.operation != nil {
		return w.server.follow(r, w.tool, w.arguments, w.operation, scratch)
	}
	return w.server.perform(r, w.tool, w.arguments, scratch)
}

// rescue makes a panic the failure of this task alone.
func (w *work) rescue(ctx context.Context, t *task.Task) {
	if fault := recover(); fault != nil {
		w.server.log.ErrorContext(ctx, "panic in a task", "method", w.tool.Method.FullName(), "panic", fault, "stack", string(debug.Stack()))
		failure := internal()
		w.seen.outcome = telemetry.Outcome{Code: failure.Code, Message: failure.Message}
		t.Fail(failure)
	}
}

// said is what a task says of how far it has come.
func said(p *mcp.Progress) string {
	var words []string
	if p.Total != nil {
		words = append(words, interaction.Number(p.Progress)+" of "+interaction.Number(*p.Total))
	}
	if p.Message != "" {
		words = append(words, p.Message)
	}
	return strings.Join(words, ": ")
}

// getTask answers tasks/get.
func (s *Server) getTask(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	id, err := r.taskID()
	if err != nil {
		return nil, err
	}
	state, failure := s.tasks.Get(r.scope.Principal, id)
	if failure != nil {
		return nil, unknownTask(failure)
	}
	return state.AppendJSON(dst, r.scope.Features, s.metas[r.scope.Features]), nil
}

// updateTask answers tasks/update. Answers that do not fit are asked for again: what
// is wrong with them stands in the questions of the task, in _meta, and in the
// client's log.
func (s *Server) updateTask(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	id, responses, err := mcp.ParseUpdateTask(r.params)
	if err != nil {
		return nil, err
	}
	if err := r.needsTasks(); err != nil {
		return nil, err
	}
	faults, failure := s.tasks.Update(r.scope.Principal, id, responses)
	if failure != nil {
		return nil, unknownTask(failure)
	}
	if r.hears(mcp.LevelWarning) {
		for _, fault := range faults {
			r.say(&mcp.LogMessage{Level: mcp.LevelWarning, Logger: logger, Data: jsonrpc.AppendString(nil, fault)})
		}
	}
	return mcp.AppendEmptyResult(dst, r.scope.Features, merged(s.metas[r.scope.Features], faultsMeta(faults))), nil
}

// cancelTask answers tasks/cancel.
func (s *Server) cancelTask(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	id, err := r.taskID()
	if err != nil {
		return nil, err
	}
	if failure := s.tasks.Cancel(r.scope.Principal, id); failure != nil {
		return nil, unknownTask(failure)
	}
	return mcp.AppendEmptyResult(dst, r.scope.Features, s.metas[r.scope.Features]), nil
}

// taskID reads which task a request is about.
func (r *request) taskID() (string, *jsonrpc.Error) {
	id, err := mcp.ParseTaskID(r.params)
	if err != nil {
		return "", err
	}
	return id, r.needsTasks()
}

// needsTasks refuses a client that has not declared the extension.
func (r *request) needsTasks() *jsonrpc.Error {
	if r.hasTasks() {
		return nil
	}
	return mcp.MissingCapability(mcp.CapabilityTasks)
}

// unknownTask is the error for a task that the client does not have.
func unknownTask(err error) *jsonrpc.Error {
	if errors.Is(err, task.ErrUnknown) {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "taskId: %v", err)
	}
	return jsonrpc.Internal()
}
