package backend

import (
	"testing"

	"pgregory.net/rapid"
)

// TestThrottleCounts holds Throttle against the sentences of gRFC A6: 10 tokens at first and at most, a failure takes one and
// a success brings a tenth, and none is made again with half of them or fewer.
func TestThrottleCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var throttle Throttle
		tenths := 100
		for i, failure := range rapid.SliceOf(rapid.Bool()).Draw(t, "failures") {
			if !failure {
				tenths = min(tenths+1, 100)
				throttle.succeeded()
				continue
			}
			tenths = max(tenths-10, 0)
			if got := throttle.failed(); got != (tenths > 50) {
				t.Fatalf("after %d calls there are %d tenths, and another attempt is allowed: %t", i+1, tenths, got)
			}
		}
	})
}
