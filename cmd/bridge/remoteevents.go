package main

import (
	"bufio"
	"bytes"
	"io"
)

// events reads the data of server-sent events (WHATWG HTML, 9.2.6), whose lines end in LF, CR LF or CR.
type events struct{ lines *bufio.Reader }

func newEvents(r io.Reader) *events { return &events{bufio.NewReader(r)} }

// next returns the data of the next event that has some, or io.EOF. An event that the stream breaks off in is none.
func (e *events) next() ([]byte, error) {
	var data [][]byte
	for {
		line, err := e.line()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			if data != nil {
				return bytes.Join(data, []byte("\n")), nil
			}
			continue
		}
		if field, value, _ := bytes.Cut(line, []byte(":")); string(field) == "data" {
			data = append(data, bytes.TrimPrefix(value, []byte(" ")))
		}
	}
}

// line returns a line without its end.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		b, err := e.lines.ReadByte()
		if err != nil {
			return nil, err
		}
		switch b {
		case '\n':
			return line, nil
		case '\r':
			if next, err := e.lines.Peek(1); err == nil && next[0] == '\n' {
				_, _ = e.lines.Discard(1) // it has just been seen
			}
			return line, nil
		}
		line = append(line, b)
	}
}
