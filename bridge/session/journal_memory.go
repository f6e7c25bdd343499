package session

import (
	"bytes"
	"container/list"
	"context"
	"slices"
	"sync"
	"time"
)

// Defaults of JournalOptions.
const (
	// DefaultStreamEvents is how many events of one stream are kept.
	DefaultStreamEvents = 256
	// DefaultStreamBytes is how many bytes of one stream are kept: 4 MiB.
	DefaultStreamBytes = 4 << 20
	// DefaultJournalBytes is how many bytes are kept altogether: 64 MiB.
	DefaultJournalBytes = 64 << 20
	// DefaultKeepEnded is how long a stream is kept that has ended: 5 min.
	DefaultKeepEnded = 5 * time.Minute
)

// What is counted for the memory that an event and a stream take beside data.
const (
	eventCost  = 64
	streamCost = 512
)

// JournalOptions bounds a MemoryJournal. A field that is zero or negative means
// the default.
type JournalOptions struct {
	// StreamEvents is how many events of one stream are kept; default
	// DefaultStreamEvents.
	StreamEvents int
	// StreamBytes is how many bytes of one stream are kept; default
	// DefaultStreamBytes. The newest event is kept however large it is.
	StreamBytes int
	// Bytes is how many bytes are kept of all streams together, with what it takes
	// to keep them; default DefaultJournalBytes.
	Bytes int
	// KeepEnded is how long a stream is kept that has ended; default
	// DefaultKeepEnded.
	KeepEnded time.Duration
}

// MemoryJournal is a Journal in this process's memory. It runs no goroutine:
// what is over a bound is dropped when the journal is next used, and never
// returned. Safe for concurrent use.
//
// A stream that is over its own bounds loses its oldest events. When all streams
// together are over theirs, those go first that ended longest ago, but for the
// one that ended last; then those that have not ended lose their events, the one
// that has been silent longest first. What remains of such a stream is its name
// and the number of its last event: no more of them than calls in flight.
type MemoryJournal struct {
	options JournalOptions

	mu       sync.Mutex
	sessions map[string]map[uint64]*journaled
	bytes    int        // of all streams
	ended    *list.List // of *journaled, the one first that ended first
	running  *list.List // of *journaled, not ended and with events, the longest silent first
}

// journaled is one stream.
type journaled struct {
	session string
	number  uint64
	events  []Event
	last    uint64 // number of the last event, kept or not
	bytes   int    // of the events
	closed  bool   // the last event was the last
	at      time.Time
	place   *list.Element // in ended or running; nil without events
	more    chan struct{} // closed at the next change; nil while nobody waits
}

// NewMemoryJournal returns an empty journal.
func NewMemoryJournal(opts JournalOptions) *MemoryJournal {
	orDefault(&opts.StreamEvents, DefaultStreamEvents)
	orDefault(&opts.StreamBytes, DefaultStreamBytes)
	orDefault(&opts.Bytes, DefaultJournalBytes)
	orDefault(&opts.KeepEnded, DefaultKeepEnded)
	return &MemoryJournal{
		options:  opts,
		sessions: map[string]map[uint64]*journaled{},
		ended:    list.New(),
		running:  list.New(),
	}
}

// orDefault sets what was not set.
func orDefault[T int | time.Duration](value *T, fallback T) {
	if *value <= 0 {
		*value = fallback
	}
}

// Open implements Journal.
func (j *MemoryJournal) Open(_ context.Context, session string, stream uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.expire()
	streams := j.sessions[session]
	if streams == nil {
		streams = map[uint64]*journaled{}
		j.sessions[session] = streams
	}
	if streams[stream] == nil {
		streams[stream] = &journaled{session: session, number: stream}
		j.bytes += streamCost
		j.shrink()
	}
	return nil
}

