package main

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// errLeft is why a start is given up whose client has gone without a word.
var errLeft = errors.New("stdin ended before the bridge was ready, and nothing was asked")

// early is stdin, of which the beginning is read before anybody asks for it. So a client is missed that leaves while the
// bridge starts, and what another has sent by then is kept.
type early struct {
	source io.Reader
	begun  chan struct{} // closed when start and err are set
	start  []byte        // the first that is not space, and what came with it
	err    error         // why there is no more
}

// readEarly starts to read. The context that it returns ends with ctx, and for errLeft when source ends before anything came
// that could be a message. Once something came nothing is read until Read is called, for nobody leaves who waits for an answer.
//
// A read that nothing wakes goes on, as long as the process does.
func readEarly(ctx context.Context, source io.Reader) (context.Context, *early) {
	ctx, left := context.WithCancelCause(ctx)
	e := &early{source: source, begun: make(chan struct{})}
	go func() {
		defer close(e.begun)
		if e.begin(); len(e.start) == 0 && errors.Is(e.err, io.EOF) {
			left(errLeft)
		}
	}()
	return ctx, e
}

// begin reads until there is something.
func (e *early) begin() {
	buf := make([]byte, 4<<10)
	for len(e.start) == 0 && e.err == nil {
		var n int
		n, e.err = e.source.Read(buf)
		e.start = bytes.TrimLeft(buf[:n], " \t\r\n")
	}
}

// Read reads what was read early, and then from the source.
func (e *early) Read(p []byte) (int, error) {
	<-e.begun
	if len(e.start) == 0 && e.err == nil {
		return e.source.Read(p)
	}
	n := copy(p, e.start)
	e.start = e.start[n:]
	if len(e.start) > 0 {
		return n, nil
	}
	return n, e.err
}

// Close closes the source, which may wake a Read.
func (e *early) Close() error {
	if c, ok := e.source.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
