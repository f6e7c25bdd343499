package streamable

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
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
	replies := make([]server.Reply, len(batch))
	var run []func()
	for i, d := range batch {
		if d.Err != nil {
			replies[i].Body = jsonrpc.AppendError(nil, d.Message.ID, d.Err)
			continue
		}
		c := j.h.admit(j.ctx, conn, d.Message, j.sink())
		run = append(run, func() { replies[i] = j.reply(c, d.Message) })
	}
	atOnce(run)
	bodies := said(replies)
	switch {
	case j.out.settle():
		j.out.finish(j.ctx, bodies...)
	case len(bodies) == 0:
		j.x.send(http.StatusAccepted, nil)
	default:
		j.x.answer(server.Reply{Body: array(bodies), Status: statusOfAll(replies), RetryAfter: longest(replies)})
	}
}

// statusOfAll is the HTTP status of a batch: 429 where each of its messages is a request over its caller's quota. Of such a
// batch nothing was carried out, and it can be sent again as it is. Any other is 200, whatever its responses say.
func statusOfAll(replies []server.Reply) int {
	if slices.ContainsFunc(replies, func(r server.Reply) bool { return r.Status != http.StatusTooManyRequests }) {
		return http.StatusOK
	}
	return http.StatusTooManyRequests
}

// longest is when the client may have more luck with the whole of a batch, of which each message was refused; zero for any other.
func longest(replies []server.Reply) (after time.Duration) {
	if statusOfAll(replies) == http.StatusOK {
		return 0
	}
	for _, r := range replies {
		after = max(after, r.RetryAfter)
	}
	return after
}

// reply serves one message of a batch and returns its response; empty is none.
func (j *job) reply(c call, msg jsonrpc.Message) (reply server.Reply) {
	defer func() {
		if p := recover(); p != nil {
			logPanic(j.ctx, j.h.log, p)
			reply = server.Reply{Body: jsonrpc.AppendError(nil, msg.ID, internalError().err)}
		}
	}()
	if reply = c.Run(); len(reply.Body) == 0 {
		reply.Body = lastWord(context.Cause(j.ctx), msg)
		j.cut()
	}
	return reply
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

// said returns the bodies of the replies that have one.
func said(replies []server.Reply) [][]byte {
	var all [][]byte
	for _, r := range replies {
		if len(r.Body) > 0 {
			all = append(all, r.Body)
		}
	}
	return all
}

// array returns the JSON array of the texts.
func array(texts [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(texts, []byte{','})...), ']')
}
