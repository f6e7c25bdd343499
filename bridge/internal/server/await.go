package server

import (
	"context"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// openPatience is how long a subscription waits for the stream from the backend
// that tells of changes, so that none is missed which comes right behind its
// answer. The subscriptions of one conversation wait no longer together in
// patienceFor, since on stdio they hold up what is behind them. Who was not
// waited for is told of an update once the stream is open: there may have been
// one.
const openPatience, patienceFor = 250 * time.Millisecond, time.Second

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

// awaitFor waits as [hub.await] does for a resource of a conversation, with what
// that has left of its patience. Where nobody listens it waits for nothing: who
// listens later is told of what may have been missed.
func (h *hub) awaitFor(ctx context.Context, key, uri string) {
	patience, heard := h.patience(key)
	if !heard {
		return
	}
	began := time.Now()
	h.await(ctx, patience, uri)
	h.spend(key, time.Since(began))
}

// patience returns how long a conversation may wait now, and whether anybody
// listens for it.
func (h *hub) patience(key string) (left time.Duration, heard bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	left = openPatience
	for l := range h.listeners {
		if l.key != key {
			continue
		}
		heard = true
		if time.Since(l.since) >= patienceFor {
			l.since, l.spent = time.Now(), 0
		}
		left = min(left, openPatience-l.spent)
	}
	return max(left, 0), heard
}

// spend notes that a conversation has waited.
func (h *hub) spend(key string, took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		if l.key == key {
			l.spent += took
		}
	}
}

// opening is a watch that is not open yet, and its method.
type opening struct {
	watch  *watch
	method protoreflect.FullName
}

// await waits until the watches of these resources are open or have failed, for
// as long as patience allows. Not every backend says that it has the call before
// there is a change: a method that has used up the whole of openPatience is
// waited for no more, until one of its streams opens in time.
func (h *hub) await(ctx context.Context, patience time.Duration, uris ...string) {
	openings := h.openings(uris)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for i, o := range openings {
		select {
		case <-o.watch.opened:
		case <-timer.C:
			h.giveUp(openings[i:], patience >= openPatience)
			return
		case <-ctx.Done():
			return
		case <-h.stopped:
			return
		}
	}
}

// openings returns what is worth waiting for until these resources are watched;
// what is not open and not worth it is late.
func (h *hub) openings(uris []string) []opening {
	offered := h.catalog()
	var openings []opening
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, uri := range uris {
		w := h.watches[uri]
		a, ok := offered.Resource(uri)
		if w == nil || w.isOpen() || !ok || a.Reading.Watch == nil {
			continue
		}
		if method := a.Reading.Watch.FullName(); h.silent[method] {
			w.late = true
		} else {
			openings = append(openings, opening{w, method})
		}
	}
	return openings
}

// giveUp notes that nobody waits any more for those that are not open; where
// they had the whole patience, their methods do not say that they have a call.
func (h *hub) giveUp(openings []opening, silent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range openings {
		if o.watch.isOpen() {
			continue
		}
		o.watch.late = true
		if silent {
			h.silent[o.method] = true
		}
	}
}

// speaks notes that a method has said in time that it has a call.
func (h *hub) speaks(method protoreflect.FullName) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.silent, method)
}
