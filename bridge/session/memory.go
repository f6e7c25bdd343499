package session

import (
	"bytes"
	"container/list"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Defaults of MemoryOptions.
const (
	// DefaultIdle is how long an unused session lives.
	DefaultIdle = 30 * time.Minute
	// DefaultHandshake is how long a session may take to be initialized.
	DefaultHandshake = time.Minute
	// DefaultReclaim is how long a session has to be unused before it may give
	// way to a new one.
	DefaultReclaim = 2 * time.Minute
	// DefaultMax is how many sessions there may be at once.
	DefaultMax = 10_000
)

// MemoryOptions bounds a Memory. A field that is zero or negative means the default.
type MemoryOptions struct {
	// Idle is how long a session lives without being used; default DefaultIdle.
	Idle time.Duration
	// Handshake is how long after Create a session lives that is not initialized,
	// however much it is used; default DefaultHandshake, and at most Idle.
	Handshake time.Duration
	// Reclaim is how long an initialized session has to be unused before it gives
	// way to a new one where the store is full; default DefaultReclaim, and at
	// most Idle. A session with an open stream is used each time that the stream
	// is kept alive, so that Reclaim must be several times as long as between two
	// of these (15 s in the bridge, and a third of Idle at most).
	Reclaim time.Duration
	// Max is how many sessions there may be at once; default DefaultMax. A
	// session takes about 1 KiB, and at most some 50 KiB: 16 of what its client
	// says of itself and 32 of subscriptions (see [Record]), and what keeping them
	// takes.
	Max int
	// Ended, if it is not nil, is told of each session that has ended: r is what it
	// was when it did, and must not be written to; lasted is the time from its
	// creation on. Of one whose time is over it is told when the store is next used,
	// with the time when it was over. It may be called by several goroutines at once,
	// while the caller of a method of the store waits, so that it must not wait
	// itself; it may use the store.
	Ended func(r Record, lasted time.Duration, reason EndReason)
}

// EndReason is why a session has ended.
type EndReason string

// The reasons that a Memory gives.
const (
	// EndedByClient is a session that was deleted.
	EndedByClient EndReason = "client"
	// EndedIdle is one that was not used for MemoryOptions.Idle.
	EndedIdle EndReason = "idle"
	// EndedEvicted is one that gave way to a new one, since the store was full.
	EndedEvicted EndReason = "evicted"
	// EndedHandshake is one that was not initialized in MemoryOptions.Handshake.
	EndedHandshake EndReason = "handshake"
)

// Memory is a Store in this process's memory. It runs no goroutine: sessions
// whose time is over are dropped when the store is next used, and never
// returned. Safe for concurrent use.
//
// Anybody can open sessions by the thousand. One that is not initialized has cost
// its client one request: it lives for a short time only, and where the store is
// full the oldest of them makes room for a new session. One that is initialized
// has cost two: where there are no others, the one that has been unused for the
// longest time makes room, if that is MemoryOptions.Reclaim or more. So nobody
// locks others out for longer than that by opening sessions and leaving them; and
// a client that uses its session in that time, as one with an open stream does,
// loses it to nobody. Whoever lost one is told so (404) and opens a new one
// (2025-11-25 basic/transports, "Session Management"). What a store does not hold
// off is as many sessions as it may hold that are all kept in use.
type Memory struct {
	idle, handshake, reclaim time.Duration

	max int
	// told is MemoryOptions.Ended, or does nothing.
	told func(Record, time.Duration, EndReason)

	mu    sync.Mutex
	byID  map[string]*list.Element
	half  *list.List // of *Record, not initialized, the oldest first
	open  *list.List // of *Record, initialized, the longest unused first
	ended []ending   // what is to be told when mu is unlocked
}

// ending is a session that has ended.
type ending struct {
	record *Record
	at     time.Time
	reason EndReason
}

// NewMemory returns an empty store.
func NewMemory(opts MemoryOptions) *Memory {
	orDefault(&opts.Idle, DefaultIdle)
	orDefault(&opts.Max, DefaultMax)
	orDefault(&opts.Handshake, DefaultHandshake)
	orDefault(&opts.Reclaim, DefaultReclaim)
	if opts.Ended == nil {
		opts.Ended = func(Record, time.Duration, EndReason) {}
	}
	return &Memory{
		idle:      opts.Idle,
		handshake: min(opts.Handshake, opts.Idle),
		reclaim:   min(opts.Reclaim, opts.Idle),
		max:       opts.Max,
		told:      opts.Ended,
		byID:      map[string]*list.Element{},
		half:      list.New(),
		open:      list.New(),
	}
}

// Create implements Store.
func (m *Memory) Create(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.unlock()
	now := m.expire()
	if _, ok := m.byID[r.ID]; ok || r.ID == "" {
		return fmt.Errorf("session id %q is empty or in use: make a new one for each session", r.ID)
	}
	if err := m.makeRoom(now); err != nil {
		return err
	}
	r.Created, r.Seen = now, now
	m.keep(own(r))
	return nil
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, id string) (Record, error) {
	m.mu.Lock()
	defer m.unlock()
	now := m.expire()
	e, ok := m.byID[id]
	if !ok {
		return Record{}, ErrNotFound
	}
	r := e.Value.(*Record)
	r.Seen = now
	if r.Initialized { // the age of the others counts, not their use
		m.open.MoveToBack(e)
	}
	return *r, nil
}

// Update implements Store.
func (m *Memory) Update(_ context.Context, id string, change func(*Record)) error {
	m.mu.Lock()
	defer m.unlock()
	now := m.expire()
	e, ok := m.byID[id]
	if !ok {
		return ErrNotFound
	}
	old := e.Value.(*Record)
	next := *old
	change(&next)
	next.ID, next.Created, next.Seen = old.ID, old.Created, now
	if old.Initialized || next.Initialized {
		m.remove(e)
		m.keep(own(next))
		return nil
	}
	e.Value = own(next) // in its place: it is no younger
	return nil
}

// Delete implements Store.
func (m *Memory) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.unlock()
	now := m.expire()
	e, ok := m.byID[id]
	if !ok {
		return ErrNotFound
	}
	m.end(e, now, EndedByClient)
	return nil
}

