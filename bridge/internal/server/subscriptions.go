package server

import (
	"context"
	"errors"
	"slices"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

const (
	// maxListenURIs is how many resources one listen stream may be about.
	maxListenURIs = 256
	// maxListenTasks is how many tasks.
	maxListenTasks = 256
)

// listen answers subscriptions/listen (2026-07-28 basic/utilities/subscriptions):
// it acknowledges what of the filter is honoured and sends the notifications
// until the client cancels, to which there is no answer, or the server ends the
// stream by a result.
func (s *Server) listen(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	wanted, err := mcp.ParseListen(r.params.Raw())
	if err != nil {
		return nil, err
	}
	if err := listenable(r, &wanted); err != nil {
		return nil, err
	}
	l := s.hub.join("")
	defer s.hub.leave(l)
	offered := s.offer()
	f := feed{
		server: s, listener: l, out: r.out, meta: mcp.SubscriptionMeta(r.id), principal: r.scope.Principal, told: tell(offered),
	}
	honoured := s.honour(r, l, offered.Catalog, &wanted, f.told)
	var unwatch func()
	honoured.TaskIDs, unwatch = s.watchTasks(l, f.principal, wanted.TaskIDs)
	defer unwatch()
	s.hub.await(r.ctx, openPatience, honoured.URIs...)
	if failure := f.open(r.ctx, &honoured); !errors.Is(failure, ErrStopped) && !errors.Is(context.Cause(r.ctx), ErrStopped) {
		return nil, nil // the client has left or can be sent nothing: nobody waits for a result
	}
	return mcp.AppendEmptyResult(dst, r.scope.Features, joined(f.meta, s.metas[r.scope.Features])), nil
}

// listenable refuses what no stream could honour.
func listenable(r *request, wanted *mcp.Subscription) *jsonrpc.Error {
	if r.out == nil {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "subscriptions/listen needs a stream: send Accept: text/event-stream")
	}
	wanted.URIs = slices.Compact(slices.Sorted(slices.Values(wanted.URIs)))
	if len(wanted.URIs) > maxListenURIs {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
			"invalid params: notifications.resourceSubscriptions has %d URIs: send at most %d, and open another stream for more",
			len(wanted.URIs), maxListenURIs)
	}
	if wanted.TaskIDs == nil {
		return nil
	}
	if len(wanted.TaskIDs) > maxListenTasks {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
			"invalid params: notifications.taskIds has %d ids: send at most %d, and open another stream for more",
			len(wanted.TaskIDs), maxListenTasks)
	}
	return r.needsTasks()
}

// watchTasks has a listener told of tasks, from how they stand now on: nobody knows
// what its client has missed since they began. It returns those that there are.
func (s *Server) watchTasks(l *listener, principal string, ids []string) (watched []string, stop func()) {
	watched, stop = s.tasks.Watch(principal, ids, l.markTask)
	for _, id := range watched {
		l.markTask(id)
	}
	return watched, stop
}

// honour returns the part of a filter that is served: the lists that the server
// declares, and the resources that can be watched by this client, which from now
// on are, as far as there is room for watches. A resource that is not there is not
// honoured, although it may come: the client asks again when the list of resources
// has changed. It leaves of known the lists that are wanted.
func (s *Server) honour(r *request, l *listener, offered *catalog.Catalog, wanted *mcp.Subscription, known told) mcp.Subscription {
	flag := func(name string, wanted bool) bool {
		_, declared := known[name]
		if !wanted {
			delete(known, name)
		}
		return wanted && declared
	}
	watchable := slices.DeleteFunc(slices.Clone(wanted.URIs), func(uri string) bool {
		a, ok := offered.Resource(uri)
		if !ok {
			return true
		}
		needs := readingTarget(a.Reading)
		_, err := placeOf(&a)
		return err != nil || needs.lacks(r.scope.Capabilities) != ""
	})
	watched, _ := s.hub.want(l, watchable) // what is left out, the client sees
	return mcp.Subscription{
		Tools:     flag("tools", wanted.Tools),
		Prompts:   flag("prompts", wanted.Prompts),
		Resources: flag("resources", wanted.Resources),
		URIs:      watched,
	}
}

// open acknowledges a listen stream and runs it.
func (f *feed) open(ctx context.Context, honoured *mcp.Subscription) error {
	if err := f.out.Send(ctx, mcp.AppendAcknowledged(nil, honoured, f.meta)); err != nil {
		return err
	}
	return f.run(ctx)
}

// joined returns one object with the members of two.
func joined(a, b []byte) []byte {
	if len(b) <= len("{}") {
		return a
	}
	return append(append(slices.Clone(a[:len(a)-1]), ','), b[1:]...)
}
