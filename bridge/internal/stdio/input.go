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
	held    int // bytes of memory
}

// input reads lines on a goroutine of its own, so that a read that does not return can be left alone, and ahead of those who
// take them, so that the end of the input is noticed however many lines are before it.
type input struct {
	source  io.Reader
	read    chan line     // from the reading goroutine; closed at its end
	lines   chan line     // closed after the last line, and not before read
	quit    chan struct{} // closed when nobody takes lines any more
	reading chan struct{} // closed when nothing more is read
	err     error         // why the input ended, nil for its end; read it after lines is closed
}

// readLines starts reading lines of at most limit bytes. It calls ended when there are no more, taken or not.
func readLines(source io.Reader, limit int64, ended func()) *input {
	in := &input{
		source:  source,
		read:    make(chan line),
		lines:   make(chan line),
		quit:    make(chan struct{}),
		reading: make(chan struct{}),
	}
	go in.run(limit, ended)
	go in.hand()
	return in
}

func (in *input) run(limit int64, ended func()) {
	defer close(in.read)
	defer close(in.reading)
	buf := bufio.NewReaderSize(in.source, readBuffer)
	for !in.left() {
		l, err := nextLine(buf, limit)
		if err != nil {
			ended() // first: the line may have to wait
		}
		if l.tooLong || len(l.text) > 0 {
			in.read <- l
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
		l.held = lineSize + cap(l.text)
		l.text = bytes.Trim(l.text, " \t\r\n")
		if int64(len(l.text)) > limit {
			l = line{tooLong: true, held: lineSize}
		}
		return l, err
	}
}

// stop ends the goroutines and waits for them, at most for ioStop. Lines that were not taken are dropped. A source that can
// be closed is closed if that is what it takes.
func (in *input) stop() {
	ended := false // by itself, and not because of what follows
	select {
	case <-in.reading:
		ended = true
	default:
	}
	close(in.quit)
	if c, ok := in.source.(io.Closer); ok && !ended {
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
