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

// Bounds of how often a call is made.
const (
	// DefaultMaxAttempts is how often at most where the Config says nothing else: 3 times.
	DefaultMaxAttempts = 3
	// MaxMaxAttempts is the most that a Config may say: 5 times, as in gRPC itself (gRFC A6, Limits on Retries and Hedges).
	MaxMaxAttempts = 5
)

// firstPause is the mean wait before the second attempt; it doubles with each further one.
const firstPause = 100 * time.Millisecond

// The events of a span that tell of another attempt, and of one that was not made, and their attributes.
const (
	eventRetry    = "retry"
	eventWithheld = "retry_withheld"
	keyAttempt    = attribute.Key("bridge.retry.attempt")
	keyPause      = attribute.Key("bridge.retry.pause_ms")
	keyOutcome    = attribute.Key("bridge.retry.outcome")
	keyReason     = attribute.Key("bridge.retry.reason")
)

// attemptMade is what Config.Retried is told of an attempt that was made.
const attemptMade = "made"

// repeatable reports whether the author of a method, or the configuration, declared that calling it twice does no more than
// calling it once.
func (b *Backend) repeatable(method protoreflect.MethodDescriptor) bool {
	if b.config.Idempotent != nil {
		if yes, said := b.config.Idempotent(method); said {
			return yes
		}
	}
	options, ok := method.Options().(*descriptorpb.MethodOptions)
	return ok && options.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
}

// again reports whether a call whose last attempt, the n-th, failed with f may be made once more, after having waited for the
// time to do so. The attempt before gives its place in the quota back, by *release, and the next one takes its own. call is the
// context of the whole call.
func (b *Backend) again(call context.Context, method protoreflect.MethodDescriptor, f *Failure, n int, release *func()) bool {
	f.Attempts = n
	allowed := b.counted(f)
	if n >= b.config.MaxAttempts || f.Code != codes.Unavailable || f.broken || f.streamed || f.Input != nil || !b.repeatable(method) {
		return false
	}
	if reason := f.withheld(allowed); reason != "" {
		b.config.Retried(reason)
		trace.SpanFromContext(call).AddEvent(eventWithheld, trace.WithAttributes(
			keyAttempt.Int(n+1), keyReason.String(reason), keyOutcome.String(string(f.Execution))))
		return false
	}
	pause := f.waitAfter(n)
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
	b.config.Retried(attemptMade)
	trace.SpanFromContext(call).AddEvent(eventRetry, trace.WithAttributes(
		keyAttempt.Int(n+1), keyPause.Int64(pause.Milliseconds()), keyOutcome.String(string(f.Execution))))
	return true
}

// counted takes a failed attempt down for the throttle, and reports whether that allows another. As in gRPC, only what says
// that the backend fails counts, of whatever method: UNAVAILABLE, and the word not to come again.
func (b *Backend) counted(f *Failure) bool {
	if f.Input == nil && (f.Code == codes.Unavailable || f.pushback.never) {
		return b.config.Throttle.failed()
	}
	return true
}

// withheld says why a call that might be made again is not, in one word for the span; "" where it is.
func (f *Failure) withheld(allowed bool) string {
	switch {
	case f.pushback.never:
		return "pushback"
	case !allowed:
		return "throttled"
	}
	return ""
}

// waitAfter is how long to wait after the n-th attempt: as long as the server asks, by its trailer or a RetryInfo, and by
// ourselves where its trailer asks nothing.
func (f *Failure) waitAfter(n int) time.Duration {
	if f.pushback.given {
		return max(f.pushback.pause, f.RetryAfter)
	}
	return max(pauseAfter(n), f.RetryAfter)
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
	f.Begun = before.Begun || before.Execution != NotExecuted
	if f.Begun && f.Input == nil {
		return f.AfterBegun()
	}
	return f
}

// AfterBegun completes the failure of a call of which something may have been done before: that is not undone because the last
// that was tried did nothing. It returns the failure.
func (f *Failure) AfterBegun() *Failure {
	if f.Execution == NotExecuted {
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
