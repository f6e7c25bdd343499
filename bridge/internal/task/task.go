package task

import (
	"container/list"
	"context"
	"strconv"
	"time"

	"github.com/mcpgrpc/bridge/bridge/internal/interaction"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// Task is one task, for the function that it runs.
type Task struct {
	store     *Store
	principal string
	cancel    context.CancelCauseFunc

	// What follows is under the store's lock.

	state  mcp.Task
	expiry *time.Timer
	// place and ownPlace are those in ended of the store and of its owner; nil while its function runs.
	place, ownPlace *list.Element
	// question is what it waits for; nil for nothing.
	question *question
	// used are the keys that were asked under: the client takes one for the same
	// question, whenever it is asked.
	used map[string]bool
	// watches are told when it changes.
	watches map[*watch]struct{}
}

// question is what a task waits for.
type question struct {
	requests []interaction.Request // all of them, by the keys that clients see
	own      map[string]string     // by those: that of the backend
	given    []*bridgev1.InputResponse
	features mcp.Features
	answered chan struct{} // closed when nothing is open any more
}

// Say sets what the task tells people of how it stands. Of one that has ended it
// does nothing, and so do the other methods.
func (t *Task) Say(message string) {
	t.change(func(state *mcp.Task) { state.StatusMessage = message })
}

// Complete ends the task with a result, an object as raw JSON, which becomes the
// task's.
func (t *Task) Complete(result []byte) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	t.end(func(state *mcp.Task) { state.Status, state.Result = mcp.TaskCompleted, result })
}

// Fail ends the task with an error of JSON-RPC, whose message is what it says last.
func (t *Task) Fail(e *jsonrpc.Error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	t.end(func(state *mcp.Task) {
		state.Status, state.StatusMessage, state.Error = mcp.TaskFailed, e.Message, e.AppendJSON(nil)
	})
}

// Ask has the client answer requests, whose answers may come one by one, and
// returns them when they are all there. The error is the cause of ctx, which is
// that of the task.
func (t *Task) Ask(ctx context.Context, requests []interaction.Request, f mcp.Features) ([]*bridgev1.InputResponse, error) {
	if len(requests) == 0 {
		return nil, context.Cause(ctx)
	}
	q := t.ask(requests, f)
	select {
	case <-q.answered:
		given := make([]*bridgev1.InputResponse, len(q.given))
		for i, answer := range q.given { // which may be looked at still, see sort
			given[i] = &bridgev1.InputResponse{Key: q.own[answer.GetKey()], Response: answer.GetResponse()}
		}
		return given, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// ask makes the task wait for answers.
func (t *Task) ask(requests []interaction.Request, f mcp.Features) *question {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	q := &question{own: map[string]string{}, features: f, answered: make(chan struct{})}
	for _, r := range requests {
		key := t.fresh(r.Key)
		q.own[key] = r.Key
		r.Key = key
		q.requests = append(q.requests, r)
	}
	t.question = q
	t.wait(q.requests)
	return q
}

// wait has the task say what of its question is still open; the caller holds the
// store's lock.
func (t *Task) wait(open []interaction.Request) {
	var wire []mcp.InputRequest
	for i := range open {
		wire = append(wire, open[i].Wire(t.question.features))
	}
	t.update(func(state *mcp.Task) { state.Status, state.Requests = mcp.TaskInputRequired, wire })
}

// fresh returns a key under which nothing was asked before; the caller holds the
// store's lock.
func (t *Task) fresh(key string) string {
	unused := key
	for n := 2; t.used[unused]; n++ {
		unused = key + "." + strconv.Itoa(n)
	}
	t.used[unused] = true
	return unused
}

// Update brings a task answers, an object as raw JSON by the keys of its
// requests. Those that fit are taken and no longer asked for; the faults say what
// is wrong with the others. Answers to what is not asked for, and to a task that
// asks for nothing, are passed over.
func (s *Store) Update(principal, id string, answers []byte) (faults []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(principal, id)
	if err != nil || t.question == nil || t.state.Status.Final() {
		return nil, err
	}
	q := t.question
	sorted, ok := s.sort(t, q, answers)
	if !ok {
		return nil, nil
	}
	if q.given = sorted.Given; len(sorted.Missing) > 0 {
		t.wait(sorted.Missing)
		return sorted.Faults, nil
	}
	t.question = nil
	t.update(func(state *mcp.Task) { state.Status, state.Requests = mcp.TaskWorking, nil })
	close(q.answered)
	return nil, nil
}

// sort holds answers against a question without the lock, which the caller holds:
// it may take a while. ok is false where the question is answered meanwhile, or the
// task has ended.
func (s *Store) sort(t *Task, q *question, answers []byte) (sorted interaction.Sorted, ok bool) {
	for {
		given := q.given
		s.unlocked(func() { sorted = interaction.Sort(q.requests, given, answers) })
		switch {
		case t.question != q || t.state.Status.Final():
			return sorted, false
		case len(q.given) == len(given): // no other answers came meanwhile
			return sorted, true
		}
	}
}

// unlocked does something without the lock, which the caller holds before and
// after, whatever comes of it.
func (s *Store) unlocked(do func()) {
	s.mu.Unlock()
	defer s.mu.Lock()
	do()
}

// change changes how a task stands that has not ended.
func (t *Task) change(set func(*mcp.Task)) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if !t.state.Status.Final() {
		t.update(set)
	}
}

// update is change for a caller that holds the store's lock.
func (t *Task) update(set func(*mcp.Task)) {
	if t.state.Status.Final() {
		return
	}
	set(&t.state)
	t.state.LastUpdatedAt = time.Now()
	for w := range t.watches {
		w.changed(t.state.ID)
	}
}

// end ends a task that has not ended; the caller holds the store's lock.
func (t *Task) end(set func(*mcp.Task)) {
	if t.state.Status.Final() {
		return
	}
	t.question = nil
	t.update(func(state *mcp.Task) { state.Requests = nil; set(state) })
}

// size is how much an ended task takes, in bytes.
func (t *Task) size() int {
	return len(t.state.Result) + len(t.state.Error) + len(t.state.StatusMessage)
}

// abandon fails a task whose function has returned without a word.
func (t *Task) abandon() { t.Fail(jsonrpc.Internal()) }
