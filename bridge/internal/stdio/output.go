package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// output writes messages on a goroutine of its own: whole, one write each, in the order in which they were sent.
type output struct {
	sink   io.Writer
	queue  chan []byte
	finish chan struct{} // closed when no more messages come
	done   chan struct{} // closed when the goroutine has ended
	dead   chan struct{} // closed at the first failure, after err is set
	err    error
	fail   sync.Once

	mu      sync.Mutex
	timeout time.Duration // of a write
	watch   *time.Timer   // ends a write that takes longer; nil while nothing is written
}

// writeLines starts writing. A write that takes longer than timeout is a failure.
func writeLines(sink io.Writer, timeout time.Duration) *output {
	out := &output{
		sink:    sink,
		timeout: timeout,
		queue:   make(chan []byte),
		finish:  make(chan struct{}),
		done:    make(chan struct{}),
		dead:    make(chan struct{}),
	}
	go out.run()
	return out
}

// errEnded says that the output was stopped.
var errEnded = errors.New("the stream to the client has ended")

// send hands over one message and waits until the writer takes it; it becomes the writer's. After a failure, after the
// end of ctx or of the output, it is dropped, and the error says which it was.
func (out *output) send(ctx context.Context, body []byte) error {
	select {
	case out.queue <- body:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-out.dead:
		return out.err
	case <-out.finish:
		return errEnded
	}
}

func (out *output) run() {
	defer close(out.done)
	for {
		select {
		case body := <-out.queue:
			out.write(body)
		case <-out.dead:
			return
		case <-out.finish:
			return
		}
	}
}

// write writes one line, in a single write.
func (out *output) write(body []byte) {
	out.watchOver()
	defer out.written()
	if _, err := out.sink.Write(append(oneLine(body), '\n')); err != nil {
		out.broken(fmt.Errorf("write to the client: %w", err))
	}
}

// watchOver starts to watch over a write.
func (out *output) watchOver() {
	out.mu.Lock()
	defer out.mu.Unlock()
	out.watch = time.AfterFunc(out.timeout, func() { out.broken(ErrBlocked) })
}

// written ends the watch.
func (out *output) written() {
	out.mu.Lock()
	defer out.mu.Unlock()
	out.watch.Stop()
	out.watch = nil
}

// hurry lets writes take no longer than timeout, the one that is going on included.
func (out *output) hurry(timeout time.Duration) {
	out.mu.Lock()
	defer out.mu.Unlock()
	if timeout >= out.timeout {
		return
	}
	out.timeout = timeout
	if out.watch != nil && out.watch.Stop() {
		out.watch.Reset(timeout)
	}
}

// oneLine takes line breaks out of a message, in place. Its writers compact what they write; raw JSON from elsewhere may
// have breaks, between its tokens only, where a space says the same.
func oneLine(body []byte) []byte {
	if bytes.IndexByte(body, '\n') < 0 && bytes.IndexByte(body, '\r') < 0 {
		return body
	}
	for i, c := range body {
		if c == '\n' || c == '\r' {
			body[i] = ' '
		}
	}
	return body
}

func (out *output) broken(err error) {
	out.fail.Do(func() {
		out.err = err
		close(out.dead)
	})
}

// failure returns the first failure, nil when there is none so far.
func (out *output) failure() error {
	select {
	case <-out.dead:
		return out.err
	default:
		return nil
	}
}

// stop ends the writing goroutine after the message that it is writing and waits for it, at most for ioStop. Only a
// sink that holds it up longer is closed, if it can be.
func (out *output) stop() {
	close(out.finish)
	patience := ioStop
	if errors.Is(out.failure(), ErrBlocked) {
		patience = 0 // it had its time
	}
	if out.endsWithin(patience) {
		return
	}
	out.broken(ErrBlocked)
	if c, ok := out.sink.(io.Closer); ok {
		_ = c.Close() // the failure that matters is ErrBlocked
		out.endsWithin(ioStop)
	}
}

func (out *output) endsWithin(d time.Duration) bool {
	select {
	case <-out.done:
		return true
	case <-time.After(d):
		return false
	}
}
