package stdio

import (
	"context"
	"sync"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// takeBatch has the messages of a batch served as if each had a line of its own, with the answers on one line, in the order
// of their requests, when all are there (2025-03-26 basic, "Batching"). A batch without answers has no line.
func (s *stream) takeBatch(ctx, calls context.Context, text []byte) {
	one, messages := jsonrpc.DecodeBatch(text, jsonrpc.DefaultLimits)
	if one.Err != nil {
		s.send(ctx, refusal(one.Message.ID, one.Err))
		return
	}
	b := &batch{send: s.send, answers: make([][]byte, len(messages)), open: len(messages)}
	for i := range messages {
		msg, malformed := messages[i].Message, messages[i].Err
		if malformed == nil && !batchable(msg) {
			malformed = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%s in a batch: send it by itself", msg.Method)
		}
		if malformed != nil {
			b.answer(ctx, i, refusal(msg.ID, malformed))
			continue
		}
		s.serve(ctx, calls, msg, func(ctx context.Context, body []byte) { b.answer(ctx, i, body) })
	}
}

// batchable reports whether a message may be one of several: initialize may not (2025-03-26 basic/lifecycle), and an answer
// that waits for subscriptions/listen would never be sent.
func batchable(msg jsonrpc.Message) bool {
	return msg.Kind != jsonrpc.KindRequest || msg.Method != mcp.MethodInitialize && msg.Method != mcp.MethodSubscriptionsListen
}

// batch collects the answers to the messages of a batch.
type batch struct {
	send answer

	mu      sync.Mutex
	answers [][]byte // by the place of the message; empty where there is none
	open    int      // how many messages have not come to their end
}

// answer notes the answer to one message and, with the last, sends them all.
func (b *batch) answer(ctx context.Context, i int, body []byte) {
	if text, last := b.note(i, body); last {
		b.send(ctx, text)
	}
}

// note notes an answer, and returns the whole text with the last; it is nil when nothing is answered.
func (b *batch) note(i int, body []byte) (text []byte, last bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[i] = body
	if b.open--; b.open > 0 {
		return nil, false
	}
	for _, a := range b.answers {
		if len(a) > 0 {
			text = append(append(text, ','), a...)
		}
	}
	if text == nil {
		return nil, true
	}
	text[0] = '['
	return append(text, ']'), true
}
