package server

import (
	"context"
	"errors"
	"slices"

	"google.golang.org/grpc/codes"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// ending is what comes of a call of a tool: one of the four.
type ending struct {
	// result is that of the tool, isError or not. It may use the scratch.
	result *mcp.CallToolResult
	// question is what the backend has to know first.
	question *question
	// operation is one that the backend has begun and that goes on, in a task, or with err.
	operation *backend.Operation
	// err is for the client's program.
	err *jsonrpc.Error
}

// perform runs a call of a tool to its end, in the context and the name of r,
// which need not be a request that somebody waits for (see [request.apart]).
func (s *Server) perform(r *request, tool *catalog.Tool, arguments []byte, scratch *[]byte) ending {
	call := r.start(toolTarget(tool))
	if path := call.target.lacks(r.scope.Capabilities); path != "" {
		if r.scope.Features.Modern {
			return ending{err: mcp.MissingCapability(path)}
		}
		return ending{result: lacking(path)}
	}
	result, err := s.execute(call, tool, arguments, scratch)
	return s.conclude(call, tool, arguments, result, err)
}

// conclude sorts what has come of a call of a tool.
func (s *Server) conclude(call *call, tool *catalog.Tool, arguments []byte, result *mcp.CallToolResult, err error) ending {
	if err == nil {
		call.succeeded(len(result.Warnings))
		return ending{result: result}
	}
	if goesOn, ok := errors.AsType[*unfinished](err); ok {
		return ending{operation: goesOn.operation, err: goesOn.refused}
	}
	fault := s.sort(call.request.ctx, &call.target, err)
	switch call.failed(fault); fault.kind {
	case faultQuestion:
		return ending{question: fault.question}
	case faultRefused:
		return ending{err: fault.refused}
	}
	failed := outcome(tool, arguments, fault)
	if failed == nil {
		return ending{err: internal()}
	}
	return ending{result: with(failed, result)}
}

// with adds what a stream sent before it failed, nil for nothing, to the failure:
// the data as a text of its own.
func with(failed, partial *mcp.CallToolResult) *mcp.CallToolResult {
	if partial == nil {
		return failed
	}
	if partial.Structured != nil {
		failed.Blocks = append(failed.Blocks, mcp.Content{Kind: mcp.ContentText, Text: string(partial.Structured)})
	}
	failed.Blocks = append(failed.Blocks, partial.Blocks...)
	failed.Warnings = partial.Warnings
	return failed
}

// lacking is the result of a tool whose backend is not called because a legacy
// client cannot do what it needs.
func lacking(path string) *mcp.CallToolResult {
	f := &fault{kind: faultBackend, failure: &backend.Failure{
		Code: codes.FailedPrecondition, Message: "the tool " + lackText(path), Execution: backend.NotExecuted,
	}}
	result := failedTool(lackingText(path))
	result.Meta = f.meta()
	return result
}

// apart returns a request that goes on without its client: in another context,
// and with progress, never nil, in place of what the client is sent. It keeps
// nothing of the message, and is observed as r is not: at first by nothing. What
// its backend asks is a question of its ending. answers are those to the round-th
// question; where none was asked, those that r itself has brought count.
func (r *request) apart(
	ctx context.Context, progress func(*mcp.Progress), asked *bridgev1.InputRequired, answers []*bridgev1.InputResponse, round int,
) *request {
	scope := *r.scope
	scope.ClientInfo, scope.Capabilities = slices.Clone(scope.ClientInfo), slices.Clone(scope.Capabilities)
	scope.Meta = mcp.Meta{Trace: scope.Meta.Trace}
	own := &request{ctx: ctx, conn: r.conn, scope: &scope, method: r.method, progress: progress, retry: r.retry.kept()}
	if asked != nil {
		own.retry = &retry{state: &interaction.State{Asked: asked, Given: answers, Round: round}}
	}
	return own
}
