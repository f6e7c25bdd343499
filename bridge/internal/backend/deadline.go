package backend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
)

// maxEarly bounds how long before our deadline an answer can be due to it: see [evidence.ended].
const maxEarly = 100 * time.Millisecond

type deadlineKey struct{}

// WithDeadline has the calls made with the returned context last for as long as a task may, in place of their backend's
// deadline.
func WithDeadline(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, deadlineKey{}, d)
}

// allowed is how long a call may last.
func (b *Backend) allowed(ctx context.Context) time.Duration {
	if d, ok := ctx.Value(deadlineKey{}).(time.Duration); ok {
		return d
	}
	return b.config.Deadline
}

// ended reports whether a call that failed with code was ended from this side: with Canceled by its caller, with
// DeadlineExceeded by its deadline. With OK it was not, and the status is somebody else's.
//
// The server knows our deadline too and may be first to give up, by an answer or by resetting the stream. Which of the
// two is seen depends on whose timer fires first, and what the model is told must not. So both codes are our own deadline
// from a little before it: a tenth of it, for clocks that are coarse or run fast.
func (e *evidence) ended(caller context.Context, code codes.Code) codes.Code {
	early := min(e.deadline.Sub(e.started)/10, maxEarly)
	switch {
	case code != codes.Canceled && code != codes.DeadlineExceeded:
		return codes.OK
	case errors.Is(caller.Err(), context.Canceled):
		return codes.Canceled
	case caller.Err() != nil, !e.deadline.IsZero() && time.Until(e.deadline) <= early:
		return codes.DeadlineExceeded
	}
	return codes.OK
}

// interrupted makes the failure of a call that was ended from this side as code. Nothing that came from the server
// counts: it was on its way while the call ended, and another time it would not have arrived.
func (b *Backend) interrupted(caller context.Context, code codes.Code, seen *evidence) *Failure {
	f := &Failure{Code: code, Cancelled: code == codes.Canceled, Expired: code == codes.DeadlineExceeded, Execution: Unknown}
	if !seen.streamed && (seen.unsent || seen.neverSent(b.config.Conn, code)) {
		f.Execution = NotExecuted
	}
	switch {
	case f.Cancelled && f.Execution == NotExecuted:
		f.Message = fmt.Sprintf("the call was cancelled before it was sent to backend %q", b.config.Name)
	case f.Cancelled && seen.streamed:
		f.Message = fmt.Sprintf("the call was cancelled before the stream of backend %q ended", b.config.Name)
	case f.Cancelled:
		f.Message = fmt.Sprintf("the call was cancelled before backend %q answered", b.config.Name)
	case f.Execution == NotExecuted:
		f.Message = fmt.Sprintf("the call could not be sent to backend %q within %s", b.config.Name, b.limit(caller, seen))
	case seen.streamed:
		f.Message = fmt.Sprintf("the stream of backend %q did not end within %s", b.config.Name, b.limit(caller, seen))
	default:
		f.Message = fmt.Sprintf("backend %q gave no answer within %s", b.config.Name, b.limit(caller, seen))
	}
	return f
}

// limit names the deadline of a call and what sets it.
func (b *Backend) limit(caller context.Context, seen *evidence) string {
	if at, ok := caller.Deadline(); ok && !at.After(seen.deadline) {
		return "the time that the caller allowed"
	}
	if d, ok := caller.Value(deadlineKey{}).(time.Duration); ok {
		return fmt.Sprintf("the %v that a task has (ttl of tasks)", d)
	}
	return fmt.Sprintf("the deadline of %v (deadline of its backend, or --deadline)", b.config.Deadline)
}
