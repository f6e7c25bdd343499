package uritemplate_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain sees to it that no goroutine outlives the test that began it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
