package server_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain sees to it that no goroutine outlives its owner: neither a watch nor a call.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
