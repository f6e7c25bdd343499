package backend

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
)

// uncountedKey is the key of contexts whose calls the quota does not count.
type uncountedKey struct{}

// begin counts a call, and returns what ends it or the failure of one for which there is no room. One that is over already
// is not counted: it is not going to be made.
func (b *Backend) begin(ctx context.Context) (release func(), f *Failure) {
	limiter := b.config.Limiter
	if ctx.Err() != nil || ctx.Value(uncountedKey{}) != nil {
		limiter = nil
	}
	release, refused := limiter.Take()
	if refused == nil {
		return release, nil
	}
	return nil, &Failure{
		Code:       codes.ResourceExhausted,
		Message:    fmt.Sprintf("the quota of backend %q is used up: %s", b.config.Name, refused.Reason),
		Execution:  NotExecuted,
		Retryable:  true,
		RetryAfter: refused.RetryAfter,
		OverQuota:  true,
	}
}
