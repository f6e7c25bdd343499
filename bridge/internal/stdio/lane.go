package stdio

import (
	"context"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// lane is room for requests that wait for each other and for no others.
type lane struct {
	running chan struct{} // a place is taken by each request that runs
	pending chan struct{} // a place is taken by each request that is admitted and has not ended
	drained int           // places of pending that drain has taken
}

func newLane(running, pending int) *lane {
	return &lane{running: make(chan struct{}, running), pending: make(chan struct{}, pending)}
}

// reserve takes a place in pending if there is one.
func (l *lane) reserve() bool {
	select {
	case l.pending <- struct{}{}:
		return true
	default:
		return false
	}
}

// drain waits until no request is pending, or until ctx ends, and reports the former. It takes all the places of pending, so
// that none is left to a further request.
func (l *lane) drain(ctx context.Context) bool {
	for ; l.drained < cap(l.pending); l.drained++ {
		select {
		case l.pending <- struct{}{}:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// promptMethods lists the requests that are answered from what is at hand. They have a lane of their own and wait for no
// call, so that a client which asks whether the server lives (2025-11-25, ping: "MUST respond promptly") hears that it does.
var promptMethods = map[string]bool{
	mcp.MethodInitialize:            true,
	mcp.MethodPing:                  true,
	mcp.MethodDiscover:              true,
	mcp.MethodToolsList:             true,
	mcp.MethodResourcesList:         true,
	mcp.MethodResourceTemplatesList: true,
	mcp.MethodPromptsList:           true,
	mcp.MethodComplete:              true,
}

// orderedMethods lists the requests that change what the session is, in no time but for subscribing, which waits for its
// watches for up to 250 ms in each second. They are over before the next line is looked at, like the handshake: a client that
// sends subscribe and unsubscribe in one breath means them in this order.
var orderedMethods = map[string]bool{
	mcp.MethodSetLevel:             true,
	mcp.MethodResourcesSubscribe:   true,
	mcp.MethodResourcesUnsubscribe: true,
}
