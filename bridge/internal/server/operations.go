package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/redact"
	"github.com/mcpgrpc/bridge/bridge/internal/task"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// How an operation is asked for at its backend: at first as often as clients ask
// for tasks, then less and less, up to maxPoll; and how long is spent on giving
// one up that nobody waits for any more.
const (
	maxPoll       = 15 * time.Second
	slower        = 1.5
	cancelTimeout = 5 * time.Second
	// stopTimeout is the same once the server has begun to stop.
	stopTimeout = 500 * time.Millisecond
)

// unfinished is an operation of a backend that goes on in a task: its call has an
// answer, and no result yet.
type unfinished struct {
	operation *backend.Operation
	refused   *jsonrpc.Error // why there is no task for it, as the bridge stops; nil where there is one
}

// Error implements error.
func (*unfinished) Error() string { return "the operation goes on" }

// settle makes of a reply that is an operation what the tool answers with: its
// result, where it is done. One that goes on is an [unfinished] in a task, and
// where there is one for it now, which is left with the request; else it is waited
// for as long as a call may last.
func (s *Server) settle(c *call, tool *catalog.Tool, arguments, reply []byte, scratch *[]byte) (*mcp.CallToolResult, error) {
	op, err := c.target.backend.ReadOperation(c.target.method, reply)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", transcode.ErrReply, err)
	}
	switch {
	case op.Done:
		return c.concluded(op, scratch)
	case c.request.progress != nil:
		return nil, &unfinished{operation: op}
	case c.request.ctx.Err() != nil: // nobody would learn of the task
		s.giveUp(c.request.ctx, c, op)
		return nil, leftAlone(backend.Executed)
	case c.request.hasTasks() && tool.Task != catalog.Never:
		if begun, refused := s.startTask(c.request, tool, arguments, op); begun || refused != nil {
			return nil, &unfinished{op, refused}
		}
	}
	return s.waitFor(c, op, scratch)
}

// waitFor waits for an operation as long as its call may last. The result is that
// of the operation, or how it stands then.
func (s *Server) waitFor(c *call, op *backend.Operation, scratch *[]byte) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithDeadline(c.request.ctx, c.attempted.Add(c.target.backend.Deadline()))
	defer cancel()
	before := c.progress
	c.progress = c.tells()
	c.progress.follows(before)
	defer c.progress.end()
	done, err := s.await(ctx, c, op)
	switch {
	case err == nil:
		return c.concluded(done, scratch)
	case c.request.ctx.Err() != nil:
		return nil, leftAlone(backend.Executed)
	case !errors.Is(err, context.DeadlineExceeded):
		return nil, err
	}
	return s.left(c, done, scratch)
}

// follow goes on with an operation in a task, until it is done.
func (s *Server) follow(r *request, tool *catalog.Tool, arguments []byte, op *backend.Operation, scratch *[]byte) ending {
	call := r.start(toolTarget(tool))
	call.progress = call.tells()
	defer call.progress.end()
	done, err := s.await(r.ctx, call, op)
	var result *mcp.CallToolResult
	switch {
	case err == nil:
		result, err = call.concluded(done, scratch)
	case r.ctx.Err() != nil:
		err = leftAlone(backend.Executed)
	}
	return s.conclude(call, tool, arguments, result, err)
}

// concluded is the result of an operation that is done: the operation, with its
// response or, where it failed, the failure.
func (c *call) concluded(op *backend.Operation, scratch *[]byte) (*mcp.CallToolResult, error) {
	if op.Error != nil {
		return nil, op.Error
	}
	return c.present(op.Raw, scratch)
}

// await asks for an operation until it is done. It returns it as it was last seen,
// with the error of ctx where that ended first; an operation whose client gave it
// up is cancelled at its backend. That the backend cannot be reached for a while,
// does not answer within its deadline, or has no room, does not end it.
func (s *Server) await(ctx context.Context, c *call, op *backend.Operation) (*backend.Operation, error) {
	timer := time.NewTimer(s.tasks.PollInterval())
	defer timer.Stop()
	c.announce(op, true)
	for wait := s.tasks.PollInterval(); !op.Done; {
		select {
		case <-ctx.Done():
			s.giveUp(ctx, c, op)
			return op, ctx.Err()
		case <-timer.C:
		}
		next, failure := c.target.backend.GetOperation(backend.WithDeadline(s.outgoing(ctx, c), c.target.backend.Deadline()), op.Name)
		switch {
		case failure == nil:
			next.Name = op.Name // by which it was begun and is cancelled, whatever it calls itself now
			op = next
			c.announce(op, false)
		case ctx.Err() == nil && !failure.Retryable && failure.Code != codes.Unavailable && failure.Code != codes.DeadlineExceeded:
			return op, op.Lost(failure)
		}
		wait = min(time.Duration(float64(wait)*slower), max(maxPoll, s.tasks.PollInterval()))
		if failure != nil { // the backend says when it may be asked again
			timer.Reset(max(wait, failure.RetryAfter))
			continue
		}
		timer.Reset(wait)
	}
	return op, nil
}

