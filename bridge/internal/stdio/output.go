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
	sink    io.Writer
	timeout time.Duration
	queue   chan []byte
	finish  chan struct{} // closed when no more messages come
	done    chan struct{} // closed when the goroutine has ended
	dead    chan struct{} // closed at the first failure, after err is set
	err     error
	fail    sync.Once
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
	watch := time.AfterFunc(out.timeout, func() { out.broken(ErrBlocked) })
	defer watch.Stop()
	if _, err := out.sink.Write(append(oneLine(body), '\n')); err != nil {
		out.broken(fmt.Errorf("write to the client: %w", err))
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
	if out.endsWithin(ioStop) {
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
