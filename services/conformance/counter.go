package conformance

import "sync"

// counter counts changes and wakes those who wait for the next one. The zero value
// has counted none.
type counter struct {
	mu   sync.Mutex
	n    int32
	next chan struct{}
}

// add counts one change and returns how many there were.
func (c *counter) add() int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
	return c.n
}

// look returns how many changes there were and a channel that is closed by the next.
func (c *counter) look() (n int32, next <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.n, c.next
}