// Append implements Journal.
func (j *MemoryJournal) Append(_ context.Context, session string, stream uint64, data []byte, last bool) (uint64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := j.expire()
	s := j.sessions[session][stream]
	if s == nil || s.closed {
		return 0, ErrNoStream
	}
	s.last++
	s.closed, s.at = last, now
	s.events = append(s.events, Event{Number: s.last, Data: bytes.Clone(data)})
	j.weigh(s, len(data)+eventCost)
	for len(s.events) > 1 && (len(s.events) > j.options.StreamEvents || s.bytes > j.options.StreamBytes) {
		j.dropOldest(s)
	}
	j.arrange(s)
	j.shrink()
	s.wake()
	return s.last, nil
}

// Read implements Journal.
func (j *MemoryJournal) Read(ctx context.Context, session string, stream, after uint64) ([]Event, bool, error) {
	for {
		events, ended, more, err := j.look(session, stream, after)
		if more == nil {
			return events, ended, err
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// Forget implements Journal.
func (j *MemoryJournal) Forget(_ context.Context, session string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.expire()
	for _, s := range j.sessions[session] {
		j.remove(s)
	}
	return nil
}

// look returns what there is after a number, or what to wait for.
func (j *MemoryJournal) look(session string, stream, after uint64) (events []Event, ended bool, more <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.expire()
	s := j.sessions[session][stream]
	if s == nil || after > s.last || s.last-after > uint64(len(s.events)) {
		return nil, false, nil, ErrNoStream
	}
	rest := s.events[len(s.events)-int(s.last-after):]
	if len(rest) > 0 || s.closed {
		return slices.Clone(rest), s.closed, nil, nil
	}
	if s.more == nil {
		s.more = make(chan struct{})
	}
	return nil, false, s.more, nil
}

// expire drops the streams that ended too long ago and returns the time.
func (j *MemoryJournal) expire() time.Time {
	now := time.Now()
	for e := j.ended.Front(); e != nil && now.Sub(e.Value.(*journaled).at) >= j.options.KeepEnded; e = j.ended.Front() {
		j.remove(e.Value.(*journaled))
	}
	return now
}

// shrink drops what is over the bound of all streams together.
func (j *MemoryJournal) shrink() {
	for j.bytes > j.options.Bytes {
		if e := j.ended.Front(); e != nil && (j.ended.Len() > 1 || j.running.Len() == 0) {
			j.remove(e.Value.(*journaled))
			continue
		}
		e := j.running.Front()
		if e == nil {
			return
		}
		s := e.Value.(*journaled)
		for len(s.events) > 0 {
			j.dropOldest(s)
		}
		j.arrange(s)
	}
}

// dropOldest drops the first event of a stream.
func (j *MemoryJournal) dropOldest(s *journaled) {
	j.weigh(s, -len(s.events[0].Data)-eventCost)
	s.events[0] = Event{}
	s.events = s.events[1:]
}

// weigh counts bytes for a stream.
func (j *MemoryJournal) weigh(s *journaled, n int) {
	s.bytes += n
	j.bytes += n
}

// arrange puts a stream at the end of the list to which it belongs.
func (j *MemoryJournal) arrange(s *journaled) {
	j.displace(s)
	switch {
	case s.closed:
		s.place = j.ended.PushBack(s)
	case len(s.events) > 0:
		s.place = j.running.PushBack(s)
	}
}

// displace takes a stream out of its list.
func (j *MemoryJournal) displace(s *journaled) {
	if s.place != nil {
		j.ended.Remove(s.place) // does nothing where it is in the other
		j.running.Remove(s.place)
		s.place = nil
	}
}

// remove drops a stream.
func (j *MemoryJournal) remove(s *journaled) {
	j.displace(s)
	j.bytes -= s.bytes + streamCost
	streams := j.sessions[s.session]
	delete(streams, s.number)
	if len(streams) == 0 {
		delete(j.sessions, s.session)
	}
	s.wake()
}

// wake wakes the readers that wait for the stream to change.
func (s *journaled) wake() {
	if s.more != nil {
		close(s.more)
		s.more = nil
	}
}
