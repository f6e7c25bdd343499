package streamable

import (
	"net/http"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// post reads one message or a batch, asks the gate for its conversation and has it served.
func (h *Handler) post(x *exchange, r *http.Request) {
	if refused := h.checkPost(x, r); refused != nil {
		x.refuse(refused)
		return
	}
	if !h.calls.take() {
		x.refuse(busy("requests", h.calls.most))
		return
	}
	taken := false
	defer func() {
		if !taken {
			h.calls.giveBack()
		}
	}()
	if serve := h.read(x, r); serve != nil {
		taken = true
		serve(h.calls.giveBack)
	}
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
	x.events = acceptsEvents(r.Header["Accept"])
	x.gzip = acceptsGzip(r.Header["Accept-Encoding"])
	one, batch := jsonrpc.DecodeBatch(body, jsonrpc.DefaultLimits)
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
