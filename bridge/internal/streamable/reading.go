package streamable

import (
	"net/http"
	"sync"
	"time"
)

// restTimeout is how long a client may take for the rest of a body that is read for no other end than its own: that of a
// request which is refused, since net/http reads on before it answers, and that of one which comes while the server stops.
// The command's restTimeout (cmd/bridge/http.go) is the same time for connections that have sent no request yet.
const restTimeout = time.Second

// readings are the exchanges whose bodies are not in yet. A body that does not come is no call in flight: it must not hold
// up the end of the server, or anybody could. Safe for concurrent use.
type readings struct {
	mu      sync.Mutex
	hurried bool
	open    map[*exchange]struct{}
}

func newReadings() *readings { return &readings{open: map[*exchange]struct{}{}} }

// begin notes that the body of an exchange is being read; end must be called.
func (r *readings) begin(x *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hurried {
		limitReading(x.w, restTimeout)
	}
	r.open[x] = struct{}{}
}

// end notes that the body is no longer read, and whether it has come whole. It takes the deadline away from the connection of
// one that has: hurry may have set it behind net/http, which would take what it brings about for the leaving of the client.
func (r *readings) end(x *exchange, whole bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, x)
	if r.hurried && whole {
		limitNoReading(x.w)
	}
}

// hurry gives what is being read, and all that is from now on, restTimeout for the rest.
func (r *readings) hurry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hurried {
		return
	}
	r.hurried = true
	for x := range r.open {
		limitReading(x.w, restTimeout)
	}
}

// readWhole reads the body of a POST. One that does not come in time once the server stops is refused as all that comes
// too late.
func (h *Handler) readWhole(x *exchange, r *http.Request) ([]byte, *refusal) {
	h.readings.begin(x)
	body, refused := readBody(x.w, r, h.maxBody, &h.bodies)
	h.readings.end(x, refused == nil)
	late := refused != nil && refused.status == http.StatusRequestTimeout
	x.unread = refused != nil && !late
	if late && h.drained.Err() != nil {
		return nil, stopping()
	}
	return body, refused
}
