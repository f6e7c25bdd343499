package backend

import (
	"context"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// DefaultMaxAttempts is how often a call is made at most whose Config says nothing else: 3 times.
const DefaultMaxAttempts = 3

// firstPause is the mean wait before the second attempt; it doubles with each further one.
const firstPause = 100 * time.Millisecond

// The event of a span that tells of another attempt, and its attributes.
const (
	eventRetry = "retry"
	keyAttempt = attribute.Key("bridge.retry.attempt")
	keyPause   = attribute.Key("bridge.retry.pause_ms")
	keyOutcome = attribute.Key("bridge.retry.outcome")
)

// repeatable reports whether the author of a method, or the configuration, declared that calling it twice does no more than
// calling it once.
func (b *Backend) repeatable(method protoreflect.MethodDescriptor) bool {
	options, ok := method.Options().(*descriptorpb.MethodOptions)
	if ok && options.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN {
		return true
	}
	return b.config.Idempotent != nil && b.config.Idempotent(method)
}

// again reports whether a call whose last attempt, the n-th, failed with f may be made once more, after having waited for the
// time to do so. The attempt before gives its place in the quota back, by *release, and the next one takes its own. call is the
// context of the whole call.
func (b *Backend) again(call context.Context, method protoreflect.MethodDescriptor, f *Failure, n int, release *func()) bool {
	f.Attempts = n
	if n >= b.config.MaxAttempts || f.Code != codes.Unavailable || f.broken || !b.repeatable(method) {
		return false
	}
	pause := max(pauseAfter(n), f.RetryAfter)
	if at, ok := call.Deadline(); ok && time.Until(at) <= pause {
		return false
	}
	(*release)()
	*release = func() {}
	if !wait(call, pause) {
		return false
	}
	next, refused := b.begin(call)
	if refused != nil {
		return false
	}
	*release = next
	trace.SpanFromContext(call).AddEvent(eventRetry, trace.WithAttributes(
		keyAttempt.Int(n+1), keyPause.Int64(pause.Milliseconds()), keyOutcome.String(string(f.Execution))))
	return true
}

// pauseAfter is how long to wait after the n-th attempt: 100 ms, 200 ms and so on, up to a fifth more or less, so that calls
// that failed together do not come again together.
func pauseAfter(n int) time.Duration {
	mean := float64(firstPause << (min(n, 10) - 1))
	return time.Duration(mean * (0.8 + 0.4*rand.Float64())) //nolint:gosec // nothing is kept secret by it
}

// wait returns false where the context ended first.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// next is the evidence of another attempt at the same call.
func (e *evidence) next() *evidence {
	return &evidence{started: e.started, deadline: e.deadline, request: e.request}
}

// after completes the failure of an attempt with what the one before left behind: what may have been done then is not undone
// because the last attempt did nothing.
func (f *Failure) after(before *Failure) *Failure {
	if f.Execution == NotExecuted && before.Execution != NotExecuted && f.Input == nil {
		f.Execution, f.verdict = Unknown, answeredError
	}
	return f
}

// givenUp is the failure of a call whose caller left, or whose time was over, before another attempt; else f itself.
func (b *Backend) givenUp(caller context.Context, method protoreflect.MethodDescriptor, f *Failure) *Failure {
	err := caller.Err()
	if err == nil || f.Code != codes.Unavailable {
		return f
	}
	at, _ := caller.Deadline()
	seen := evidence{unsent: f.Execution == NotExecuted, deadline: at}
	ended := b.interrupted(caller, statusOf(err).Code(), &seen)
	ended.cause, ended.Attempts = err, f.Attempts
	ended.Retryable = ended.retryable(b.repeatable(method), false)
	return ended
}
