package server

import (
	"context"
	"log/slog"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// maxWatches is how many resources may be watched at once, each of which is a
// stream from its backend.
const maxWatches = 1000

// hub knows the listeners and keeps the watches that they want: one for each
// resource, however many want it. It sends nothing itself and waits for nobody:
// it leaves marks with the listeners and wakes them. Safe for concurrent use.
type hub struct {
	catalog func() *catalog.Catalog
	log     *slog.Logger
	running sync.WaitGroup // the watches
	stopped chan struct{}  // closed by close

	mu        sync.Mutex
	closed    bool
	listeners map[*listener]struct{}
	watches   map[string]*watch // by URI
	// silent are the methods whose streams do not say at once that they are open.
	silent map[protoreflect.FullName]bool
}

// newHub returns a hub without listeners.
func newHub(offered func() *catalog.Catalog, log *slog.Logger) *hub {
	return &hub{
		catalog:   offered,
		log:       log,
		stopped:   make(chan struct{}),
		listeners: map[*listener]struct{}{},
		watches:   map[string]*watch{},
		silent:    map[protoreflect.FullName]bool{},
	}
}

// join adds a listener of a conversation; see [lifecycle.Conn.Key].
func (h *hub) join(key string) *listener {
	l := &listener{key: key, wake: make(chan struct{}, 1), updated: map[string]struct{}{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners[l] = struct{}{}
	return l
}

// leave removes a listener and what it wants.
func (h *hub) leave(l *listener) {
	h.want(l, nil)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
}

// changed has all look at the catalog again.
func (h *hub) changed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		signal(l.wake)
	}
	for _, w := range h.watches {
		signal(w.wake)
	}
}

// resubscribed has the listeners of a conversation look again at what it
// subscribes to.
func (h *hub) resubscribed(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		if l.key == key {
			l.resubscribe()
		}
	}
}

// hasRoom reports whether a resource is watched or could be.
func (h *hub) hasRoom(uri string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.watches[uri]
	return ok || len(h.watches) < maxWatches
}

// want has a listener told of the updates of these resources and of no others.
// It returns those among them that it was not told of before; where there is no
// room for a watch, the resource is not among them.
func (h *hub) want(l *listener, uris []string) (added []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	wanted := map[string]bool{}
	for _, uri := range uris {
		wanted[uri] = true
	}
	for uri, w := range h.watches {
		if _, ok := w.listeners[l]; ok && !wanted[uri] {
			h.release(w, l)
		}
	}
	for _, uri := range uris {
		if h.retain(uri, l) {
			added = append(added, uri)
		}
	}
	return added
}

// retain adds a listener to a watch, which then begins if it is the first, and
// reports whether it did; the caller holds mu.
func (h *hub) retain(uri string, l *listener) bool {
	w := h.watches[uri]
	if w == nil {
		if h.closed || len(h.watches) >= maxWatches {
			return false
		}
		ctx, cancel := context.WithCancel(context.Background())
		w = &watch{hub: h, uri: uri, cancel: cancel, wake: make(chan struct{}, 1), opened: make(chan struct{}), listeners: map[*listener]struct{}{}}
		h.watches[uri] = w
		h.running.Go(func() { w.run(ctx) })
	}
	_, ok := w.listeners[l]
	w.listeners[l] = struct{}{}
	return !ok
}

// release removes a listener from a watch, which ends with the last; the caller
// holds mu.
func (h *hub) release(w *watch, l *listener) {
	delete(w.listeners, l)
	l.forget(w.uri)
	if len(w.listeners) == 0 {
		delete(h.watches, w.uri)
		w.cancel()
	}
}

// close ends all watches and waits for them, and has the listeners end.
func (h *hub) close() {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		close(h.stopped)
		for _, w := range h.watches {
			w.cancel()
		}
	}
	h.mu.Unlock()
	h.running.Wait()
}

// signal wakes who waits for wake, or will.
func signal(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default: // it is awake already, and has yet to look
	}
}
