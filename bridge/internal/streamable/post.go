package streamable

import (
	"net/http"
	"slices"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// post reads one message or a batch, asks the gate for its conversation and has it served.
func (h *Handler) post(x *exchange, r *http.Request) {
	if refused := h.checkPost(x, r); refused != nil {
		x.refuse(refused)
		return
	}
	x.copies = r.ProtoMajor == 1 // HTTP/2 may still send what a Write was given that has failed
	from := h.place(x, r)
	if from == nil {
		x.refuse(busy("requests", h.calls.most))
		return
	}
	taken := false
	defer func() {
		if !taken {
			from.giveBack()
		}
	}()
	if serve := h.read(x, r); serve != nil {
		taken = true
		serve(from.giveBack)
	}
}

// place takes a place for a POST: among the calls or, where these are all taken, among those kept for what asks for nothing.
// Calls that wait for answers of their clients would wait in vain otherwise, and one that is cancelled makes room. Of which
// kind a POST of a session is shows when it is read. nil is none.
func (h *Handler) place(x *exchange, r *http.Request) *places {
	_, session := first(r.Header, headerSession)
	from := h.room(session)
	x.spare = from == &h.spare
	return from
}

// room takes a place among the calls or, where these are all taken and spare says so, one of those kept besides; nil is none.
func (h *Handler) room(spare bool) *places {
	switch {
	case h.calls.take():
		return &h.calls
	case spare && h.spare.take():
		return &h.spare
	}
	return nil
}

// asks reports whether a body has a request, which is a call.
func asks(one jsonrpc.Decoded, batch []jsonrpc.Decoded) bool {
	isRequest := func(d jsonrpc.Decoded) bool { return d.Err == nil && d.Message.Kind == jsonrpc.KindRequest }
	return isRequest(one) || slices.ContainsFunc(batch, isRequest)
}

// checkPost holds a POST against what can be known without its body, and notes who has sent it.
func (h *Handler) checkPost(x *exchange, r *http.Request) (refused *refusal) {
	if refused = checkMedia(r.Header); refused != nil {
		return refused
	}
	x.peer = peerOf(r)
	x.peer.Forwarded, refused = h.forwarded(r.Header)
	return refused
}

// read reads the body and asks the gate. It returns what serves the messages and calls its argument when they have been
// served; nil says that the request is answered, by a refusal.
func (h *Handler) read(x *exchange, r *http.Request) (serve func(place func())) {
	body, refused := h.readWhole(x, r)
	if refused != nil {
		x.refuse(refused)
		return nil
	}
	x.bodies, x.body = &h.bodies, &body
	x.events = acceptsEvents(r.Header["Accept"])
	x.gzip = acceptsGzip(r.Header["Accept-Encoding"])
	one, batch := jsonrpc.DecodeBatch(body, jsonrpc.DefaultLimits)
	if x.spare && asks(one, batch) {
		x.id = one.Message.ID
		x.refuse(busy("requests", h.calls.most))
		return nil
	}
	if batch != nil {
		return h.readBatch(x, r, batch)
	}
	return h.readOne(x, r, one)
}

// readOne asks the gate for the conversation of one message.
func (h *Handler) readOne(x *exchange, r *http.Request, one jsonrpc.Decoded) (serve func(place func())) {
	msg := one.Message
	x.id = msg.ID
	switch {
	case one.Err != nil:
		x.refuse(&refusal{status: http.StatusBadRequest, err: one.Err})
		return nil
	case h.closed.Err() != nil:
		x.refuse(stopping())
		return nil
	case msg.Kind == jsonrpc.KindResponse:
		x.id = jsonrpc.ID{} // it is one of ours, not the client's
	}
	conn, denied := h.gate.Post(r.Context(), headersOf(r.Header), &msg, "")
	if denied != nil {
		if denied.OfMessage {
			x.ctx = h.refused(r.Context(), x.peer, msg, denied.Error)
		}
		h.deny(x, denied)
		return nil
	}
	conn.SetPeer(x.peer)
	return func(place func()) { h.newJob(r.Context(), x, conn, place).single(conn, msg) }
}
