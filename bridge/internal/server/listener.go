package server

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// listener is where marks are left for one client: what it has yet to be told
// of. They are a set, which a client that reads slowly makes no longer than the
// list of what it subscribes to. Safe for concurrent use.
type listener struct {
	key  string
	wake chan struct{} // holds one signal: there are marks

	// since and spent say how long its conversation has waited for watches, from
	// when on; under hub.mu.
	since time.Time
	spent time.Duration

	mu           sync.Mutex
	updated      map[string]struct{} // URIs of resources
	tasks        map[string]struct{} // ids of tasks
	resubscribed bool
}

// mark notes that resources may have changed.
func (l *listener) mark(uris ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, uri := range uris {
		l.updated[uri] = struct{}{}
	}
	signal(l.wake)
}

// markTask notes that a task has changed.
func (l *listener) markTask(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tasks[id] = struct{}{}
	signal(l.wake)
}

// forget takes the mark of a resource back.
func (l *listener) forget(uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.updated, uri)
}

// resubscribe notes that the client's subscriptions have changed.
func (l *listener) resubscribe() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resubscribed = true
	signal(l.wake)
}

// takeUpdated returns the resources that may have changed, in the order of their
// URIs, and forgets them.
func (l *listener) takeUpdated() []string { return l.take(l.updated) }

// takeTasks returns the tasks that have changed, in the order of their ids, and
// forgets them.
func (l *listener) takeTasks() []string { return l.take(l.tasks) }

func (l *listener) take(marks map[string]struct{}) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	marked := slices.Sorted(maps.Keys(marks))
	clear(marks)
	return marked
}

// takeResubscribed reports whether the subscriptions have changed, and forgets it.
func (l *listener) takeResubscribed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed := l.resubscribed
	l.resubscribed = false
	return changed
}
