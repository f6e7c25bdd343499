package backend_test

import (
	"bytes"
	"log/slog"
	"sync"
)

// log is a logger whose lines can be read.
type log struct {
	*slog.Logger
	mu   sync.Mutex
	text bytes.Buffer
}

func newLog() *log {
	l := &log{}
	l.Logger = slog.New(slog.NewTextHandler(l, nil))
	return l
}

// Write collects a line.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the lines so far.
func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
