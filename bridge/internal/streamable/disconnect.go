package streamable

import (
	"context"
	"errors"
	"math"
	"time"
)

// errOrphaned is the cause of a call's end when its client left long ago.
var errOrphaned = errors.New("the client disconnected and the time that a call may go on without it is over")

// outlive returns a context with the values of ctx that does not end with it: a client of the legacy era that closes its
// connection has not cancelled its request (2025-11-25, Streamable HTTP: "disconnection SHOULD NOT be interpreted as the
// client cancelling its request"). It ends grace after ctx does, with errOrphaned as its cause, so that nothing runs for
// ever for nobody. The returned function releases it and must be called.
func outlive(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	call, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	orphaned := time.AfterFunc(math.MaxInt64, func() { cancel(errOrphaned) })
	stop := context.AfterFunc(ctx, func() { orphaned.Reset(grace) })
	return call, func() {
		stop()
		orphaned.Stop()
		cancel(nil)
	}
}
