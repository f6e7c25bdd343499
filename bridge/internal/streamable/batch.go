package streamable

import (
	"bytes"
	"context"
	"net/http"
	"sync"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
)

// batchAtOnce is how many requests of one batch run at once.
const batchAtOnce = 8

// readBatch asks the gate for the conversation of a batch.
func (h *Handler) readBatch(x *exchange, r *http.Request, batch []jsonrpc.Decoded) (serve func(place func())) {
	if h.closed.Err() != nil {
		x.refuse(stopping())
		return nil
	}
	var messages []jsonrpc.Message
	for _, d := range batch {
		if d.Err == nil {
			messages = append(messages, d.Message)
		}
	}
	conn, denied := h.gate.Batch(r.Context(), headersOf(r.Header), messages, "")
	if denied != nil {
		h.deny(x, denied)
		return nil
	}
	conn.SetPeer(x.peer)
	return func(place func()) { h.newJob(r.Context(), x, conn, place).batch(conn, batch) }
}

// batch admits the messages of a batch in their order, serves them, and answers with the array of their responses or, on
// a stream, with one response after another (2025-03-26 basic/transports, "Sending Messages to the Server").
func (j *job) batch(conn *lifecycle.Conn, batch []jsonrpc.Decoded) {
	defer func() {
		j.out.release()
		j.free()
	}()
	replies := make([][]byte, len(batch))
	var run []func()
	for i, d := range batch {
		if d.Err != nil {
			replies[i] = jsonrpc.AppendError(nil, d.Message.ID, d.Err)
			continue
		}
		c := j.h.admit(j.ctx, conn, d.Message, j.sink())
		run = append(run, func() { replies[i] = j.reply(c, d.Message) })
	}
	atOnce(run)
	replies = said(replies)
	switch {
	case j.out.settle():
		j.out.finish(j.ctx, replies...)
	case len(replies) == 0:
		j.x.send(http.StatusAccepted, nil)
	default:
		j.x.send(http.StatusOK, array(replies))
	}
}

// reply serves one message of a batch and returns its response; empty is none.
func (j *job) reply(c call, msg jsonrpc.Message) (body []byte) {
	defer func() {
		if p := recover(); p != nil {
			logPanic(j.ctx, j.h.log, p)
			body = jsonrpc.AppendError(nil, msg.ID, internalError().err)
		}
	}()
	if body = c.Run().Body; len(body) == 0 {
		body = lastWord(context.Cause(j.ctx), msg)
		j.cut()
	}
	return body
}

// atOnce runs all functions, batchAtOnce of them at a time, and waits for them.
func atOnce(run []func()) {
	next := make(chan func())
	var workers sync.WaitGroup
	for range min(len(run), batchAtOnce) {
		workers.Go(func() {
			for one := range next {
				one()
			}
		})
	}
	for _, one := range run {
		next <- one
	}
	close(next)
	workers.Wait()
}

// said leaves out what is empty.
func said(replies [][]byte) [][]byte {
	var all [][]byte
	for _, r := range replies {
		if len(r) > 0 {
			all = append(all, r)
		}
	}
	return all
}

// array returns the JSON array of the texts.
func array(texts [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(texts, []byte{','})...), ']')
}
