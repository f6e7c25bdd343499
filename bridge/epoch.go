package bridge

import (
	"reflect"
	"sync"
)

// epochs know which connections calls may still use. An epoch begins with each change of the backends; a call belongs to the
// one in which it has begun, and may use what was served then or at any time later. So a connection that is served no more
// can go once all who came before that have left. Safe for concurrent use; it never waits.
type epochs struct {
	mu      sync.Mutex
	closed  bool
	oldest  *epoch // the first of those that have not ended, which are linked up to current
	current *epoch
	tenures map[any]*tenure // by key
}

// epoch is the time between two changes.
type epoch struct {
	calls int    // how many have begun in it and not ended
	leave func() // ends one of them
	ended []*tenure
	next  *epoch
}

// tenure is the time during which the bridge has use for a connection. Backends may share it.
type tenure struct {
	key     any
	uses    int
	release func() // nil for none
}

func newEpochs() *epochs {
	e := &epochs{tenures: map[any]*tenure{}}
	e.current = e.begin()
	e.oldest = e.current
	return e
}

// begin makes an epoch.
func (e *epochs) begin() *epoch {
	one := &epoch{}
	one.leave = func() { e.leave(one) }
	return one
}

// enter begins a call, or says that none may begin any more; see server.Config.Enter.
func (e *epochs) enter() (leave func(), open bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return func() {}, false
	}
	e.current.calls++
	return e.current.leave, true
}

// leave ends a call, and with the last of an epoch what was held for it.
func (e *epochs) leave(one *epoch) {
	e.mu.Lock()
	one.calls--
	due := e.collect()
	e.mu.Unlock()
	run(due)
}

// hold notes that a backend may be served. Of several ways to release one connection, the first that is given stays.
func (e *epochs) hold(b *Backend) *tenure {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := keyOf(b)
	t := e.tenures[key]
	if t == nil {
		t = &tenure{key: key}
		e.tenures[key] = t
	}
	t.uses++
	if t.release == nil {
		t.release = b.Release
	}
	return t
}

// change begins an epoch in which those that are given are served no more, for each time that they were held.
func (e *epochs) change(ended []*tenure) {
	e.mu.Lock()
	e.current.ended = append(e.current.ended, ended...)
	e.current.next = e.begin()
	e.current = e.current.next
	due := e.collect()
	e.mu.Unlock()
	run(due)
}

// close is change, after which no call begins.
func (e *epochs) close(ended []*tenure) {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.change(ended)
}

// drop lets go of what was held and never served.
func (e *epochs) drop(held ...*tenure) {
	e.mu.Lock()
	var due []func()
	for _, t := range held {
		due = e.end(due, t)
	}
	e.mu.Unlock()
	run(due)
}

// collect ends the epochs that nobody is in any more, from the oldest on, and returns what is to be released, to be run
// without the lock; the caller holds mu.
func (e *epochs) collect() (due []func()) {
	for ; e.oldest != e.current && e.oldest.calls == 0; e.oldest = e.oldest.next {
		for _, t := range e.oldest.ended {
			due = e.end(due, t)
		}
	}
	return due
}

// end ends one use of a connection, and appends what releases it if there is no other; the caller holds mu.
func (e *epochs) end(due []func(), t *tenure) []func() {
	t.uses--
	if t.uses > 0 {
		return due
	}
	delete(e.tenures, t.key)
	if t.release == nil {
		return due
	}
	return append(due, t.release)
}

// run calls what collect has returned.
func run(due []func()) {
	for _, release := range due {
		release()
	}
}

// keyOf identifies the connection of a backend; one that cannot be compared is another one each time.
func keyOf(b *Backend) any {
	if b.Conn == nil || !reflect.ValueOf(b.Conn).Comparable() {
		return b
	}
	return b.Conn
}

// sameValue reports whether both are equal values, as far as they can be compared.
func sameValue(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}
