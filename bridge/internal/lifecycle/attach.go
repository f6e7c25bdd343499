package lifecycle

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// errReplaced is the cause with which a stream's context ends when its client
// has opened it anew.
var errReplaced = errors.New("the client opened the stream anew")

// Replaced reports whether ctx, which came from [Conn.Attach], has ended because
// the client has opened the stream anew.
func Replaced(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errReplaced) }

// attachRetry is when a client may try again that has too many streams open.
const attachRetry = 5 * time.Second

// Attach registers an open stream of the conversation by its name, such as
// "listen". The context ends with ctx; when a stream of that name is attached
// anew, so that a client which has lost its connection, before we have noticed,
// is heard again (see [Replaced]); and when the session or stdio stream ends
// (see [Cancelled]). A session that ended just before Attach is noticed only by
// the next [Conn.Touch]. The caller calls the function when the stream has ended,
// once. Where Config.MaxStreams others are open it is refused, with 429. Where
// there is no conversation, in the modern era, nothing is registered.
func (c *Conn) Attach(ctx context.Context, stream string) (context.Context, func(), *Refusal) {
	ctx, cancel := context.WithCancelCause(ctx)
	key := c.Key()
	if key == "" {
		return ctx, func() { cancel(nil) }, nil
	}
	one := &attachment{end: cancel, conn: c}
	if !c.gate.attached.add(key, stream, one) {
		cancel(nil)
		return nil, nil, &Refusal{
			Status: http.StatusTooManyRequests,
			Error: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest,
				"%d streams of this session are open, which is the most: close some", c.gate.attached.max),
			RetryAfter: attachRetry,
		}
	}
	c.look(ctx)
	return ctx, func() { c.gate.attached.remove(key, stream, one); cancel(nil) }, nil
}

// attachment is one open stream.
type attachment struct {
	end  context.CancelCauseFunc
	conn *Conn
}

// attachments holds the open streams, by conversation and name. Safe for
// concurrent use.
type attachments struct {
	max int // for one conversation

	mu  sync.Mutex
	all map[string]map[string]*attachment
}

// newAttachments returns an attachments that holds up to most streams of one
// conversation.
func newAttachments(most int) *attachments {
	return &attachments{max: most, all: map[string]map[string]*attachment{}}
}

// add registers a stream and ends an earlier one of its name; false says that
// there is no room.
func (a *attachments) add(conversation, name string, one *attachment) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	streams := a.all[conversation]
	earlier := streams[name]
	switch {
	case earlier != nil:
		earlier.end(errReplaced)
	case len(streams) >= a.max:
		return false
	case streams == nil:
		streams = map[string]*attachment{}
		a.all[conversation] = streams
	}
	streams[name] = one
	return true
}

// remove forgets a stream that has ended, unless another one has its name by now.
func (a *attachments) remove(conversation, name string, one *attachment) {
	a.mu.Lock()
	defer a.mu.Unlock()
	streams := a.all[conversation]
	if streams[name] != one {
		return
	}
	delete(streams, name)
	if len(streams) == 0 {
		delete(a.all, conversation)
	}
}

// initialized tells the open streams of one conversation that its handshake is over.
func (a *attachments) initialized(conversation string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range a.all[conversation] {
		one.conn.becomeReady()
	}
}

// end ends all streams of one conversation.
func (a *attachments) end(conversation string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range a.all[conversation] {
		one.end(errCancelled)
	}
}
