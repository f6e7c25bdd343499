package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// readBuffer is the size, in bytes, of the reader's buffer; most messages fit.
const readBuffer = 64 << 10

// line is one line of input without its end. A line over the limit has no text.
type line struct {
	text    []byte
	tooLong bool
}

// input reads lines on a goroutine of its own, so that a read that does not return can be left alone.
type input struct {
	source io.Reader
	lines  chan line     // closed at the end of the input
	quit   chan struct{} // closed when nobody takes lines any more
	err    error         // why lines was closed, nil for the end of the input; read it after lines is closed
}

// readLines starts reading lines of at most limit bytes.
func readLines(source io.Reader, limit int64) *input {
	in := &input{source: source, lines: make(chan line), quit: make(chan struct{})}
	go in.run(limit)
	return in
}

func (in *input) run(limit int64) {
	defer close(in.lines)
	buf := bufio.NewReaderSize(in.source, readBuffer)
	for !in.left() {
		l, err := nextLine(buf, limit)
		if l.tooLong || len(l.text) > 0 {
			select {
			case in.lines <- l:
			case <-in.quit:
				return
			}
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			in.err = fmt.Errorf("read from the client: %w", err)
			return
		}
	}
}

// left reports whether stop was called.
func (in *input) left() bool {
	select {
	case <-in.quit:
		return true
	default:
		return false
	}
}

// nextLine returns the next line, without surrounding space, in memory of its own; the last one may lack its end. Of
// a line over the limit nothing is kept.
func nextLine(buf *bufio.Reader, limit int64) (line, error) {
	var l line
	for {
		part, err := buf.ReadSlice('\n')
		if int64(len(l.text)+len(part)) > limit+int64(len("\r\n")) {
			l = line{tooLong: true}
		}
		if !l.tooLong {
			l.text = append(l.text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.text = bytes.Trim(l.text, " \t\r\n")
		if int64(len(l.text)) > limit {
			l = line{tooLong: true}
		}
		return l, err
	}
}

// stop ends the reading goroutine and waits for it, at most for ioStop. A source that can be closed is closed if that
// is what it takes.
func (in *input) stop() {
	close(in.quit)
	if in.ended() {
		return
	}
	if c, ok := in.source.(io.Closer); ok {
		_ = c.Close() // the failure would concern a stream that nobody reads any more
	}
	expired := time.After(ioStop)
	for open := true; open; {
		select {
		case _, open = <-in.lines:
		case <-expired:
			return
		}
	}
}

// ended reports whether the goroutine has read its last; a line that it holds is dropped.
func (in *input) ended() bool {
	select {
	case _, open := <-in.lines:
		return !open
	default:
		return false
	}
}
