package server

import (
	"context"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// request is an admitted request on its way through a handler.
type request struct {
	ctx    context.Context
	conn   *lifecycle.Conn
	scope  *lifecycle.Scope
	params jsonrpc.Object
	id     jsonrpc.ID
	out    Sink // nil where nothing can be sent but the reply
	method string
	// retry is what the request brings from an earlier round; nil for nothing.
	retry *retry
	// pending is what a handler's call needs to know first; nil for nothing.
	pending *pending
	// created is the task as which a handler's call goes on; nil for none.
	created *mcp.Task
	// release gives the place of the call in its caller's quota back, which a task
	// keeps to its end. Never nil while a handler runs.
	release func()
	// progress takes how far a call has come that goes on without its client; nil
	// where there is a client, or nobody asks.
	progress func(*mcp.Progress)
	// fault is the name of the gRPC code behind a handler's error; "" for none.
	fault string
	// refusal is that of the gate, where it is the reason of a handler's error.
	refusal *lifecycle.Refusal
	// page is what the handler's result lacks at pageAt; nil for nothing.
	page   *catalog.Page
	pageAt int
	observation
}

// refuse makes a refusal of the gate the error of the request, with its status.
func (r *request) refuse(refusal *lifecycle.Refusal) *jsonrpc.Error {
	r.refusal = refusal
	return refusal.Error
}

// admits refuses a client that lacks what a target needs before its backend is
// called. kind is what the client knows the target as.
func (r *request) admits(t *target, kind string) *jsonrpc.Error {
	path := t.lacks(r.scope.Capabilities)
	switch {
	case path == "":
		return nil
	case r.scope.Features.Modern:
		return mcp.MissingCapability(path)
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "the %s %s", kind, lackText(path))
}

// pending is the question of a call of a target.
type pending struct {
	target   target
	question *question
}

// handler appends the result of a request to dst, or says why there is none;
// where it returns neither, the request has no answer.
type handler func(s *Server, r *request, dst []byte) ([]byte, *jsonrpc.Error)

// method is one row of the table.
type method struct {
	handler handler
	// legacy and modern say in which eras the method exists.
	legacy, modern bool
}

// methods is the table of all requests that are served.
var methods = map[string]method{
	mcp.MethodPing:                  {(*Server).ping, true, false},
	mcp.MethodDiscover:              {(*Server).discover, false, true},
	mcp.MethodToolsList:             {lister(mcp.ListTools), true, true},
	mcp.MethodToolsCall:             {(*Server).callTool, true, true},
	mcp.MethodResourcesList:         {lister(mcp.ListResources), true, true},
	mcp.MethodResourceTemplatesList: {lister(mcp.ListResourceTemplates), true, true},
	mcp.MethodResourcesRead:         {(*Server).readResource, true, true},
	mcp.MethodResourcesSubscribe:    {(*Server).subscribe, true, false},
	mcp.MethodResourcesUnsubscribe:  {(*Server).unsubscribe, true, false},
	mcp.MethodPromptsList:           {lister(mcp.ListPrompts), true, true},
	mcp.MethodPromptsGet:            {(*Server).getPrompt, true, true},
	mcp.MethodComplete:              {(*Server).complete, true, true},
	mcp.MethodSetLevel:              {(*Server).setLevel, true, false},
	mcp.MethodSubscriptionsListen:   {(*Server).listen, false, true},
	mcp.MethodTasksGet:              {(*Server).getTask, false, true},
	mcp.MethodTasksUpdate:           {(*Server).updateTask, false, true},
	mcp.MethodTasksCancel:           {(*Server).cancelTask, false, true},
}

// find returns the handler of a method for a peer; an unknown method, and one
// of the other era, is -32601.
func find(name string, f mcp.Features) (handler, *jsonrpc.Error) {
	m := methods[name]
	if m.legacy && !f.Modern || m.modern && f.Modern {
		return m.handler, nil
	}
	return nil, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method %q is not offered", jsonrpc.Echo(name))
}
