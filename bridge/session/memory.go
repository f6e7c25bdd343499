package session

import (
	"bytes"
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"
)

// Defaults of MemoryOptions.
const (
	// DefaultIdle is how long an unused session lives.
	DefaultIdle = 30 * time.Minute
	// DefaultMax is how many sessions there may be at once.
	DefaultMax = 10_000
)

// MemoryOptions bounds a Memory. A field that is zero or negative means the default.
type MemoryOptions struct {
	// Idle is how long a session lives without being used; default DefaultIdle.
	Idle time.Duration
	// Max is how many sessions there may be at once; default DefaultMax.
	Max int
}

// Memory is a Store in this process's memory. It runs no goroutine: sessions
// that were idle for too long are dropped when the store is next used, and
// never returned. Safe for concurrent use.
type Memory struct {
	idle time.Duration
	max  int

	mu    sync.Mutex
	byID  map[string]*list.Element
	order *list.List // of *Record, the longest unused first
}

// NewMemory returns an empty store.
func NewMemory(opts MemoryOptions) *Memory {
	if opts.Idle <= 0 {
		opts.Idle = DefaultIdle
	}
	if opts.Max <= 0 {
		opts.Max = DefaultMax
	}
	return &Memory{idle: opts.Idle, max: opts.Max, byID: map[string]*list.Element{}, order: list.New()}
}

// Create implements Store.
func (m *Memory) Create(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.expire()
	if _, ok := m.byID[r.ID]; ok || r.ID == "" {
		return fmt.Errorf("session id %q is empty or in use: make a new one for each session", r.ID)
	}
	if len(m.byID) >= m.max {
		return ErrFull
	}
	r.Created, r.Seen = now, now
	m.byID[r.ID] = m.order.PushBack(own(r))
	return nil
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, id string) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.expire()
	e, ok := m.byID[id]
	if !ok {
		return Record{}, ErrNotFound
	}
	r := e.Value.(*Record)
	r.Seen = now
	m.order.MoveToBack(e)
	return *r, nil
}

// Update implements Store.
func (m *Memory) Update(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.expire()
	e, ok := m.byID[r.ID]
	if !ok {
		return ErrNotFound
	}
	r.Created, r.Seen = e.Value.(*Record).Created, now
	e.Value = own(r)
	m.order.MoveToBack(e)
	return nil
}

// Delete implements Store.
func (m *Memory) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	e, ok := m.byID[id]
	if !ok {
		return ErrNotFound
	}
	m.remove(e)
	return nil
}

// Len returns how many sessions are open.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	return len(m.byID)
}

// expire drops the sessions that were idle for too long and returns the time.
// The order makes it cost nothing when there are none.
func (m *Memory) expire() time.Time {
	now := time.Now()
	for e := m.order.Front(); e != nil && now.Sub(e.Value.(*Record).Seen) >= m.idle; e = m.order.Front() {
		m.remove(e)
	}
	return now
}

// remove drops one session.
func (m *Memory) remove(e *list.Element) {
	delete(m.byID, e.Value.(*Record).ID)
	m.order.Remove(e)
}

// own returns a copy of r that shares no memory with the caller.
func own(r Record) *Record {
	r.ClientInfo = bytes.Clone(r.ClientInfo)
	r.Capabilities = bytes.Clone(r.Capabilities)
	return &r
}
