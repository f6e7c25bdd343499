package streamable

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/server"
)

// errOrphaned says that the client of a legacy call left long ago. Beside that and the client's leaving, it is
// server.ErrStopped why the context of a call ends before the call does: the handler was closed.
var errOrphaned = errors.New("the client disconnected and the time that a call may go on without it is over")

// lifetime is how long a call or a stream may last.
type lifetime struct {
	ctx context.Context
	// stop ends ctx, with server.ErrStopped as its cause.
	stop func()
	// audience is there where the client's leaving does not end ctx; nil otherwise.
	audience *audience
	// release ends ctx, with all that watches over it, and must be called; a second time does nothing.
	release func()
}

// lifetimeOf returns the lifetime of what is served to a client, whose leaving ends ctx. Its context has the values of ctx.
// It ends with end and, where the client's leaving cancels, with ctx, else when the audience has been away for some time.
func (h *Handler) lifetimeOf(ctx, end context.Context, disconnectCancels bool) lifetime {
	var l lifetime
	release := func() {}
	if !disconnectCancels {
		ctx, l.audience, release = outlive(ctx, h.orphanTimeout)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	l.ctx, l.stop = ctx, func() { cancel(server.ErrStopped) }
	forget := context.AfterFunc(end, l.stop)
	l.release = func() {
		forget()
		cancel(nil)
		release()
	}
	return l
}

// outlive returns a context with the values of ctx that does not end with it: a client of the legacy era that closes its
// connection has not cancelled its request (2025-11-25, Streamable HTTP: "disconnection SHOULD NOT be interpreted as the
// client cancelling its request"). It ends grace after ctx has ended and everybody else has left who came to hear the
// rest, with errOrphaned as its cause, so that nothing runs for ever for nobody. The returned function releases it and
// must be called.
func outlive(ctx context.Context, grace time.Duration) (context.Context, *audience, func()) {
	call, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	a := &audience{present: 1, grace: grace}
	a.orphaned = time.AfterFunc(math.MaxInt64, func() { cancel(errOrphaned) })
	stop := context.AfterFunc(ctx, a.leave)
	return call, a, func() {
		stop()
		a.orphaned.Stop()
		cancel(nil)
	}
}

// audience counts who reads what a legacy call says: the client that began it and, where that has lost its connection, the
// same client when it has come back. Safe for concurrent use.
type audience struct {
	grace    time.Duration
	orphaned *time.Timer

	mu      sync.Mutex
	present int
}

func (a *audience) enter() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.present++
	a.orphaned.Stop()
}

// leave begins to count when nobody is left.
func (a *audience) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.present--; a.present == 0 {
		a.orphaned.Reset(a.grace)
	}
}
