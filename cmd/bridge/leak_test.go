package main

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// leakless are tests that fail when a goroutine outlives the test that began it. The connections that http.DefaultClient
// keeps for the next request are closed first. What runs as another program of the scripts is not held to it: a process
// ends as a whole.
type leakless struct{ *testing.M }

func (l leakless) Run() int {
	code := l.M.Run()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if code != 0 {
		return code // a test that fails may leave what it began
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintf(os.Stderr, "goleak: goroutines outlive the tests: %v\n", err)
		return 1
	}
	return 0
}