// Len returns how many sessions are open.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.unlock()
	m.expire()
	return len(m.byID)
}

// makeRoom sees to it that there is room for one session more.
func (m *Memory) makeRoom(now time.Time) error {
	if len(m.byID) < m.max {
		return nil
	}
	if e := m.half.Front(); e != nil {
		m.end(e, now, EndedEvicted)
		return nil
	}
	e := m.open.Front()
	left := m.reclaim - now.Sub(e.Value.(*Record).Seen)
	if left > 0 {
		return &FullError{RetryAfter: left}
	}
	m.end(e, now, EndedEvicted)
	return nil
}

// keep adds one session, as the youngest and the last used.
func (m *Memory) keep(r *Record) { m.byID[r.ID] = m.listOf(r).PushBack(r) }

// listOf returns the list that a session belongs to.
func (m *Memory) listOf(r *Record) *list.List {
	if r.Initialized {
		return m.open
	}
	return m.half
}

// expire drops the sessions whose time is over and returns the time. The order
// of the lists makes it cost nothing when there are none.
func (m *Memory) expire() time.Time {
	now := time.Now()
	for e := m.half.Front(); e != nil; e = m.half.Front() {
		over := e.Value.(*Record).Created.Add(m.handshake)
		if now.Before(over) {
			break
		}
		m.end(e, over, EndedHandshake)
	}
	for e := m.open.Front(); e != nil; e = m.open.Front() {
		over := e.Value.(*Record).Seen.Add(m.idle)
		if now.Before(over) {
			break
		}
		m.end(e, over, EndedIdle)
	}
	return now
}

// end drops one session and notes that it is to be told.
func (m *Memory) end(e *list.Element, at time.Time, reason EndReason) {
	m.remove(e)
	m.ended = append(m.ended, ending{e.Value.(*Record), at, reason})
}

// unlock unlocks mu and tells of the sessions that have ended since it was
// locked: what is told may use the store.
func (m *Memory) unlock() {
	ended := m.ended
	m.ended = nil
	m.mu.Unlock()
	for _, one := range ended {
		m.told(*one.record, one.at.Sub(one.record.Created), one.reason)
	}
}

// remove drops one session.
func (m *Memory) remove(e *list.Element) {
	r := e.Value.(*Record)
	delete(m.byID, r.ID)
	m.listOf(r).Remove(e)
}

// own returns a copy of r that shares no memory with the caller.
func own(r Record) *Record {
	r.ClientInfo = bytes.Clone(r.ClientInfo)
	r.Capabilities = bytes.Clone(r.Capabilities)
	r.Subscriptions = slices.Clone(r.Subscriptions)
	return &r
}
