package backend

import "sync/atomic"

// Throttle keeps a backend that fails for everybody from being called several times as often for that, as gRPC's
// retryThrottling does (gRFC A6, with the maxTokens of 10 and the tokenRatio of 0.1 of its example): each attempt that fails
// as one may that is made again takes a token of 10, each call that succeeds brings a tenth of one back, and with 5 or fewer left
// no call is made again. A first attempt is always made. The zero value has all its tokens. It is safe for concurrent use.
type Throttle struct{ taken atomic.Int32 } // tenths of tokens

// Tenths of tokens.
const (
	allTokens   = 100
	perFailure  = 10
	perSuccess  = 1
	retriesHeld = allTokens / 2 // with so many taken, and more
)

// succeeded brings back what a call that succeeded does. Where nothing is taken, as usual, it only looks.
func (t *Throttle) succeeded() {
	for {
		taken := t.taken.Load()
		if taken == 0 || t.taken.CompareAndSwap(taken, max(taken-perSuccess, 0)) {
			return
		}
	}
}

// failed takes what a failed attempt does, and reports whether it may be followed by another.
func (t *Throttle) failed() bool {
	for {
		taken := t.taken.Load()
		more := min(taken+perFailure, allTokens)
		if t.taken.CompareAndSwap(taken, more) {
			return more < retriesHeld
		}
	}
}
