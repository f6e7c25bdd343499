package task

import (
	"cmp"
	"container/list"
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// Defaults of [Options].
const (
	// DefaultTTL is how long a task is kept, from its creation: 1 h.
	DefaultTTL = time.Hour
	// DefaultMax is how many tasks there may be at once.
	DefaultMax = 1000
	// share is the part of all tasks that one principal may have by default: a quarter.
	share = 4
	// DefaultMaxBytes is how much the results of all tasks may take: 64 MiB.
	DefaultMaxBytes = 64 << 20
	// DefaultPollInterval is how often clients are told to ask: each second.
	DefaultPollInterval = time.Second
)

// Errors of a [Store].
var (
	// ErrUnknown says that there is no such task, or none of this principal's.
	ErrUnknown = errors.New("there is no such task: it never was, or its time is over")
	// ErrFull says that there are as many tasks as there may be, of all or of this
	// principal, and that none of them has ended.
	ErrFull = errors.New("there are as many tasks as there may be, and none has ended: cancel one, or try again when one has ended")
	// ErrClosed says that the store is closed.
	ErrClosed = errors.New("the bridge is stopping: no task begins any more")
)

// The causes with which the context of a task ends.
var (
	// ErrCancelled says that the client has given the task up.
	ErrCancelled = errors.New("the client cancelled the task")
	// ErrExpired says that its time is over.
	ErrExpired = errors.New("the time of the task is over")
	// ErrStopped says that the bridge stops.
	ErrStopped = errors.New("the bridge stops")
)

// Options of a Store. A field that is zero or less means the default.
type Options struct {
	// TTL is how long a task is kept, from its creation on, whether or not it has
	// ended; one that has not is then ended. Default: DefaultTTL.
	TTL time.Duration
	// Max is how many tasks there may be at once. Those that have ended, and whose
	// function has returned, make room, the first that ended first. Default: DefaultMax.
	Max int
	// MaxBytes is how much the results of tasks may take that have ended: where it is
	// more, the first that ended are forgotten, but for the last one. Default:
	// DefaultMaxBytes.
	MaxBytes int
	// MaxPerPrincipal is how many of them one principal may have; its own that have
	// ended make room. The empty principal, which stands for all whom nothing tells
	// apart, is bounded by Max alone. Default: a quarter of Max, at least 1.
	MaxPerPrincipal int
	// PollInterval is how often clients are told to ask. Default: DefaultPollInterval.
	PollInterval time.Duration
}

// Store keeps tasks, in this process's memory. Safe for concurrent use. Close it.
type Store struct {
	options Options
	ctx     context.Context //nolint:containedctx // of the tasks, which outlive the requests that begin them
	stop    context.CancelCauseFunc
	running sync.WaitGroup

	mu     sync.Mutex
	closed bool // from before Close waits on: nothing is added to running then
	tasks  map[string]*Task
	ended  *list.List // of *Task whose function has returned, the first that did first
	bytes  int        // of their results
	owners map[string]*owner
}

// owner is what there is of one principal. It is kept while there is any.
type owner struct {
	tasks int
	ended list.List // of *Task, the first that ended first
}

// NewStore returns an empty Store.
func NewStore(opts Options) *Store {
	opts.TTL = cmp.Or(max(0, opts.TTL), DefaultTTL)
	opts.Max = cmp.Or(max(0, opts.Max), DefaultMax)
	opts.MaxPerPrincipal = cmp.Or(max(0, opts.MaxPerPrincipal), max(1, opts.Max/share))
	opts.MaxBytes = cmp.Or(max(0, opts.MaxBytes), DefaultMaxBytes)
	opts.PollInterval = cmp.Or(max(0, opts.PollInterval), DefaultPollInterval)
	s := &Store{options: opts, tasks: map[string]*Task{}, ended: list.New(), owners: map[string]*owner{}}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	return s
}

// PollInterval returns how often clients are told to ask.
func (s *Store) PollInterval() time.Duration { return s.options.PollInterval }

// TTL returns how long a task is kept.
func (s *Store) TTL() time.Duration { return s.options.TTL }

// Start begins a task on behalf of a principal: work runs in a goroutine until it
// returns, with the values of ctx and a context of its own, whose cause says why
// it ends. What it comes to it says to the Task, else the task has failed. The
// task is kept when Start returns, and what it returns is how it stands.
func (s *Store) Start(ctx context.Context, principal string, work func(ctx context.Context, t *Task)) (mcp.Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest, err := s.room(principal)
	if err != nil {
		return mcp.Task{}, err
	}
	if oldest != nil {
		s.drop(oldest)
	}
	t := s.newTask(principal)
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	t.cancel = cancel
	unlink := context.AfterFunc(s.ctx, func() { cancel(ErrStopped) })
	t.expiry = time.AfterFunc(s.options.TTL, func() { s.expire(t) })
	s.keep(t)
	s.running.Go(func() {
		defer cancel(nil)
		defer unlink()
		defer s.retire(t)
		defer t.abandon()
		work(own, t)
	})
	return t.state, nil
}

// newTask returns a task that has just begun; the caller holds mu.
func (s *Store) newTask(principal string) *Task {
	now := time.Now()
	return &Task{
		store: s, principal: principal, used: map[string]bool{}, watches: map[*watch]struct{}{},
		state: mcp.Task{
			ID: rand.Text(), Status: mcp.TaskWorking, CreatedAt: now, LastUpdatedAt: now,
			TTL: s.options.TTL, PollInterval: s.options.PollInterval,
		},
	}
}

// Room returns the error with which Start would refuse a task of a principal's
// now; nil where it would not.
func (s *Store) Room(principal string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.room(principal)
	return err
}

// room returns the task that has to make room for one more of a principal's, nil
// for none, or why there is no room. The caller holds mu.
func (s *Store) room(principal string) (*Task, error) {
	if s.closed {
		return nil, ErrClosed
	}
	var ended *list.List
	switch own := s.owners[principal]; {
	case principal != "" && own != nil && own.tasks >= s.options.MaxPerPrincipal:
		ended = &own.ended
	case len(s.tasks) >= s.options.Max:
		ended = s.ended
	default:
		return nil, nil
	}
	if oldest := ended.Front(); oldest != nil {
		return oldest.Value.(*Task), nil
	}
	return nil, ErrFull
}

// keep adds a task; the caller holds mu.
func (s *Store) keep(t *Task) {
	s.tasks[t.state.ID] = t
	own := s.owners[t.principal]
	if own == nil {
		own = &owner{}
		s.owners[t.principal] = own
	}
	own.tasks++
}

// retire has a task make room for others that has ended and does nothing any more,
// and lets go of the first that ended where there is too much of their results.
func (s *Store) retire(t *Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tasks[t.state.ID] != t {
		return
	}
	t.place = s.ended.PushBack(t)
	t.ownPlace = s.owners[t.principal].ended.PushBack(t)
	s.bytes += t.size()
	for s.bytes > s.options.MaxBytes && s.ended.Len() > 1 {
		s.drop(s.ended.Front().Value.(*Task))
	}
}

// drop forgets a task that is kept; the caller holds mu.
func (s *Store) drop(t *Task) {
	delete(s.tasks, t.state.ID)
	own := s.owners[t.principal]
	if t.place != nil {
		s.ended.Remove(t.place)
		own.ended.Remove(t.ownPlace)
		t.place, t.ownPlace = nil, nil
		s.bytes -= t.size()
	}
	if own.tasks--; own.tasks == 0 {
		delete(s.owners, t.principal)
	}
	if t.expiry != nil {
		t.expiry.Stop()
	}
}

// expire ends and forgets a task whose time is over.
func (s *Store) expire(t *Task) {
	t.cancel(ErrExpired)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tasks[t.state.ID] == t {
		s.drop(t)
	}
}

// find returns a task of a principal's; the caller holds mu.
func (s *Store) find(principal, id string) (*Task, error) {
	t := s.tasks[id]
	if t == nil || t.principal != principal {
		return nil, ErrUnknown
	}
	return t, nil
}

// Get returns how a task stands.
func (s *Store) Get(principal, id string) (mcp.Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(principal, id)
	if err != nil {
		return mcp.Task{}, err
	}
	return t.state, nil
}

// Cancel gives a task up: it is cancelled at once, says so with what it has said
// last, and its context ends. One that has ended stays as it is.
func (s *Store) Cancel(principal, id string) error {
	s.mu.Lock()
	t, err := s.find(principal, id)
	if err == nil {
		t.end(func(state *mcp.Task) {
			state.Status, state.StatusMessage = mcp.TaskCancelled, cancelledAfter(state.StatusMessage)
		})
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	t.cancel(ErrCancelled)
	return nil
}

// cancelledAfter is what a cancelled task says that said something before, "" for
// nothing.
func cancelledAfter(last string) string {
	if last == "" {
		return "cancelled by the client"
	}
	return "cancelled by the client; before that: " + last
}

// Close ends all tasks and waits for them. No task begins any more; those that
// have ended can be asked for still.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop(ErrStopped)
	s.running.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tasks {
		t.expiry.Stop()
	}
}
