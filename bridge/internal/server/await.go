package server

import (
	"context"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// openPatience is how long a subscription waits for the stream from the backend
// that tells of changes, so that none is missed which comes right behind its
// answer.
const openPatience = 250 * time.Millisecond

// retainFor has the listeners of a conversation told of the updates of a
// resource, before they look for themselves (see [hub.resubscribed]).
func (h *hub) retainFor(key, uri string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		if l.key == key {
			h.retain(uri, l)
		}
	}
}

// await waits until the watches of these resources are open or have failed, for
// openPatience at most. Not every backend says that it has the call before there
// is a change: for a method of which that is known nobody waits again.
func (h *hub) await(ctx context.Context, uris ...string) {
	timer := time.NewTimer(openPatience)
	defer timer.Stop()
	for _, uri := range uris {
		opened, method := h.opening(uri)
		if opened == nil {
			continue
		}
		select {
		case <-opened:
		case <-timer.C:
			h.silence(method)
			return
		case <-ctx.Done():
			return
		case <-h.stopped:
			return
		}
	}
}

// opening returns what to wait for until a resource is watched, nil for nothing,
// and by which method it is.
func (h *hub) opening(uri string) (<-chan struct{}, protoreflect.FullName) {
	a, ok := h.catalog().Resource(uri)
	if !ok || a.Reading.Watch == nil {
		return nil, ""
	}
	method := a.Reading.Watch.FullName()
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.watches[uri]
	if w == nil || h.silent[method] {
		return nil, method
	}
	return w.opened, method
}

// silence notes that a method does not say that it has a call.
func (h *hub) silence(method protoreflect.FullName) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.silent[method] = true
}
