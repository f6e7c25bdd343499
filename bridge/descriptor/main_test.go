package descriptor_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the run when any load has left a goroutine behind.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}
