package streamable

import (
	"context"
	"errors"
	"math"
	"time"
)

// Why the context of a call ends before the call does, beside the client's leaving.
var (
	// errOrphaned says that the client of a legacy call left long ago.
	errOrphaned = errors.New("the client disconnected and the time that a call may go on without it is over")
	// errClosed says that the handler was closed.
	errClosed = errors.New("the server stopped")
)

// callContext returns the context of a call, with the values of ctx, which ends when the client leaves. It ends with
// Close and, where the client's leaving cancels, with ctx, else some time after ctx. The returned function releases it
// and must be called.
func (h *Handler) callContext(ctx context.Context, disconnectCancels bool) (context.Context, context.CancelFunc) {
	release := func() {}
	if !disconnectCancels {
		ctx, release = outlive(ctx, h.orphanTimeout)
	}
	call, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(h.closed, func() { cancel(errClosed) })
	return call, func() {
		stop()
		cancel(nil)
		release()
	}
}

// outlive returns a context with the values of ctx that does not end with it: a client of the legacy era that closes its
// connection has not cancelled its request (2025-11-25, Streamable HTTP: "disconnection SHOULD NOT be interpreted as the
// client cancelling its request"). It ends grace after ctx does, with errOrphaned as its cause, so that nothing runs for
// ever for nobody. The returned function releases it and must be called.
func outlive(ctx context.Context, grace time.Duration) (context.Context, func()) {
	call, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	orphaned := time.AfterFunc(math.MaxInt64, func() { cancel(errOrphaned) })
	stop := context.AfterFunc(ctx, func() { orphaned.Reset(grace) })
	return call, func() {
		stop()
		orphaned.Stop()
		cancel(nil)
	}
}
