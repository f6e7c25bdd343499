package lifecycle

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// errCancelled is the cause with which a request's context ends when its client
// no longer wants the answer.
var errCancelled = errors.New("the client cancelled the request")

// Cancelled reports whether ctx, the context of an admitted request, has ended
// because the client cancelled the request or ended its session or stream. No
// answer is sent then.
func Cancelled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errCancelled) }

// callKey names a request in flight. The conversation keeps clients apart: all
// of them count their ids from the same number.
type callKey struct {
	conversation string
	id           jsonrpc.ID
}

// registry holds the requests in flight. Safe for concurrent use.
type registry struct {
	max int // for one conversation

	mu     sync.Mutex
	calls  map[callKey]context.CancelCauseFunc
	counts map[string]int // of calls, by conversation
}

// newRegistry returns a registry that holds up to most calls of one conversation.
func newRegistry(most int) *registry {
	return &registry{max: most, calls: map[callKey]context.CancelCauseFunc{}, counts: map[string]int{}}
}

// add registers a request.
func (r *registry) add(key callKey, cancel context.CancelCauseFunc) *jsonrpc.Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.calls[key]; ok {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
			"id is in use by a request that has not been answered yet: give each request an id of its own")
	}
	if r.counts[key.conversation] >= r.max {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%d requests are in flight, which is the most: wait for answers", r.max)
	}
	r.calls[key] = cancel
	r.counts[key.conversation]++
	return nil
}

// remove forgets a request that has been answered.
func (r *registry) remove(key callKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(key)
}

// forget removes a call and its count; the caller holds mu.
func (r *registry) forget(key callKey) {
	if _, ok := r.calls[key]; !ok {
		return
	}
	delete(r.calls, key)
	if r.counts[key.conversation]--; r.counts[key.conversation] == 0 {
		delete(r.counts, key.conversation)
	}
}

// cancel ends the context of a request, if it is still in flight.
func (r *registry) cancel(key callKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel, ok := r.calls[key]; ok {
		cancel(errCancelled)
	}
}

// end cancels all requests of one conversation.
func (r *registry) end(conversation string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts[conversation] == 0 {
		return
	}
	for key, cancel := range r.calls {
		if key.conversation == conversation {
			cancel(errCancelled)
		}
	}
}
