package server

import (
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// How many resources may be watched at once, each of which is a stream from its
// backend: maxWatches altogether, and maxBackendWatches of one backend. Watches
// share the backend's connection with all calls, and many servers and proxies
// allow 100 streams on a connection: the watches must leave room for calls.
const maxWatches, maxBackendWatches = 1000, 64

// warnAgain is how long the same trouble with watches is not warned of again.
const warnAgain = time.Minute

// hasRoom returns nil if a resource of a backend is watched or could be, else
// what the client is told.
func (h *hub) hasRoom(uri, backend string) *jsonrpc.Error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watches[uri] != nil {
		return nil
	}
	return h.full(backend)
}

// full returns nil while there is room for one watch more of a backend, else
// what the client is told; the caller holds mu.
func (h *hub) full(backend string) *jsonrpc.Error {
	const mend = "try again later, or read the resource now and then"
	switch {
	case len(h.watches) >= maxWatches:
		return jsonrpc.Errorf(jsonrpc.CodeInternal, "%d resources are watched, which is the most: "+mend, maxWatches)
	case backend != "" && h.taken[backend] >= maxBackendWatches:
		return jsonrpc.Errorf(jsonrpc.CodeInternal, "%d resources of the backend %s are watched, which is the most: "+
			mend, maxBackendWatches, quote(backend))
	}
	return nil
}

// backendOf returns the name of the backend that a resource is of, "" for a
// resource that the catalog does not have (now): its watch has no stream.
func (h *hub) backendOf(uri string) string {
	if a, ok := h.catalog().Resource(uri); ok {
		return a.Reading.Backend.Name()
	}
	return ""
}

// take counts a watch with another backend than before, "" for none, and reports
// whether that has room for it.
func (h *hub) take(w *watch, backend string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w.backend == backend {
		return true
	}
	if h.watches[w.uri] != w || backend != "" && h.taken[backend] >= maxBackendWatches {
		return false
	}
	h.count(w.backend, -1)
	h.count(backend, 1)
	w.backend = backend
	return true
}

// count adds to the watches of a backend; the caller holds mu.
func (h *hub) count(backend string, n int) {
	if h.taken[backend] += n; h.taken[backend] == 0 || backend == "" {
		delete(h.taken, backend)
	}
}

// warns reports whether to warn of a trouble, which is so once in warnAgain.
func (h *hub) warns(trouble string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if last, ok := h.warned[trouble]; ok && now.Sub(last) < warnAgain {
		return false
	}
	h.warned[trouble] = now
	return true
}
