package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// hub knows the listeners and keeps the watches that they want: one for each
// resource, however many want it. It sends nothing itself and waits for nobody:
// it leaves marks with the listeners and wakes them. Safe for concurrent use.
type hub struct {
	catalog func() *catalog.Catalog
	enter   func() (leave func(), open bool) // see Config.Enter
	log     *slog.Logger
	running sync.WaitGroup // the watches
	stopped chan struct{}  // closed by close

	mu        sync.Mutex
	closed    bool
	listeners map[*listener]struct{}
	watches   map[string]*watch // by URI
	taken     map[string]int    // how many of them are of a backend, by its name
	// silent are the methods whose streams do not say at once that they are open.
	silent map[protoreflect.FullName]bool
	warned map[string]time.Time // when a trouble was warned of last; they are few, like methods
}

// newHub returns a hub without listeners.
func newHub(offered func() *catalog.Catalog, enter func() (leave func(), open bool), log *slog.Logger) *hub {
	return &hub{
		catalog:   offered,
		enter:     enter,
		log:       log,
		stopped:   make(chan struct{}),
		listeners: map[*listener]struct{}{},
		watches:   map[string]*watch{},
		taken:     map[string]int{},
		silent:    map[protoreflect.FullName]bool{},
		warned:    map[string]time.Time{},
	}
}

// join adds a listener of a conversation; see [lifecycle.Conn.Key].
func (h *hub) join(key string) *listener {
	l := &listener{key: key, wake: make(chan struct{}, 1), updated: map[string]struct{}{}, tasks: map[string]struct{}{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners[l] = struct{}{}
	return l
}

// leave removes a listener and what it wants, at once: a subscription between
// the two would give it back to a watch that nobody ends.
func (h *hub) leave(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
	for _, w := range h.watches {
		if _, ok := w.listeners[l]; ok {
			h.release(w, l)
		}
	}
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

// want has a listener told of the updates of these resources and of no others.
// It returns those among them that it was not told of before, and whether some
// are left out because there is no room for their watches.
func (h *hub) want(l *listener, uris []string) (added []string, left bool) {
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
		left = left || h.watches[uri] == nil && !h.closed
	}
	return added, left
}

// retain adds a listener to a watch, which then begins if it is the first, and
// reports whether it did; the caller holds mu.
func (h *hub) retain(uri string, l *listener) bool {
	w := h.watches[uri]
	if w == nil {
		backend := h.backendOf(uri)
		if h.closed || h.full(backend) != nil {
			return false
		}
		w = h.begin(uri, backend)
	}
	_, ok := w.listeners[l]
	w.listeners[l] = struct{}{}
	return !ok
}

// begin begins to watch a resource; the caller holds mu.
func (h *hub) begin(uri, backend string) *watch {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watch{
		hub: h, uri: uri, cancel: cancel, wake: make(chan struct{}, 1), opened: make(chan struct{}),
		listeners: map[*listener]struct{}{}, backend: backend,
	}
	h.watches[uri] = w
	h.count(backend, 1)
	h.running.Go(func() { w.run(ctx) })
	return w
}

// release removes a listener from a watch, which ends with the last; the caller
// holds mu.
func (h *hub) release(w *watch, l *listener) {
	delete(w.listeners, l)
	l.forget(w.uri)
	if len(w.listeners) == 0 {
		delete(h.watches, w.uri)
		h.count(w.backend, -1)
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