// giveUp cancels an operation that nobody waits for any more. One whose call has
// had its time goes on, and so does one of a bridge that stops: it can be asked
// for again.
func (s *Server) giveUp(ctx context.Context, c *call, op *backend.Operation) {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, task.ErrStopped) || errors.Is(cause, ErrStopped) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.outgoing(ctx, c)), cancelTimeout)
	defer cancel()
	given := make(chan struct{})
	defer close(given)
	go func() {
		select {
		case <-given:
		case <-s.hub.stopped:
			time.AfterFunc(stopTimeout, cancel)
		}
	}()
	if failure := c.target.backend.CancelOperation(ctx, op.Name); failure != nil {
		s.log.WarnContext(ctx, "an operation that nobody waits for could not be cancelled",
			"operation", op.Name, "method", c.target.method.FullName(), "error", failure)
	}
}

// announce tells how an operation stands: what its metadata says where that is a
// bridge.v1.Progress, else its metadata as a text, else its name. first is before
// it was asked for.
func (c *call) announce(op *backend.Operation, first bool) {
	if c.progress == nil {
		return
	}
	url, value := anyOf(op.Metadata)
	told := &bridgev1.Progress{}
	if strings.HasSuffix(url, "/"+string(told.ProtoReflect().Descriptor().FullName())) && proto.Unmarshal(value, told) == nil {
		c.progress.says(told)
		return
	}
	c.progress.remark(cmp.Or(c.metadata(url, value), stands(op, first)))
}

// stands is how an operation is, without its metadata.
func stands(op *backend.Operation, first bool) string {
	switch {
	case op.Done:
		return "operation " + op.Title() + " is done"
	case first:
		return "began operation " + op.Title()
	}
	return "operation " + op.Title() + " goes on"
}

// metadata is what an operation says of itself, as compact JSON; "" for nothing
// and for what cannot be read.
func (c *call) metadata(url string, value []byte) string {
	if url == "" {
		return ""
	}
	found, err := c.target.codec.Types().FindMessageByURL(url)
	if err != nil {
		return ""
	}
	text, err := redact.JSON(found.Descriptor(), value, c.target.codec.Types())
	if err != nil {
		return ""
	}
	if string(text) == "{}" { // which says nothing to people
		return ""
	}
	return string(text)
}

// anyOf takes a google.protobuf.Any apart.
func anyOf(wire []byte) (url string, value []byte) {
	for len(wire) > 0 {
		number, typ, n := protowire.ConsumeTag(wire)
		if n < 0 || typ != protowire.BytesType {
			return url, value
		}
		part, size := protowire.ConsumeBytes(wire[n:])
		if size < 0 {
			return url, value
		}
		switch number {
		case 1:
			url = string(part)
		case 2:
			value = part
		}
		wire = wire[n+size:]
	}
	return url, value
}

// left is the result of a call whose operation goes on when its time is over: the
// operation as it stands, and how to ask for it again.
func (s *Server) left(c *call, op *backend.Operation, scratch *[]byte) (*mcp.CallToolResult, error) {
	result, err := c.present(op.Raw, scratch)
	if errors.Is(err, transcode.ErrTooLarge) {
		result, err = c.present(op.Bare(), scratch)
	}
	if err != nil {
		return nil, err
	}
	how := "its backend says how it ends; this bridge offers no tool that asks for it"
	if tool := s.operationTool(c.target.backend); tool != "" {
		how = fmt.Sprintf("call %s with {\"name\": %s} to see how it stands", tool, jsonrpc.AppendString(nil, op.Title()))
	}
	result.Warnings = append(result.Warnings, fmt.Sprintf(
		"The operation %s goes on: it was not done within the deadline of %v. Do not start it again; %s.", op.Title(), c.target.backend.Deadline(),
		how))
	return result, nil
}

// operationTool is the tool by which operations of a backend are asked for; "" for
// none.
func (s *Server) operationTool(b *backend.Backend) string {
	for _, t := range s.catalog().Tools() {
		if t.Backend.Name() == b.Name() && strings.HasSuffix(string(t.Method.FullName()), "google.longrunning.Operations.GetOperation") {
			return t.Definition.Name
		}
	}
	return ""
}
