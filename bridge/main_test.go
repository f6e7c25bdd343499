package bridge_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

// TestMain sees to it that no goroutine outlives the test that began it: neither of a bridge that was closed, nor of a
// client.
func TestMain(m *testing.M) { goleak.VerifyTestMain(tidy{m}) }

// tidy are tests after which the connections are closed that http.DefaultClient keeps for the next request.
type tidy struct{ *testing.M }

func (t tidy) Run() int {
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	return t.M.Run()
}
