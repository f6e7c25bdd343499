package echo

import "sync"

// executions counts by key; the zero value has counted nothing.
type executions struct {
	mu     sync.Mutex
	counts map[string]int64
}

// begin counts one execution of key and returns how many there have been, this
// one included. The empty key is not counted: 0.
func (e *executions) begin(key string) int64 {
	if key == "" {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.counts == nil {
		e.counts = make(map[string]int64)
	}
	e.counts[key]++
	return e.counts[key]
}

// of returns how many executions of key have begun.
func (e *executions) of(key string) int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts[key]
}
