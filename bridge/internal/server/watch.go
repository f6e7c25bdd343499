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
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
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

	// Under hub.mu:
	listeners map[*listener]struct{}
	backend   string // among whose watches it counts
	late      bool   // some listener was told that it listens, and the stream was not open
}

// open says that who waits for the watch need wait no longer, and reports
// whether somebody has not waited, who may have missed a change. It says so once.
func (w *watch) open() (late bool) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	if !w.isOpen() {
		close(w.opened)
	}
	late, w.late = w.late, false
	return late
}

// isOpen reports whether open was called; the caller holds hub.mu.
func (w *watch) isOpen() bool {
	select {
	case <-w.opened:
		return true
	default:
		return false
	}
}

// errMoved says that the catalog has the resource at another place now.
var errMoved = errors.New("the resource is read by another call now")

// run keeps the stream open until ctx ends. While no stream was open, changes
// may have been missed: once another one is, the listeners are told so.
func (w *watch) run(ctx context.Context) {
	defer w.cancel()
	pause, warn := minPause, true
	for missed := false; ctx.Err() == nil; missed = true {
		to, lasted, err := w.attempt(ctx, missed)
		w.open()
		if lasted {
			pause, warn = minPause, true
		}
		if errors.Is(err, errMoved) || ctx.Err() != nil {
			continue
		}
		w.report(ctx, warn, to, err, pause)
		w.rest(ctx, pause+rand.N(pause/2)) //nolint:gosec // no secret: it keeps many watches from coming back at once
		pause, warn = min(2*pause, maxPause), false
	}
}

// report logs that the stream has ended, as a warning once in a while: what is
// wrong with one is often wrong with all of its method. The URI is not logged,
// since it holds the values of arguments.
func (w *watch) report(ctx context.Context, warn bool, to *place, err error, pause time.Duration) {
	var name, method string
	if to != nil {
		name, method = to.backend.Name(), string(to.method.FullName())
	}
	level := slog.LevelDebug
	if warn && w.hub.warns(name+" "+method) {
		level = slog.LevelWarn
	}
	w.hub.log.Log(ctx, level, "the watch of a resource has ended; it will be opened again", "backend", name, "method", method, "error", err,
		"in", pause)
}

// attempt looks the resource up and opens the stream; it returns where to, nil
// if the catalog does not say.
func (w *watch) attempt(ctx context.Context, missed bool) (to *place, lasted bool, err error) {
	v := visit{enter: w.hub.enter}
	defer v.end()
	if !v.begin() {
		return nil, false, ErrStopped
	}
	to, err = w.find()
	if err != nil {
		w.hub.take(w, "")
		return nil, false, err
	}
	if !w.hub.take(w, to.backend.Name()) {
		return to, false, errors.New("as many resources of the backend are watched as may be")
	}
	lasted, err = w.follow(ctx, &v, to, missed)
	return to, lasted, err
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
	to, err := placeOf(&a)
	if _, ok := errors.AsType[*transcode.ArgumentError](err); ok { // its text has values of arguments, and is logged
		return nil, errors.New("the arguments of its URI do not fit the method any more")
	}
	return to, err
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

// isAt reports whether the catalog still has the resource at a place.
func (w *watch) isAt(p *place) bool {
	now, err := w.find()
	return err == nil && now.same(p)
}

// same reports whether both make the same call over the same connection.
func (p *place) same(q *place) bool {
	return p.backend.SameAs(q.backend) && p.method.FullName() == q.method.FullName() && bytes.Equal(p.request, q.request)
}

// follow opens the stream and tells the listeners of each message until it ends,
// or the catalog has the resource at another place; of what was missed before,
// or may have been by who did not wait for it, once it is open. It reports
// whether it was open for a while.
func (w *watch) follow(ctx context.Context, v *visit, to *place, missed bool) (lasted bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	began := time.Now()
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
				stream.catchUp(w.open() || missed)
			}
			return lasted, err
		case <-opened:
			opened = nil
			if time.Since(began) < openPatience {
				w.hub.speaks(to.method.FullName())
			}
			stream.catchUp(w.open() || missed)
		case <-timer.C:
			lasted = true
			stream.catchUp(w.open() || missed)
		case <-w.wake:
			if !v.renew(func() bool { return w.isAt(to) }) {
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
