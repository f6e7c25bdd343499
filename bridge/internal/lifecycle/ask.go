package lifecycle

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/session"
)

// ErrCannotAsk says that a client cannot be asked anything, or cannot answer any
// more: there is no stream to ask it on, no session that an answer could belong
// to, or it has too many open questions.
var ErrCannotAsk = errors.New("the client cannot be asked")

// askedLook is how often it is seen, while an answer is waited for, whether the
// session still is there, which counts as use of it: as often as a stream that is
// kept alive sees it.
const askedLook = 15 * time.Second

// takeBack is how long it may take to tell a client that a question is no longer
// open.
const takeBack = time.Second

// idLength is that of the ids of questions.
var idLength = len(rand.Text())

// Ask sends a request of ours to a legacy client and waits for its result, which
// is raw JSON. send puts a message on the stream of the request that is being
// served (2025-11-25 basic/transports, "Sending Messages to the Server": such
// messages "SHOULD relate to the originating client request"); it is not called
// after Ask has returned. The answer may come on any connection of the session
// (see [Conn.Answer]), for as long as ctx lasts.
//
// The error is the *jsonrpc.Error with which the client has answered; ErrCannotAsk,
// also when the session ends; that of ctx, and then the client is told
// notifications/cancelled; or that of a session.Mailbox which has failed.
func (c *Conn) Ask(
	ctx context.Context, send func(ctx context.Context, message []byte) error, method string, params []byte,
) (result []byte, err error) {
	key := c.Key()
	if key == "" || c.stateless != nil || send == nil || !c.begun() {
		return nil, ErrCannotAsk
	}
	q := &asked{conn: c, box: c.mailbox(), key: key, id: rand.Text()}
	if err := q.box.Open(ctx, key, q.id); err != nil {
		return nil, q.fault(ctx, err)
	}
	defer q.close(ctx)
	id := jsonrpc.StringID(q.id)
	if err := send(ctx, jsonrpc.AppendRequest(nil, id, method, params)); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %w", ErrCannotAsk, err)
	}
	response, err := q.wait(ctx)
	if err != nil && ctx.Err() != nil {
		telling, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBack)
		defer cancel()
		_ = send(telling, mcp.AppendCancelled(nil, id, whyTakenBack(ctx))) // who is gone is gone
	}
	if err != nil {
		return nil, err
	}
	return resultOf(response)
}

// Answer takes a response that the client has sent, for whoever waits for it in
// [Conn.Ask]. One that answers no open question of this conversation, also since
// it is answered already, does nothing. The Refusal, for the HTTP transport, says
// that the mailbox has failed or has no room.
func (c *Conn) Answer(ctx context.Context, msg *jsonrpc.Message) *Refusal {
	id, ok := jsonrpc.Unquote([]byte(msg.ID.String()))
	key := c.Key()
	if !ok || len(id) != idLength || key == "" || c.stateless != nil {
		return nil
	}
	err := c.mailbox().Put(ctx, key, id, responseOf(msg))
	switch {
	case err == nil, errors.Is(err, session.ErrNoQuestion):
		return nil
	case errors.Is(err, session.ErrMailboxFull):
		return &Refusal{
			Status:     http.StatusServiceUnavailable,
			Error:      jsonrpc.Errorf(jsonrpc.CodeInternal, "too many answers wait: send it again later"),
			RetryAfter: attachRetry,
		}
	}
	return &Refusal{
		Status: http.StatusInternalServerError,
		Error:  jsonrpc.Errorf(jsonrpc.CodeInternal, "answers cannot be taken: send it again later"),
		Cause:  err,
	}
}

// mailbox returns where the answers of the conversation wait. That of a stdio
// stream is never shared: the name of the stream is one of this process.
func (c *Conn) mailbox() session.Mailbox {
	if c.http {
		return c.gate.mailbox
	}
	return c.gate.local
}

// asked is a question that is open.
type asked struct {
	conn    *Conn
	box     session.Mailbox
	key, id string // as the mailbox has it
}

// wait waits for the response.
func (q *asked) wait(ctx context.Context) ([]byte, error) {
	for {
		soon, cancel := context.WithTimeout(ctx, askedLook)
		response, err := q.box.Take(soon, q.key, q.id)
		over := soon.Err() != nil
		cancel()
		switch {
		case err == nil:
			return response, nil
		case ctx.Err() != nil || !over:
			return nil, q.fault(ctx, err)
		}
		if gone := q.conn.Touch(ctx); gone != nil && gone.Status == http.StatusNotFound {
			return nil, fmt.Errorf("%w: %w", ErrCannotAsk, session.ErrNotFound)
		}
	}
}

// fault is what Ask returns for an error of the mailbox.
func (q *asked) fault(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, session.ErrNoQuestion), errors.Is(err, session.ErrMailboxFull):
		return fmt.Errorf("%w: %w", ErrCannotAsk, err)
	}
	return fmt.Errorf("answers of clients cannot be reached: %w", err)
}

// close forgets the question, which has its answer or gets none any more.
func (q *asked) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBack)
	defer cancel()
	_ = q.box.Close(ctx, q.key, q.id) // of one that is left the mailbox has to dispose by itself, as of those of a process that has died
}

// whyTakenBack is the reason that a client is told when ctx has ended.
func whyTakenBack(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "no answer came in time"
	}
	return "the request that it belongs to has ended"
}

// responseOf returns a response as a mailbox keeps it.
func responseOf(msg *jsonrpc.Message) []byte {
	if msg.Error != nil {
		return jsonrpc.AppendError(nil, msg.ID, msg.Error)
	}
	return jsonrpc.AppendResult(nil, msg.ID, msg.Result)
}

// resultOf returns what responseOf has kept. Limits were held when it came.
func resultOf(response []byte) ([]byte, error) {
	msg, malformed := jsonrpc.Decode(response, jsonrpc.DefaultLimits)
	switch {
	case malformed != nil:
		return nil, fmt.Errorf("the mailbox has changed an answer: %w", malformed)
	case msg.Error != nil:
		return nil, msg.Error
	}
	return msg.Result, nil
}
