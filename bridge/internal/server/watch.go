package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// How a stream of a watch is opened again.
const (
	// minPause and maxPause bound the time between two attempts; it doubles from
	// one to the other, and up to half of it is added at random.
	minPause, maxPause = time.Second, 30 * time.Second
	// steady is how long a stream has to last that counts as open where its
	// backend says nothing before the first message.
	steady = time.Second
)

// watch keeps a stream from a backend open that tells when one resource changes.
type watch struct {
	hub    *hub
	uri    string
	cancel context.CancelFunc
	wake   chan struct{} // holds one signal: the catalog is another one
	opened chan struct{} // closed when a stream has been open, or could not be opened
	once   sync.Once

	listeners map[*listener]struct{} // under hub.mu
}

// open says that who waits for the watch need wait no longer.
func (w *watch) open() { w.once.Do(func() { close(w.opened) }) }

// errMoved says that the catalog has the resource at another place now.
var errMoved = errors.New("the resource is read by another call now")

// run keeps the stream open until ctx ends. While no stream was open, changes
// may have been missed: once another one is, the listeners are told so.
func (w *watch) run(ctx context.Context) {
	defer w.cancel()
	pause, level := minPause, slog.LevelWarn
	for missed := false; ctx.Err() == nil; missed = true {
		lasted, err := w.attempt(ctx, missed)
		w.open()
		if lasted {
			pause, level = minPause, slog.LevelWarn
		}
		if errors.Is(err, errMoved) || ctx.Err() != nil {
			continue
		}
		w.hub.log.Log(ctx, level, "the watch of a resource has ended; it will be opened again", "uri", w.uri, "error", err, "in", pause)
		w.rest(ctx, pause+rand.N(pause/2)) //nolint:gosec // no secret: it keeps many watches from coming back at once
		pause, level = min(2*pause, maxPause), slog.LevelDebug
	}
}

// attempt looks the resource up and opens the stream.
func (w *watch) attempt(ctx context.Context, missed bool) (lasted bool, err error) {
	to, err := w.find()
	if err != nil {
		return false, err
	}
	return w.follow(ctx, to, missed)
}

// rest waits for some time, or until the catalog is another one.
func (w *watch) rest(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-w.wake:
	}
}

// place is the call by which a resource is watched.
type place struct {
	backend *backend.Backend
	method  protoreflect.MethodDescriptor
	request []byte
}

// find looks the resource up in the catalog.
func (w *watch) find() (*place, error) {
	a, ok := w.hub.catalog().Resource(w.uri)
	if !ok {
		return nil, errors.New("the catalog has no such resource any more")
	}
	return placeOf(&a)
}

// placeOf returns the call by which a resource is watched, or why it cannot be.
// Its request is that by which the resource is read: the catalog has seen to it
// that the method takes the same fields.
func placeOf(a *catalog.Address) (*place, error) {
	if a.Reading.Watch == nil {
		return nil, errors.New("its backend does not tell of changes; read it now and then")
	}
	request, err := a.Reading.Codec.AppendWire(nil, a.Arguments)
	if err != nil {
		return nil, err
	}
	return &place{a.Reading.Backend, a.Reading.Watch, request}, nil
}

// same reports whether both make the same call.
func (p *place) same(q *place) bool {
	return p.backend.Name() == q.backend.Name() && p.method.FullName() == q.method.FullName() && bytes.Equal(p.request, q.request)
}

// follow opens the stream and tells the listeners of each message until it ends,
// or the catalog has the resource at another place; of what was missed before,
// once it is open. It reports whether it was open for a while.
func (w *watch) follow(ctx context.Context, to *place, missed bool) (lasted bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	stream := newTail(ctx, to, w.changed)
	opened := stream.opened
	defer stream.running.Wait()
	defer cancel()
	timer := time.NewTimer(steady)
	defer timer.Stop()
	for {
		select {
		case err := <-stream.ended:
			if err == nil && !lasted {
				stream.catchUp(missed)
			}
			return lasted, err
		case <-opened:
			opened = nil
			w.open()
			stream.catchUp(missed)
		case <-timer.C:
			lasted = true
			stream.catchUp(missed)
		case <-w.wake:
			if now, err := w.find(); err != nil || !now.same(to) {
				return lasted, errMoved
			}
		}
	}
}

// tail is one stream that is being followed.
type tail struct {
	running sync.WaitGroup
	opened  chan struct{} // closed when the backend says that it has the call
	ended   chan error    // its end, once
	spoken  atomic.Bool   // the listeners have been told of something
	changed func()
}

// newTail opens a stream.
func newTail(ctx context.Context, to *place, changed func()) *tail {
	t := &tail{opened: make(chan struct{}), ended: make(chan error, 1), changed: changed}
	t.running.Go(func() {
		t.ended <- to.backend.Watch(ctx, to.method, to.request, func() { close(t.opened) }, t.message)
	})
	return t
}

// message notes a message.
func (t *tail) message() {
	t.spoken.Store(true)
	t.changed()
}

// catchUp tells of what was missed, unless a message has done so.
func (t *tail) catchUp(missed bool) {
	if missed && !t.spoken.Swap(true) {
		t.changed()
	}
}

// changed tells the listeners that the resource may have changed.
func (w *watch) changed() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	for l := range w.listeners {
		l.mark(w.uri)
	}
}
